"""The tree of frames: its links, its rules, and which links have no pose at a stamp."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from st_memory.core.errors import (
    TransformFailure,
    TransformTreeError,
    TransformUnavailableError,
)
from st_memory.core.geometry.pose_track import PoseTrack
from st_memory.core.geometry.se3 import RigidTransform

__all__ = ['FrameTree', 'Link', 'Shortfall', 'worst_shortfall']

# Of several failing links the one that waiting helps least comes first.
_RANK = {TransformFailure.TOO_NEW: 0, TransformFailure.IN_GAP: 1, TransformFailure.TOO_OLD: 2}


@dataclass
class Link:
    """What connects a child frame to its parent: one pose for all time, or a track."""

    parent: str
    child: str
    pose: RigidTransform | PoseTrack

    def __str__(self) -> str:
        return f'link {self.parent} -> {self.child}'

    def at(self, stamp_ns: int) -> RigidTransform:
        """Give ``parent_T_child`` at a stamp that has one."""
        return self.pose.at(stamp_ns) if isinstance(self.pose, PoseTrack) else self.pose


class FrameTree:
    """
    Frames and the links between them: one parent each, no loops, static or moving.

    Parameters
    ----------
    max_age_ns : int, optional
        Of the samples of each moving link.

    """

    def __init__(self, max_age_ns: int | None) -> None:
        self._max_age_ns = max_age_ns
        self._link_by_child: dict[str, Link] = {}

    @property
    def frames(self) -> frozenset[str]:
        """Names of all frames that have a parent or a child."""
        parents = {link.parent for link in self._link_by_child.values()}
        return frozenset(parents.union(self._link_by_child))

    def remove(self, link: Link) -> None:
        """Forget a link."""
        del self._link_by_child[link.child]

    def clear(self) -> None:
        """Forget all moving links."""
        self._link_by_child = {
            child: link
            for child, link in self._link_by_child.items()
            if not isinstance(link.pose, PoseTrack)
        }

    def link(self, parent: str, child: str, static_pose: RigidTransform | None) -> Link:
        """
        Give the link of a child, made when it is new.

        Parameters
        ----------
        parent, child : str
            Names of the frames; leading slashes are dropped.
        static_pose : RigidTransform, optional
            Of a static link; None for a moving one.

        Raises
        ------
        TransformTreeError
            If it does not fit the tree.

        """
        parent, child = parent.lstrip('/'), child.lstrip('/')
        link = self._link_by_child.get(child)
        if link is None:
            self._check_new(parent, child)
            link = Link(parent, child, static_pose or PoseTrack(self._max_age_ns))
            self._link_by_child[child] = link
        elif link.parent != parent:
            raise TransformTreeError(
                f'frame {child}: expected parent {link.parent}, got a second parent {parent}'
            )
        is_static = static_pose is not None
        if isinstance(link.pose, PoseTrack) is is_static:
            known, got = ('moving', 'static') if is_static else ('static', 'moving')
            raise TransformTreeError(f'{link}: expected a {known} transform, got a {got} one')
        return link

    def chains(
        self, target_frame: str, source_frame: str, stamp_ns: int | None
    ) -> tuple[list[Link], list[Link]]:
        """
        Give the links from target and from source up to their first common ancestor.

        Raises
        ------
        TransformUnavailableError
            If a frame is unknown or the two are not connected.

        """
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

    def _is_known(self, frame: str) -> bool:
        links = self._link_by_child
        return frame in links or any(link.parent == frame for link in links.values())

    def _links_to_root(self, frame: str) -> list[Link]:
        """Links from a frame upwards."""
        links = []
        link = self._link_by_child.get(frame)
        while link is not None:
            links.append(link)
            link = self._link_by_child.get(link.parent)
        return links


class Shortfall(NamedTuple):
    """Why a link has no pose at a stamp, and by how many nanoseconds."""

    failure: TransformFailure
    gap_ns: int
    link: Link


def worst_shortfall(
    links: Iterable[Link], stamp_ns: int, max_gap_ns: int | None
) -> Shortfall | None:
    """
    Give the worst reason why links have no pose at a stamp; None when all have one.

    Parameters
    ----------
    links : iterable of Link
        Those that a lookup goes over.
    stamp_ns : int
        Nanoseconds.
    max_gap_ns : int, optional
        Two samples further apart than this are not interpolated between.

    """
    found = [s for link in links if (s := _shortfall(link, stamp_ns, max_gap_ns)) is not None]
    return max(found, key=lambda s: (_RANK[s.failure], s.gap_ns), default=None)


def _shortfall(link: Link, stamp_ns: int, max_gap_ns: int | None) -> Shortfall | None:
    track = link.pose
    if not isinstance(track, PoseTrack):
        return None
    if (gap_ns := track.oldest_ns - stamp_ns) > 0:
        return Shortfall(TransformFailure.TOO_OLD, gap_ns, link)
    if (gap_ns := stamp_ns - track.newest_ns) > 0:
        return Shortfall(TransformFailure.TOO_NEW, gap_ns, link)
    if max_gap_ns is not None and (gap_ns := track.gap_around(stamp_ns)) > max_gap_ns:
        return Shortfall(TransformFailure.IN_GAP, gap_ns, link)
    return None
