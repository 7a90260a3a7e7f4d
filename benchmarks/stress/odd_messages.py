"""Messages of every kind, mostly right, with fields that no sender should send."""

from __future__ import annotations

from collections.abc import Callable
import random
from types import SimpleNamespace
from typing import Any

import numpy as np

from st_memory.conversions import TopicKind, TopicRole
from st_memory.conversions.compressed_depth import encode_depth_png

__all__ = ['OddMessages']

_INTS = (0, 1, -1, 3, 255, 65535, 2**31 - 1, -(2**31))
_COUNTS = (0, 1, 2, 3, 5, 255, 65536, 2**32 - 1)
_FLOATS = (0.0, -0.0, 1.0, -1.0, 1e-30, 1e30, 1.7e308, float('nan'), float('inf'), -float('inf'))
_TEXTS = ('', '/', 'map', 'optical', '/map', 'infra', '\0', 'a\nb', '\ud800', 'x' * 2000, '16UC1',
          '32FC1', 'mono16', 'rgb8', '16UC1; compressedDepth rvl', '32FC1; compressedDepth',
          'plumb_bob', 'equidistant', 'fisheye624', 'double_sphere')  # fmt: skip
_UNSIGNED = {'width', 'height', 'step', 'nanosec', 'point_step', 'row_step', 'offset', 'binning_x',
             'binning_y', 'x_offset', 'y_offset', 'datatype'}  # fmt: skip
_FIXED = {'k', 'p'}  # arrays whose length is part of the type
_START_NS = 10**18
_STEP_NS = 10**7
_CAMERAS = ('head', 'hand')


