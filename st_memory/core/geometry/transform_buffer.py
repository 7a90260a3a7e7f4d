"""A tree of frames over time: transforms between any two of them at a stamp."""

from __future__ import annotations

from functools import reduce
from operator import matmul

from numpy.typing import ArrayLike

from st_memory.core.errors import TransformUnavailableError
from st_memory.core.geometry.frame_tree import FrameTree, Link, worst_shortfall
from st_memory.core.geometry.pose_track import PoseTrack
from st_memory.core.geometry.se3 import RigidTransform

__all__ = ['TransformBuffer']


class TransformBuffer:
    """
    Time-indexed transforms with the semantics of tf2, without its clock or its ten seconds.

    A lookup interpolates between the two samples around the stamp, across a gap only as far as it
    is told to, and never extrapolates; there is no "time zero means latest" (see :meth:`latest`).
    Static links hold at every stamp and are never compared by it. Leading slashes of frame names
    are dropped.

    Parameters
    ----------
    max_age_ns : int, optional
        Each moving link forgets samples older than its newest by more than this; None keeps all
        (64 bytes a sample: 10 h at 200 Hz is 461 MB).

    Raises
    ------
    ValueError
        If ``max_age_ns`` is negative.

    Notes
    -----
    A frame has one parent, and a link is either static or moving, until :meth:`clear`; samples
    that would change that are refused. A lookup costs O(log n) in the samples of each link.
    Not thread-safe: one owner.

    References
    ----------
    .. [1] T. Foote, "tf: The Transform Library", TePRA 2013.

    """

    def __init__(self, max_age_ns: int | None = None) -> None:
        if max_age_ns is not None and max_age_ns < 0:
            raise ValueError(f'max_age_ns: expected >= 0, got {max_age_ns}')
        self._tree = FrameTree(max_age_ns)

    @property
    def frames(self) -> frozenset[str]:
        """Names of all frames that have a parent or a child."""
        return self._tree.frames

    def set_transform(
        self,
        parent: str,
        child: str,
        stamp_ns: int,
        parent_T_child: RigidTransform,
        static: bool = False,
    ) -> None:
        """
        Add a sample; one of the same stamp is replaced, late ones are put in their place.

        Parameters
        ----------
        parent, child : str
            Names of the frames (``header.frame_id``, ``child_frame_id``).
        stamp_ns : int
            When the pose was true; ignored for static links.
        parent_T_child : RigidTransform
            Pose of ``child`` in ``parent``.
        static : bool
            The pose holds at all stamps, and replaces an earlier static one.

        Raises
        ------
        TransformTreeError
            If a name is empty, the child already has another parent, the link would close a
            loop, or it is already known as static and now moves (or the reverse).

        """
        link = self._tree.link(parent, child, parent_T_child if static else None)
        if isinstance(link.pose, PoseTrack):
            link.pose.insert(stamp_ns, parent_T_child)
        else:
            link.pose = parent_T_child

    def set_track(
        self,
        parent: str,
        child: str,
        stamps_ns: ArrayLike,
        translations: ArrayLike,
        quats_xyzw: ArrayLike,
    ) -> None:
        """
        Append many samples of a moving link, all newer than those it has.

        Parameters
        ----------
        parent, child : str
            Names of the frames.
        stamps_ns : (N,) int64
            Strictly increasing.
        translations, quats_xyzw : (N, 3) and (N, 4) float64
            Poses of ``child`` in ``parent``; metres, and x, y, z, w of unit length within 1e-3.

        Raises
        ------
        TransformTreeError
            As in :meth:`set_transform`.
        ValueError
            If a shape is wrong, the stamps do not increase, or a pose is not rigid.

        """
        link = self._tree.link(parent, child, None)
        if isinstance(link.pose, PoseTrack):
            try:
                link.pose.extend(stamps_ns, translations, quats_xyzw)
            finally:
                if not len(link.pose):
                    self._tree.remove(link)

    def lookup(
        self,
        target_frame: str,
        source_frame: str,
        stamp_ns: int,
        *,
        max_gap_ns: int | None = None,
    ) -> RigidTransform:
        """
        Give ``target_T_source`` at a stamp.

        Parameters
        ----------
        target_frame, source_frame : str
            Frame to express in, frame the data is in.
        stamp_ns : int
            Stamp of the data.
        max_gap_ns : int, optional
            Samples further apart than this are not interpolated between: a hole of seconds says
            nothing of what happened in it. None: any two samples will do.

        Raises
        ------
        TransformUnavailableError
            With its class, the link that failed, and by how much: how far the stamp is outside,
            or how wide the gap is that it is in. Of several failing links, one that is TOO_OLD
            (waiting will not help) comes first, then one IN_GAP, then the widest gap.

        """
        up, down = self._tree.chains(target_frame, source_frame, stamp_ns)
        self._check_stamp((*up, *down), target_frame, source_frame, stamp_ns, max_gap_ns)
        poses = [link.at(stamp_ns).inverse() for link in up]
        poses += [link.at(stamp_ns) for link in reversed(down)]
        return reduce(matmul, poses) if poses else RigidTransform.identity()

    def lookup_through(
        self,
        target_frame: str,
        target_stamp_ns: int,
        source_frame: str,
        source_stamp_ns: int,
        fixed_frame: str,
        *,
        max_gap_ns: int | None = None,
    ) -> RigidTransform:
        """
        Give ``target_T_source`` for two stamps: where data of one time is seen from at another.

        Parameters
        ----------
        target_frame, source_frame : str
            Frame to express in, frame the data is in.
        target_stamp_ns, source_stamp_ns : int
            When the target frame is looked at, and the stamp of the data.
        fixed_frame : str
            Frame that the data does not move in meanwhile.
        max_gap_ns : int, optional
            As in :meth:`lookup`.

        Raises
        ------
        TransformUnavailableError
            As in :meth:`lookup`, naming the fixed frame and the side that failed, the target
            first.

        """
        target_T_fixed = self.lookup(
            target_frame, fixed_frame, target_stamp_ns, max_gap_ns=max_gap_ns
        )
        return target_T_fixed @ self.lookup(
            fixed_frame, source_frame, source_stamp_ns, max_gap_ns=max_gap_ns
        )

    def can_transform(
        self,
        target_frame: str,
        source_frame: str,
        stamp_ns: int,
        *,
        max_gap_ns: int | None = None,
    ) -> bool:
        """Whether :meth:`lookup` would succeed."""
        try:
            up, down = self._tree.chains(target_frame, source_frame, stamp_ns)
            self._check_stamp((*up, *down), target_frame, source_frame, stamp_ns, max_gap_ns)
        except TransformUnavailableError:
            return False
        return True

    def newest_stamp(self, target_frame: str, source_frame: str) -> int | None:
        """
        Give the newest stamp that is not TOO_NEW for any link between two frames.

        Returns
        -------
        int or None
            Nanoseconds; None if all links are static, so that every stamp will do.

        Raises
        ------
        TransformUnavailableError
            If a frame is unknown or the two are not connected.

        """
        up, down = self._tree.chains(target_frame, source_frame, None)
        newest = [link.pose.newest_ns for link in (*up, *down) if isinstance(link.pose, PoseTrack)]
        return min(newest, default=None)

    def latest(self, target_frame: str, source_frame: str) -> tuple[RigidTransform, int | None]:
        """
        Give ``target_T_source`` at :meth:`newest_stamp`, and that stamp.

        For displays and diagnosis: a measurement is never placed with it.

        Raises
        ------
        TransformUnavailableError
            As in :meth:`lookup`; TOO_OLD if the links have no stamp in common.

        """
        stamp_ns = self.newest_stamp(target_frame, source_frame)
        return self.lookup(target_frame, source_frame, stamp_ns or 0), stamp_ns

    def clear(self) -> None:
        """Forget all moving links, for a new epoch; static ones stay."""
        self._tree.clear()

    def _check_stamp(
        self,
        links: tuple[Link, ...],
        target_frame: str,
        source_frame: str,
        stamp_ns: int,
        max_gap_ns: int | None = None,
    ) -> None:
        """Raise for the worst link that has no pose at a stamp."""
        worst = worst_shortfall(links, stamp_ns, max_gap_ns)
        if worst is not None:
            raise TransformUnavailableError(
                target_frame.lstrip('/'),
                source_frame.lstrip('/'),
                stamp_ns,
                worst.failure,
                str(worst.link),
                worst.gap_ns,
            )
