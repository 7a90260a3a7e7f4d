"""Which pixels of a camera show the own body: from masks, from files, and from boxes on frames."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from st_memory.conversions.assembly_settings import AssemblerSettings
from st_memory.conversions.depth_fit import fits, resampled
from st_memory.conversions.pending import Look
from st_memory.conversions.roles import TopicKind
from st_memory.conversions.self_boxes import PixelRays, SelfBox
from st_memory.conversions.self_masks import mask_from_message, read_mask_file
from st_memory.conversions.stamps import frame_name
from st_memory.core.errors import (
    ConversionError,
    TransformFailure,
    TransformUnavailableError,
)
from st_memory.core.geometry import CameraModel, TransformBuffer

__all__ = ['SelfFilter']

Mask = NDArray[np.bool_]


class SelfFilter:
    """
    Mark the own body in images: what any of the sources says is marked.

    Parameters
    ----------
    settings : AssemblerSettings
        Boxes, files of masks, and how long is waited.
    transforms : TransformBuffer
        Shared with the assembler, which fills it.
    counters : Counter
        Shared with the assembler. Gets ``mask_size_mismatch`` (the mask has another shape than
        the image), ``mask_in_other_frame``, ``mask_undecodable``, ``self_box_no_pose FRAME`` (for
        each box without a pose at the stamp) and ``self_box_around_camera`` (a box that a camera
        without depth is inside of); each such mask or box marks nothing.

    Raises
    ------
    ConfigError
        If the file of a mask cannot be used.

    """

    def __init__(
        self, settings: AssemblerSettings, transforms: TransformBuffer, counters: Counter[str]
    ) -> None:
        self._settings = settings
        self._transforms = transforms
        self._counters = counters
        self._filed = {name: read_mask_file(path) for name, path in settings.self_masks.items()}
        self._fixed: dict[str, tuple[str, Mask]] = {}
        self._rays: dict[str, PixelRays] = {}

    def take_fixed(self, camera_id: str, message: Any) -> None:
        """
        Take a mask that holds for all images of a camera, until another one comes.

        Raises
        ------
        ConversionError
            If it cannot be decoded.

        """
        mask = mask_from_message(message, f'self_mask of {camera_id}')
        self._fixed[camera_id] = (frame_name(message.header.frame_id), mask)

    def may_come(self, look: Look, frame_id: str) -> bool:
        """
        Whether the pose of a box that the look needs may still come.

        Poses that are there are captured on the way.
        """
        late = [self._pose_may_come(look, frame_id, i) for i in range(len(self._boxes))]
        return any(late)

    def mark(
        self,
        camera_id: str,
        look: Look,
        frame_id: str,
        model: CameraModel,
        depth_m: NDArray[np.float32] | None,
    ) -> Mask | None:
        """
        Give the pixels of the own body, (H, W); None when there are none in the image.

        Parameters
        ----------
        camera_id : str
            The camera.
        look : Look
            What has come of it at the stamp.
        frame_id : str
            Its optical frame.
        model : CameraModel
            Of the images.
        depth_m : (H, W) float32, optional
            Metres.

        """
        masks = [self._fitted(mask, model) for mask in self._given(camera_id, look, frame_id)]
        masks += self._boxed(camera_id, look, frame_id, model, depth_m)
        found = [mask for mask in masks if mask is not None]
        body = np.logical_or.reduce(found) if found else None
        return body if body is not None and body.any() else None

    @property
    def _boxes(self) -> tuple[SelfBox, ...]:
        return self._settings.self_boxes

    def _given(self, camera_id: str, look: Look, frame_id: str) -> list[Mask]:
        """Masks from a file, from a message that holds for good, and from that of the stamp."""
        given = [self._filed[camera_id]] if camera_id in self._filed else []
        seen_in: list[tuple[str, Mask]] = []
        if camera_id in self._fixed:
            seen_in.append(self._fixed[camera_id])
        message = look.pieces.get(TopicKind.SELF_MASK)
        if message is not None:
            try:
                mask = mask_from_message(message, f'self_mask of {camera_id}')
                seen_in.append((frame_name(message.header.frame_id), mask))
            except ConversionError:
                self._counters['mask_undecodable'] += 1
        for frame, mask in seen_in:
            if frame in ('', frame_id):
                given.append(mask)
            else:
                self._counters['mask_in_other_frame'] += 1
        return given

    def _fitted(self, mask: Mask, model: CameraModel) -> Mask | None:
        if mask.shape == (model.height, model.width):
            return mask
        if not fits(mask.shape, model):
            self._counters['mask_size_mismatch'] += 1
            return None
        return resampled(mask, model)

    def _boxed(
        self,
        camera_id: str,
        look: Look,
        frame_id: str,
        model: CameraModel,
        depth_m: NDArray[np.float32] | None,
    ) -> list[Mask]:
        """One mask for each box that has a pose."""
        masks = []
        for index, box in enumerate(self._boxes):
            self._pose_may_come(look, frame_id, index)
            pose = look.camera_T_box.get(index)
            if pose is None:
                self._counters[f'self_box_no_pose {box.frame}'] += 1
                continue
            if depth_m is None and box.holds(pose.inverse().translation):
                self._counters['self_box_around_camera'] += 1
                continue
            masks.append(self._rays_of(camera_id, model).covered(box, pose, depth_m))
        return masks

    def _rays_of(self, camera_id: str, model: CameraModel) -> PixelRays:
        """Rays of a camera's pixels; worked out anew when its calibration changes."""
        rays = self._rays.get(camera_id)
        if rays is None or rays.model != model:
            rays = self._rays[camera_id] = PixelRays(model)
        return rays

    def _pose_may_come(self, look: Look, frame_id: str, index: int) -> bool:
        """Capture the pose of a box; whether one that is not there is worth waiting for."""
        if index in look.camera_T_box:
            return False
        box = self._boxes[index]
        try:
            camera_T_frame = self._transforms.lookup(
                frame_id,
                frame_name(box.frame),
                look.stamp_ns,
                max_gap_ns=self._settings.max_pose_gap_ns or None,
            )
        except TransformUnavailableError as error:
            return (
                error.failure is TransformFailure.TOO_NEW
                and error.gap_ns is not None
                and error.gap_ns <= self._settings.max_wait_ns
            )
        look.camera_T_box[index] = camera_T_frame @ box.frame_T_box
        return False