class OddMessages:
    """
    An endless row of messages that is the same for the same seed.

    Parameters
    ----------
    seed : int
        Of the random numbers.
    odd_share : float
        Share of the messages with one to four odd fields.

    """

    def __init__(self, seed: int, odd_share: float = 0.5) -> None:
        self._random = random.Random(seed)  # noqa: S311 - no secrets, but the same every time
        self._odd_share = odd_share
        self._now_ns = _START_NS
        depth_m = np.linspace(0.5, 4.0, 12, dtype=np.float32).reshape(3, 4)
        self._png = encode_depth_png(depth_m)
        self._makers: tuple[Callable[[], tuple[TopicRole, Any]], ...] = (
            self._tf, self._tf, self._info, self._depth, self._packed_depth, self._cloud,
            self._found, self._vision, self._world, self._joints, self._moves, self._mask,
        )  # fmt: skip

    def take(self) -> tuple[TopicRole, Any]:
        """Give the next message and what it is for."""
        rng = self._random
        self._now_ns += rng.randrange(_STEP_NS)
        if rng.random() < 1e-3:  # a jump of the clock, or a pause
            self._now_ns = max(_START_NS, self._now_ns + rng.choice((-1, 1)) * 5 * 10**9)
        role, message = rng.choice(self._makers)()
        if rng.random() < self._odd_share:
            for _ in range(rng.randint(1, 4)):
                self._spoil(message)
        return role, message

    def _spoil(self, message: Any) -> None:
        """Change one field somewhere inside."""
        rng = self._random
        while True:
            name = rng.choice(list(vars(message)))
            value = getattr(message, name)
            if isinstance(value, SimpleNamespace):
                message = value
            elif isinstance(value, list) and value and rng.random() < 0.8:
                item = rng.choice(value)
                if not isinstance(item, SimpleNamespace):
                    value[rng.randrange(len(value))] = self._odd(name, item)
                    return
                message = item
            else:
                setattr(message, name, self._odd(name, value))
                return

    def _odd(self, name: str, value: Any) -> Any:
        rng = self._random
        if isinstance(value, bool):
            return not value
        if isinstance(value, int):
            return rng.choice(_COUNTS if name in _UNSIGNED else _INTS)
        if isinstance(value, float):
            return rng.choice(_FLOATS)
        if isinstance(value, str):
            return rng.choice(_TEXTS)
        if isinstance(value, list):
            return rng.choice(([], value * 2, value[:1]))
        kept = value[: rng.randrange(len(value) + 1)].copy()
        if name in _FIXED:
            kept = value.copy()
        if len(kept) and rng.random() < 0.5:
            odd = rng.choice(_FLOATS) if kept.dtype.kind == 'f' else rng.randrange(256)
            kept[rng.randrange(len(kept))] = odd
        return kept

    def _header(self, frame_id: str = 'optical') -> SimpleNamespace:
        sec, nanosec = divmod(self._now_ns - self._now_ns % _STEP_NS, 10**9)
        return SimpleNamespace(stamp=SimpleNamespace(sec=sec, nanosec=nanosec), frame_id=frame_id)

    def _camera(self, kind: TopicKind) -> TopicRole:
        return TopicRole(kind, self._random.choice(_CAMERAS))

    def _tf(self) -> tuple[TopicRole, Any]:
        rng = self._random
        static = rng.random() < 0.1
        parent, child = rng.choice((('map', 'optical'), ('optical', 'infra'), ('map', 'base')))
        item = SimpleNamespace(
            header=self._header(parent),
            child_frame_id=child,
            transform=SimpleNamespace(translation=_xyz(rng.random()), rotation=_upright()),
        )
        role = TopicRole(TopicKind.TF_STATIC if static else TopicKind.TF)
        return role, SimpleNamespace(transforms=[item])

    def _info(self) -> tuple[TopicRole, Any]:
        kind = self._random.choice((TopicKind.CAMERA_INFO, TopicKind.DEPTH_INFO))
        return self._camera(kind), SimpleNamespace(
            header=self._header(),
            width=4,
            height=3,
            distortion_model='plumb_bob',
            d=np.zeros(5),
            k=np.array([5.0, 0, 1.5, 0, 5.0, 1.0, 0, 0, 1]),
            p=np.zeros(12),
            binning_x=0,
            binning_y=0,
            roi=SimpleNamespace(x_offset=0, y_offset=0, width=0, height=0, do_rectify=False),
        )

    def _depth(self) -> tuple[TopicRole, Any]:
        return self._camera(TopicKind.DEPTH), SimpleNamespace(
            header=self._header(self._random.choice(('optical', 'infra'))),
            width=4,
            height=3,
            step=8,
            encoding='16UC1',
            is_bigendian=0,
            data=np.full(24, 7, dtype=np.uint8),
        )

    def _packed_depth(self) -> tuple[TopicRole, Any]:
        text = self._random.choice(
            (
                '16UC1; compressedDepth png',
                '32FC1; compressedDepth png',
                '16UC1; compressedDepth rvl',
            )
        )
        data = np.frombuffer(self._png, dtype=np.uint8).copy()
        if text.endswith('rvl'):
            data = np.concatenate([data[:12], np.array([4, 0, 0, 0, 3, 0, 0, 0], np.uint8), data])
        return self._camera(TopicKind.DEPTH), SimpleNamespace(
            header=self._header(), format=text, data=data
        )

    def _cloud(self) -> tuple[TopicRole, Any]:
        return self._camera(TopicKind.DEPTH), SimpleNamespace(
            header=self._header(self._random.choice(('optical', 'infra'))),
            width=6,
            height=1,
            fields=[
                SimpleNamespace(name=name, offset=4 * i, datatype=7, count=1)
                for i, name in enumerate('xyz')
            ],
            is_bigendian=False,
            point_step=12,
            row_step=72,
            data=np.ones(18, dtype=np.float32).view(np.uint8),
            is_dense=True,
        )

    def _found(self) -> tuple[TopicRole, Any]:
        return self._camera(TopicKind.DETECTIONS), self._detections()

    def _world(self) -> tuple[TopicRole, Any]:
        return TopicRole(TopicKind.WORLD_DETECTIONS), self._detections()

    def _detections(self) -> Any:
        item = SimpleNamespace(
            id='cup_1', label='cup', score=0.5, x=1.0, y=1.0, width=2.0, height=1.0, has_pose=True,
            pose=SimpleNamespace(position=_xyz(1.0), orientation=_upright()), size=_xyz(0.1),
            embedding=[0.5, 0.5],
        )  # fmt: skip
        return SimpleNamespace(header=self._header(), source='test', detections=[item])

    def _vision(self) -> tuple[TopicRole, Any]:
        hypothesis = SimpleNamespace(class_id='cup', score=0.5)
        item = SimpleNamespace(
            header=self._header(),
            id='7',
            results=[SimpleNamespace(hypothesis=hypothesis)],
            bbox=SimpleNamespace(
                center=SimpleNamespace(position=_xyz(1.0), theta=0.0), size_x=2.0, size_y=1.0
            ),
        )
        message = SimpleNamespace(header=self._header(), detections=[item])
        return self._camera(TopicKind.DETECTIONS), message

    def _joints(self) -> tuple[TopicRole, Any]:
        return TopicRole(TopicKind.JOINTS), SimpleNamespace(
            header=self._header(''), name=['hinge'], position=np.array([0.5])
        )

    def _moves(self) -> tuple[TopicRole, Any]:
        times = {name: self._header().stamp for name in ('start', 'end')}
        tube = SimpleNamespace(role='object', object_id='cup_1', label='cup', boxes=[])
        event = SimpleNamespace(
            event_type='movement', ongoing=False, roles=[tube], source='', **times
        )
        return TopicRole(TopicKind.MOVEMENTS), SimpleNamespace(
            header=self._header(''), events=[event]
        )

    def _mask(self) -> tuple[TopicRole, Any]:
        return self._camera(TopicKind.SELF_MASK), SimpleNamespace(
            header=self._header(),
            width=4,
            height=3,
            step=4,
            encoding='mono8',
            is_bigendian=0,
            data=np.zeros(12, dtype=np.uint8),
        )


def _xyz(value: float) -> SimpleNamespace:
    return SimpleNamespace(x=value, y=value, z=value)


def _upright() -> SimpleNamespace:
    return SimpleNamespace(x=0.0, y=0.0, z=0.0, w=1.0)
