"""A scene with what its description says of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
import difflib
from fnmatch import fnmatchcase

import numpy as np
from numpy.typing import NDArray

from st_memory.core.geometry import FaceCounts, JointTree
from st_memory.core.records import Articulation, Fixture, Scene, ScenePart
from st_memory.scene.description import FixtureEntry, PartRule, SceneDescription
from st_memory.scene.fixtures import fixture_label, make_fixture
from st_memory.scene.meshes import SceneFileError
from st_memory.scene.report import LoadedScene, rest_vertices, SceneReport

__all__ = ['describe']

Floats = NDArray[np.float64]

_NOTHING = SceneReport(0, 0, FaceCounts(), (), (0.0, 0.0, 0.0))


def describe(base: LoadedScene | None, description: SceneDescription) -> LoadedScene:
    """
    Lay a description over the scene that it is about.

    Parameters
    ----------
    base : LoadedScene, optional
        The scene; None when the description names no file.
    description : SceneDescription
        What is said of it.

    Returns
    -------
    LoadedScene
        With parts on the frames and joints that the description gives them, and its fixtures.

    Raises
    ------
    SceneFileError
        If a rule matches no part, a part hangs on something already, or a fixture has neither
        parts nor a box.

    """
    scene, report, _ = base if base is not None else LoadedScene(Scene(), _NOTHING)
    _check_rules(description, scene)
    drawn = rest_vertices(scene)
    parts = tuple(
        _hung(part, _rule_of(part, description.parts), description) for part in scene.parts
    )
    articulation = scene.articulation
    if description.joints:
        try:
            articulation = Articulation(JointTree(g.joint for g in description.joints))
        except ValueError as error:
            raise SceneFileError(f'{description.path}.joints: {error}') from error
    changed = {p.fixture_id for p, was in zip(parts, scene.parts, strict=True) if p is not was}
    changed |= {was.fixture_id for p, was in zip(parts, scene.parts, strict=True) if p is not was}
    fixtures = _fixtures(
        {f.fixture_id: f for f in scene.fixtures}, changed, parts, drawn, description
    )
    described = Scene(parts, fixtures, articulation)
    if not (parts or fixtures or description.mesh_topics):
        raise SceneFileError(
            f'{description.path}: expected a scene, fixtures or mesh_topics, found none'
        )
    report = replace(report, num_parts=len(parts), num_fixtures=len(fixtures))
    return LoadedScene(described, report, description.mesh_topics)


def _check_rules(description: SceneDescription, scene: Scene) -> None:
    names = [p.name for p in scene.parts]
    for index, rule in enumerate(description.parts):
        if not any(fnmatchcase(name, rule.pattern) for name in names):
            near = difflib.get_close_matches(rule.pattern, names, 1)
            hint = f'did you mean {near[0]!r}?' if near else f'the scene has {len(names)} parts'
            raise SceneFileError(
                f'{description.path}.parts[{index}].match: {rule.pattern!r} matches no part '
                f'({hint})'
            )


def _rule_of(part: ScenePart, rules: Sequence[PartRule]) -> PartRule | None:
    return next((r for r in rules if fnmatchcase(part.name, r.pattern)), None)


def _hung(part: ScenePart, rule: PartRule | None, description: SceneDescription) -> ScenePart:
    """Give a part its fixture, and its frame with the vertices in it."""
    if rule is None:
        return part
    fixture_id = part.fixture_id if rule.fixture_id is None else rule.fixture_id
    frame_id, world_T_frame = rule.frame_id, rule.world_T_frame
    if rule.joint:
        given = next(g for g in description.joints if g.joint.name == rule.joint)
        frame_id = given.joint.child
        world_T_frame = given.joint.parent_T_child(given.drawn_at)
    if not frame_id:
        return part if fixture_id == part.fixture_id else replace(part, fixture_id=fixture_id)
    if part.frame_id:
        raise SceneFileError(
            f'{description.path}.parts: {part.name} hangs on {part.frame_id} already, '
            f'expected no frame or joint for it'
        )
    vertices = (
        part.vertices if world_T_frame is None else world_T_frame.inverse().apply(part.vertices)
    )
    return replace(part, fixture_id=fixture_id, frame_id=frame_id, vertices=vertices)


def _fixtures(
    known: Mapping[str, Fixture],
    changed: set[str],
    parts: Sequence[ScenePart],
    drawn: Mapping[str, Floats],
    description: SceneDescription,
) -> tuple[Fixture, ...]:
    """Make the fixtures anew whose parts changed, drop those without parts, add those said."""
    points: dict[str, list[Floats]] = {}
    for part in parts:
        if part.fixture_id and part.name in drawn:
            points.setdefault(part.fixture_id, []).append(drawn[part.name])
    has_parts = {p.fixture_id for p in parts}
    out: dict[str, Fixture] = {n: f for n, f in known.items() if n in has_parts}
    named = [
        n for n in dict.fromkeys((*points, *description.fixtures)) if n in description.fixtures
    ]
    for name in sorted(changed & set(points)):
        out[name] = make_fixture(name, np.concatenate(points[name]), np.eye(3))
    for name in named:
        out[name] = _said(name, description.fixtures[name], out.get(name), points, description)
    return tuple(out.values())


def _said(
    name: str,
    entry: FixtureEntry,
    known: Fixture | None,
    points: Mapping[str, Sequence[Floats]],
    description: SceneDescription,
) -> Fixture:
    """Lay what is said of a fixture over what is known of it."""
    if known is None and entry.world_T_box is not None and entry.size_m is not None:
        known = Fixture(name, fixture_label(name), entry.world_T_box, entry.size_m)
    elif known is None and name in points:
        known = make_fixture(name, np.concatenate(list(points[name])), np.eye(3))
    if known is None:
        raise SceneFileError(
            f'{description.path}.fixtures.{name}: expected a box, found neither one nor parts'
        )
    return Fixture(
        fixture_id=name,
        label=known.label if entry.label is None else entry.label,
        world_T_box=known.world_T_box if entry.world_T_box is None else entry.world_T_box,
        size_m=known.size_m if entry.size_m is None else entry.size_m,
        is_container=known.is_container if entry.is_container is None else entry.is_container,
    )
