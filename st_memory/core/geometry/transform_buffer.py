"""A tree of frames over time: transforms between any two of them at a stamp."""

from __future__ import annotations

from dataclasses import dataclass

from st_memory.core.errors import (
    TransformFailure,
    TransformTreeError,
    TransformUnavailableError,
)
from st_memory.core.geometry.pose_track import PoseTrack
from st_memory.core.geometry.se3 import RigidTransform

__all__ = ['TransformBuffer']


@dataclass
class _Link:
    """What connects a child frame to its parent: one pose for all time, or a track."""

    parent: str
    child: str
    pose: RigidTransform | PoseTrack

    def __str__(self) -> str:
        return f'link {self.parent} -> {self.child}'


class TransformBuffer:
    """
    Time-indexed transforms with the semantics of tf2, without its clock or its ten seconds.

    A lookup interpolates between the two samples around the stamp and never extrapolates; there
    is no "time zero means latest" (see :meth:`latest`). Static links hold at every stamp and are
    never compared by it. Leading slashes of frame names are dropped.

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
        self._max_age_ns = max_age_ns
        self._link_by_child: dict[str, _Link] = {}

    @property
    def frames(self) -> frozenset[str]:
        """Names of all frames that have a parent or a child."""
        parents = {link.parent for link in self._link_by_child.values()}
        return frozenset(parents.union(self._link_by_child))

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
        parent, child = parent.lstrip('/'), child.lstrip('/')
        link = self._link_by_child.get(child)
        if link is None:
            self._check_new(parent, child)
            link = _Link(parent, child, parent_T_child if static else PoseTrack(self._max_age_ns))
            self._link_by_child[child] = link
        elif link.parent != parent:
            raise TransformTreeError(
                f'frame {child}: expected parent {link.parent}, got a second parent {parent}'
            )
        if isinstance(link.pose, PoseTrack) is static:
            known, got = ('static', 'moving') if not static else ('moving', 'static')
            raise TransformTreeError(f'{link}: expected a {known} transform, got a {got} one')
        if isinstance(link.pose, PoseTrack):
            link.pose.insert(stamp_ns, parent_T_child)
        else:
            link.pose = parent_T_child

    def lookup(self, target_frame: str, source_frame: str, stamp_ns: int) -> RigidTransform:
        """
        Give ``target_T_source`` at a stamp.

        Parameters
        ----------
        target_frame, source_frame : str
            Frame to express in, frame the data is in.
        stamp_ns : int
            Stamp of the data.

        Raises
        ------
        TransformUnavailableError
            With its class, the link that failed, and how far the stamp is outside. Of several
            failing links, one that is TOO_OLD (waiting will not help) comes first, then the
            widest gap.

        """
        up, down = self._chains(target_frame, source_frame, stamp_ns)
        self._check_stamp((*up, *down), target_frame, source_frame, stamp_ns)
        target_T_source = RigidTransform.identity()
        for link in up:
            target_T_source = target_T_source @ _pose_at(link, stamp_ns).inverse()
        for link in reversed(down):
            target_T_source = target_T_source @ _pose_at(link, stamp_ns)
        return target_T_source

    def can_transform(self, target_frame: str, source_frame: str, stamp_ns: int) -> bool:
        """Whether :meth:`lookup` would succeed."""
        try:
            up, down = self._chains(target_frame, source_frame, stamp_ns)
            self._check_stamp((*up, *down), target_frame, source_frame, stamp_ns)
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
        up, down = self._chains(target_frame, source_frame, None)
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
        self._link_by_child = {
            child: link
            for child, link in self._link_by_child.items()
            if not isinstance(link.pose, PoseTrack)
        }

    def _check_new(self, parent: str, child: str) -> None:
        """Refuse a first link with an empty name or one that would close a loop."""
        if not parent or not child:
            raise TransformTreeError(
                f'frame names: expected two names, got parent {parent!r} and child {child!r}'
            )
        ancestor: str | None = parent
        while ancestor is not None:
            if ancestor == child:
                raise TransformTreeError(f'link {parent} -> {child}: would close a loop')
            link = self._link_by_child.get(ancestor)
            ancestor = None if link is None else link.parent

    def _chains(
        self, target_frame: str, source_frame: str, stamp_ns: int | None
    ) -> tuple[list[_Link], list[_Link]]:
        """Links from target and from source up to their first common ancestor."""
        target, source = target_frame.lstrip('/'), source_frame.lstrip('/')
        for name in (target, source):
            if not self._is_known(name):
                raise TransformUnavailableError(
                    target,
                    source,
                    stamp_ns,
                    TransformFailure.UNKNOWN_FRAME,
                    f'frame {name!r} was never seen',
                )
        up, down = self._links_to_root(target), self._links_to_root(source)
        root_of_target = up[-1].parent if up else target
        root_of_source = down[-1].parent if down else source
        if root_of_target != root_of_source:
            raise TransformUnavailableError(
                target,
                source,
                stamp_ns,
                TransformFailure.NOT_CONNECTED,
                f'root of {target} is {root_of_target}, root of {source} is {root_of_source}',
            )
        while up and down and up[-1] is down[-1]:
            up.pop()
            down.pop()
        return up, down

    def _is_known(self, frame: str) -> bool:
        links = self._link_by_child
        return frame in links or any(link.parent == frame for link in links.values())

    def _links_to_root(self, frame: str) -> list[_Link]:
        """Links from a frame upwards."""
        links = []
        link = self._link_by_child.get(frame)
        while link is not None:
            links.append(link)
            link = self._link_by_child.get(link.parent)
        return links

    def _check_stamp(
        self, links: tuple[_Link, ...], target_frame: str, source_frame: str, stamp_ns: int
    ) -> None:
        """Raise for the worst link that does not cover a stamp."""
        worst: tuple[bool, int, _Link] | None = None
        for link in links:
            if not isinstance(link.pose, PoseTrack):
                continue
            too_old = link.pose.oldest_ns - stamp_ns
            gap = max(too_old, stamp_ns - link.pose.newest_ns)
            if gap > 0 and (worst is None or (too_old > 0, gap) > worst[:2]):
                worst = (too_old > 0, gap, link)
        if worst is not None:
            is_too_old, gap, link = worst
            raise TransformUnavailableError(
                target_frame.lstrip('/'),
                source_frame.lstrip('/'),
                stamp_ns,
                TransformFailure.TOO_OLD if is_too_old else TransformFailure.TOO_NEW,
                str(link),
                gap,
            )


def _pose_at(link: _Link, stamp_ns: int) -> RigidTransform:
    return link.pose.at(stamp_ns) if isinstance(link.pose, PoseTrack) else link.pose
