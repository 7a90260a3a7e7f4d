"""What the spatial questions about an anchor would be answered with, and by which references."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from st_memory.benchmark.questions.anchors import Anchor
from st_memory.benchmark.questions.rules import WritingRules
from st_memory.benchmark.questions.tracks import Mark, ObjectTrack, SceneTracks
from st_memory.core.geometry import RigidTransform
from st_memory.core.queries import format_named
from st_memory.core.records import Visibility
from st_memory.core.stamps import stamp_from_seconds

__all__ = ['Draft', 'Reference', 'draft_of']


class Reference(NamedTuple):
    """
    A visible object that the target is placed relative to.

    Attributes
    ----------
    track : ObjectTrack
        The object.
    mark : Mark
        Where it shows at the time of the question.
    relation : str
        Class of where the target lies round it.
    distance_m : float
        How far the two are apart.

    """

    track: ObjectTrack
    mark: Mark
    relation: str
    distance_m: float


class Draft(NamedTuple):
    """An anchor with the class of its direction, its distance, and possible references."""

    anchor: Anchor
    direction: str
    distance_m: float
    references: tuple[Reference, ...]


def draft_of(tracks: SceneTracks, anchor: Anchor, rules: WritingRules) -> Draft | None:
    """
    Work out the spatial answers of an anchor.

    Returns
    -------
    Draft or None
        None without a camera pose, within the margins of the directions, without a fixture, or
        without a reference object.

    """
    world_T_camera = tracks.world_T_camera[anchor.query]
    if world_T_camera is None or not anchor.track.fixture_ids[anchor.query]:
        return None
    x, y, z = world_T_camera.inverse().apply(anchor.track.world_p[anchor.query]).tolist()
    direction = format_named(rules.format).direction((x, y, z))
    references = tuple(_references(tracks, anchor, rules, world_T_camera))
    if not direction or not references:
        return None
    return Draft(anchor, direction, float(np.linalg.norm((x, y, z))), references)


def _references(
    tracks: SceneTracks, anchor: Anchor, rules: WritingRules, world_T_camera: RigidTransform
) -> Iterator[Reference]:
    """Give what shows stably, was moved before, and is well inside the image."""
    form, query = format_named(rules.format), anchor.query
    stamp_ns = int(tracks.stamps_ns[query])
    for track in tracks.objects:
        if track is anchor.track or not _is_stable(tracks, track, query, rules):
            continue
        moved = track.last_movement(stamp_ns)
        if moved is None or not _is_inside(tracks, track, query, rules):
            continue
        offset = anchor.track.world_p[query] - track.world_p[query]
        x, y, z = (world_T_camera.rotation.T @ offset).tolist()
        relation = form.relation((x, y, z))
        if relation:
            u, v = track.pixels[query].tolist()
            mark = Mark(stamp_ns, u, v)
            yield Reference(track, mark, relation, float(np.linalg.norm(offset)))


def _is_stable(tracks: SceneTracks, track: ObjectTrack, query: int, rules: WritingRules) -> bool:
    """Whether it is visible and at rest at a sample and around it."""
    stamps = tracks.stamps_ns
    margin_ns = stamp_from_seconds(rules.margin_s)
    near = np.abs(stamps - stamps[query]) <= margin_ns // 2
    if not (track.states[near] == Visibility.VISIBLE).all():
        return False
    return bool(np.isfinite(track.world_p[query]).all())


def _is_inside(tracks: SceneTracks, track: ObjectTrack, query: int, rules: WritingRules) -> bool:
    u, v = track.pixels[query].tolist()
    width, height = tracks.camera.width, tracks.camera.height
    share = rules.edge_share
    return bool(
        share * width <= u <= (1 - share) * width and share * height <= v <= (1 - share) * height
    )
