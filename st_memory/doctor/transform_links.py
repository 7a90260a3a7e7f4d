"""The links of the transform tree that a bag holds."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from st_memory.bags import BagSurvey, open_bag
from st_memory.conversions import TopicKind
from st_memory.conversions.transforms import transforms_from_message
from st_memory.core.stamps import seconds_from_stamp

__all__ = ['TransformLink', 'drawn_tree', 'reachable_frames', 'read_links']


@dataclass(frozen=True)
class TransformLink:
    """
    One link of the tree.

    Parameters
    ----------
    parent, child : str
        Frames, without leading slash.
    static : bool
        From ``/tf_static``.
    count : int
        How many transforms it has.
    first_ns, last_ns : int
        Range of their stamps, nanoseconds.

    """

    parent: str
    child: str
    static: bool
    count: int
    first_ns: int
    last_ns: int

    def __str__(self) -> str:
        """Say how often the child is placed."""
        if self.static:
            return 'static'
        span_s = seconds_from_stamp(self.last_ns - self.first_ns)
        rate = f', {(self.count - 1) / span_s:.1f} Hz' if span_s > 0 else ''
        return f'{self.count} transforms{rate}'


def read_links(path: Path, surveyed: BagSurvey) -> tuple[TransformLink, ...]:
    """
    Read all transforms of a bag and sum them up by link, sorted by parent and child.

    Raises
    ------
    BagError
        If the bag is damaged within.

    """
    is_static = {
        topic.topic: topic.role.kind is TopicKind.TF_STATIC
        for topic in surveyed.topics
        if topic.role is not None and topic.role.kind in (TopicKind.TF, TopicKind.TF_STATIC)
    }
    stamps: dict[tuple[str, str, bool], list[int]] = {}
    with open_bag(path) as reader:
        for message in reader.messages(is_static):
            static = is_static[message.topic]
            for link in transforms_from_message(message.read(), static=static)[0]:
                key = (link.parent, link.child, static)
                known = stamps.setdefault(key, [0, link.stamp_ns, link.stamp_ns])
                known[0] += 1
                known[1] = min(known[1], link.stamp_ns)
                known[2] = max(known[2], link.stamp_ns)
    return tuple(TransformLink(*key, *stamps[key]) for key in sorted(stamps))


def reachable_frames(links: tuple[TransformLink, ...], start: str) -> frozenset[str]:
    """Give all frames that are connected with a frame, itself included."""
    neighbours: dict[str, set[str]] = {}
    for link in links:
        neighbours.setdefault(link.parent, set()).add(link.child)
        neighbours.setdefault(link.child, set()).add(link.parent)
    found, waiting = {start}, [start]
    while waiting:
        for name in neighbours.get(waiting.pop(), set()) - found:
            found.add(name)
            waiting.append(name)
    return frozenset(found)


def drawn_tree(links: tuple[TransformLink, ...]) -> list[str]:
    """
    Draw the tree, one frame a line.

    A frame with two parents stands below both, and what hangs on it below the first; frames of a
    loop are drawn from the one whose name comes first.
    """
    children: dict[str, list[TransformLink]] = {}
    for link in links:
        children.setdefault(link.parent, []).append(link)
    roots = sorted(set(children) - {link.child for link in links})
    lines: list[str] = []
    drawn: set[str] = set()
    for start in (*roots, *sorted(children)):
        if start in drawn:
            continue
        lines.append(start)
        drawn.add(start)
        waiting = [('', link, link is children[start][-1]) for link in reversed(children[start])]
        while waiting:
            indent, link, is_last = waiting.pop()
            lines.append(f'{indent}{"└─" if is_last else "├─"} {link.child} ({link})')
            if link.child in drawn:
                continue
            drawn.add(link.child)
            below = children.get(link.child, [])
            inner = indent + ('   ' if is_last else '│  ')
            waiting += [(inner, item, item is below[-1]) for item in reversed(below)]
    return lines
