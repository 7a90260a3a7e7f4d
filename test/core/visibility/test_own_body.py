"""What the own body hides: lines of sight are counted by hand, and nothing else may change."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import example, given, settings
from hypothesis import strategies as st
import numpy as np
import pytest

from st_memory.core.geometry import Fisheye624Camera
from st_memory.core.records import CameraFrame, Visibility
from st_memory.core.visibility import Cause, classify, PRESETS, Targets, Verdicts
from st_memory.core.visibility.verdicts import DEPTH_OCCLUDER, NO_OCCLUDER, SELF_OCCLUDER
from test.core.visibility.plate import Plate
from test.scenarios.synthetic import CAMERA, looking

LIVE = PRESETS['live']
NEAR_M, OWN_M, FREE_M, NOTHING = 1.0, 2.0, 5.0, float('nan')
# The cube of test_evidence.py, from 1.8 m to 2.2 m: eight lines of sight a side, through the
# columns 67, 70, 74, 78 | 81, 85, 89, 92 and the rows 47, 50, 54, 58 | 61, 65, 69, 72.
CUBE = Targets(np.array([[2.0, 0.0, 0.0]]), np.full((1, 3), 0.4), ('',))
LEFT, RIGHT = slice(0, 79), slice(80, 160)
TWO_LEFT, THREE_LEFT, FIVE_LEFT = slice(0, 72), slice(0, 76), slice(0, 83)  # lattice columns
UPPER = slice(0, 60)
INNER = (slice(52, 68), slice(72, 88))  # holds the lattice's middle four by four
SHAPE = (CAMERA.height, CAMERA.width)


def body(*places: object) -> np.ndarray:
    """A mask of the whole image height at some columns, or at (rows, columns)."""
    mask = np.zeros(SHAPE, dtype=bool)
    for place in places:
        mask[place if isinstance(place, tuple) else (slice(None), place)] = True
    return mask


def flat(depth_m: float) -> np.ndarray:
    return np.full(SHAPE, depth_m, dtype=np.float32)


def judge(
    mask: np.ndarray | None,
    depth: np.ndarray | None = None,
    caster: Plate | None = None,
    before: Visibility | None = None,
    **preset: object,
) -> Verdicts:
    frame = CameraFrame('cam', CAMERA, looking(), depth_m=depth, own_body=mask)
    last = None if before is None else np.array([before], dtype=np.int8)
    return classify(CUBE, frame, replace(LIVE, **preset), caster, before=last)


def said(verdicts: Verdicts) -> tuple[int, int, int]:
    return (int(verdicts.geometry[0]), int(verdicts.cause[0]), int(verdicts.occluder[0]))


HIDDEN_BY_SELF = (Visibility.OCCLUDED, Cause.OCCLUDED_BY, SELF_OCCLUDER)
IN_VIEW = (Visibility.VISIBLE, Cause.IN_VIEW, NO_OCCLUDER)
NO_DEPTH = (Visibility.UNKNOWN, Cause.INVALID_DEPTH, NO_OCCLUDER)


# Without a depth image.


@pytest.mark.parametrize(
    ('columns', 'share', 'expected'),
    [
        (THREE_LEFT, 24 / 64, IN_VIEW),
        (LEFT, 32 / 64, HIDDEN_BY_SELF),
        (FIVE_LEFT, 40 / 64, HIDDEN_BY_SELF),
        (slice(0, 160), 64 / 64, HIDDEN_BY_SELF),
    ],
)
def test_mask_alone_hides_by_the_share_of_lines_it_covers(
    columns: slice, share: float, expected: tuple
) -> None:
    verdicts = judge(body(columns))

    assert verdicts.blocked_share[0] == share
    assert said(verdicts) == expected


def test_mask_alone_measures_nothing() -> None:
    verdicts = judge(body(LEFT))

    assert np.isnan(verdicts.visible_share[0])
    assert np.isnan(verdicts.surface_share[0])
    assert not verdicts.seen_through[0]


def test_mask_beside_the_object_says_nothing_of_it() -> None:
    verdicts = judge(body(slice(0, 60), slice(100, 160)))

    assert said(verdicts) == IN_VIEW
    assert np.isnan(verdicts.blocked_share[0])  # as without a mask


def test_free_mesh_speaks_for_what_the_body_leaves_free() -> None:
    # The plate is behind the cube: all nine rays are free.
    verdicts = judge(body(FIVE_LEFT), caster=Plate(4.0))

    assert verdicts.blocked_share[0] == 40 / 64
    assert said(verdicts) == HIDDEN_BY_SELF


def test_body_and_mesh_share_the_outline_and_the_larger_share_names_it() -> None:
    # All of the cube is behind the plate, and 40 or 24 of 64 lines behind the body too.
    most, few = (judge(body(c), caster=Plate(1.0)) for c in (FIVE_LEFT, THREE_LEFT))

    assert most.blocked_share[0] == few.blocked_share[0] == 1.0
    assert most.occluder[0] == SELF_OCCLUDER
    assert few.occluder[0] == 0


# Beside a depth image.


@pytest.mark.parametrize('on_body', [NEAR_M, OWN_M, FREE_M, 0.2, NOTHING])
def test_depth_on_the_body_is_never_surface_nor_seen_through(on_body: float) -> None:
    verdicts = judge(body(slice(0, 160)), flat(on_body))

    assert said(verdicts) == HIDDEN_BY_SELF
    assert verdicts.blocked_share[0] == 1.0
    assert verdicts.visible_share[0] == 0.0
    assert np.isnan(verdicts.surface_share[0])
    assert not verdicts.seen_through[0]


@pytest.mark.parametrize('on_body', [NEAR_M, OWN_M, FREE_M, NOTHING])
def test_body_over_three_columns_leaves_forty_lines_to_depth(on_body: float) -> None:
    depth = flat(OWN_M)
    depth[:, THREE_LEFT] = on_body

    verdicts = judge(body(THREE_LEFT), depth)

    assert verdicts.blocked_share[0] == 24 / 64
    assert verdicts.visible_share[0] == 40 / 64
    assert verdicts.surface_share[0] == 1.0  # of the forty
    assert said(verdicts) == IN_VIEW


def test_body_and_an_obstacle_add_up() -> None:
    # 16 lines behind the body; of the other 48, the upper half behind something measured.
    depth = flat(OWN_M)
    depth[UPPER] = NEAR_M

    verdicts = judge(body(TWO_LEFT), depth)

    assert verdicts.blocked_share[0] == pytest.approx((16 + 24) / 64)
    assert verdicts.visible_share[0] == pytest.approx(24 / 64)
    # 16 of the 40 blocked lines are the body's.
    assert said(verdicts) == (Visibility.OCCLUDED, Cause.OCCLUDED_BY, DEPTH_OCCLUDER)


def test_most_of_the_blocked_lines_name_the_body() -> None:
    # 24 lines behind the body; of the other 40, the lower quarter behind something measured.
    depth = flat(OWN_M)
    depth[68:] = NEAR_M

    verdicts = judge(body(THREE_LEFT), depth)

    assert verdicts.blocked_share[0] == pytest.approx((24 + 10) / 64)
    assert said(verdicts) == HIDDEN_BY_SELF


def test_lines_through_the_body_speak_against_seeing_through() -> None:
    # Of the inner sixteen lines nine end behind the cube: most. Body on one of them: eight.
    depth = flat(NOTHING)
    depth[INNER] = FREE_M
    depth[INNER[0], slice(72, 80)] = NOTHING  # two columns: eight lines are left
    depth[54, 78] = FREE_M  # nine

    assert judge(None, depth).seen_through[0]
    assert not judge(body((54, 78)), depth).seen_through[0]


def test_unmeasured_rest_is_unknown_and_not_extrapolated_from_the_body() -> None:
    # One column of eight is the body, nothing is measured on the others.
    few, most = (judge(body(c), flat(NOTHING)) for c in (slice(0, 68), FIVE_LEFT))

    assert said(few) == NO_DEPTH
    assert few.blocked_share[0] == 8 / 64
    assert said(most) == HIDDEN_BY_SELF
    assert most.blocked_share[0] == 40 / 64


def test_hidden_by_the_body_at_the_last_look_stays_so_within_the_hysteresis() -> None:
    # 30 of 64 lines: 0.469, between the limits 0.44 and 0.5.
    mask = body(THREE_LEFT, (slice(0, 68), slice(76, 80)))
    assert judge(mask).blocked_share[0] == 30 / 64

    assert said(judge(mask)) == IN_VIEW
    assert said(judge(mask, before=Visibility.OCCLUDED)) == HIDDEN_BY_SELF
    # The same where depth might have told more and did not.
    assert said(judge(mask, flat(NOTHING), before=Visibility.OCCLUDED)) == HIDDEN_BY_SELF
    assert said(judge(mask, flat(NOTHING), before=Visibility.VISIBLE)) == NO_DEPTH


def test_preset_without_depth_heeds_the_body_and_not_the_depth_on_it() -> None:
    without = {'use_depth': False}

    assert said(judge(body(FIVE_LEFT), flat(NEAR_M), **without)) == HIDDEN_BY_SELF
    assert said(judge(body(THREE_LEFT), flat(NEAR_M), **without)) == IN_VIEW
    assert said(judge(None, flat(NEAR_M), **without)) == IN_VIEW


@pytest.mark.parametrize('name', ['beyond3d_track_v5', 'beyond3d_questions_v1'])
def test_preset_of_centres_goes_by_the_pixel_of_the_centre(name: str) -> None:
    preset = PRESETS[name]
    on, beside = body((60, 80)), body((60, 82))

    hidden, seen = (
        classify(CUBE, CameraFrame('cam', CAMERA, looking(), own_body=m), preset)
        for m in (on, beside)
    )

    assert said(hidden) == HIDDEN_BY_SELF
    assert said(seen) == IN_VIEW


def test_thing_too_small_for_the_lattice_is_judged_by_its_middle() -> None:
    dot = Targets(np.array([[15.0, 0.0, 0.0]]), np.full((1, 3), 0.01), ('',))
    around = body((slice(58, 62), slice(78, 82)))
    frames = [CameraFrame('cam', CAMERA, looking(), own_body=m) for m in (around, ~around)]

    hidden, seen = (classify(dot, frame, LIVE) for frame in frames)

    assert said(hidden) == HIDDEN_BY_SELF
    assert said(seen) == IN_VIEW


def test_name_is_not_looked_for_when_it_is_not_asked_for() -> None:
    frame = CameraFrame('cam', CAMERA, looking(), own_body=body(LEFT))

    verdicts = classify(CUBE, frame, LIVE, name_occluders=False)

    assert said(verdicts) == (Visibility.OCCLUDED, Cause.OCCLUDED_BY, NO_OCCLUDER)


# Laws.


def scatter(seed: int, count: int = 40) -> Targets:
    rng = np.random.default_rng(seed)
    centres = rng.uniform((-1.0, -2.0, -2.0), (6.0, 2.0, 2.0), (count, 3))
    return Targets(centres, rng.uniform(0.0, 0.6, (count, 3)), ('',) * count)


def some_depth(seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    depth = rng.uniform(0.5, 6.0, SHAPE).astype(np.float32)
    depth[rng.random(SHAPE) < 0.2] = np.nan
    return depth


def equal(one: Verdicts, other: Verdicts) -> bool:
    return all(
        np.array_equal(getattr(one, name), getattr(other, name), equal_nan=name[-5:] == 'share')
        for name in (
            'geometry', 'cause', 'occluder', 'in_view_points', 'blocked_share', 'visible_share',
            'surface_share', 'seen_through', 'pixel_size',
        )
    )  # fmt: skip


FISHEYE = Fisheye624Camera(160, 120, 60.0, 79.5, 59.5, (-0.02,) + (0.0,) * 11)


@given(
    seed=st.integers(0, 10_000),
    has_depth=st.booleans(),
    has_mesh=st.booleans(),
    camera=st.sampled_from([CAMERA, FISHEYE]),
    preset=st.sampled_from(['live', 'any_part', 'beyond3d_paper']),
)
@settings(max_examples=40, deadline=None)
def test_empty_mask_is_no_mask_and_full_mask_shows_nothing(
    seed: int, has_depth: bool, has_mesh: bool, camera: object, preset: str
) -> None:
    targets, caster = scatter(seed), Plate(3.0) if has_mesh else None
    depth = some_depth(seed) if has_depth else None
    nothing, everything = np.zeros(SHAPE, dtype=bool), np.ones(SHAPE, dtype=bool)

    without, empty, full = (
        classify(
            targets,
            CameraFrame('cam', camera, looking(), depth_m=depth, own_body=mask),
            PRESETS[preset],
            caster,
        )
        for mask in (None, nothing, everything)
    )

    assert equal(without, empty)
    in_view = without.geometry != Visibility.OUT_OF_VIEW
    assert np.array_equal(full.geometry == Visibility.OCCLUDED, in_view)
    assert (full.occluder[in_view] == SELF_OCCLUDER).all()
    assert not full.seen_through.any()
    assert not full.surface_seen.any()


@example(seed=839, share=0.25, has_depth=True)  # the mask covers the only surface in the middle
@given(seed=st.integers(0, 10_000), share=st.floats(0.0, 1.0), has_depth=st.booleans())
@settings(max_examples=40, deadline=None)
def test_more_body_hides_no_less(seed: int, share: float, has_depth: bool) -> None:
    targets = scatter(seed)
    rng = np.random.default_rng(seed + 1)
    small = rng.random(SHAPE) < share / 2
    large = small | (rng.random(SHAPE) < share / 2)
    # Depth that is one thing everywhere: what the mask covers is no different from the rest.
    depth = flat(FREE_M) if has_depth else None

    less, more = (
        classify(
            targets, CameraFrame('cam', CAMERA, looking(), depth_m=depth, own_body=mask), LIVE
        )
        for mask in (small, large)
    )

    was_hidden = less.occluder == SELF_OCCLUDER
    assert (more.geometry[was_hidden] == Visibility.OCCLUDED).all()
    assert not (more.seen_through & ~less.seen_through).any()


@given(seed=st.integers(0, 10_000), on_body=st.sampled_from([0.1, 2.0, 50.0, NOTHING]))
@settings(max_examples=25, deadline=None)
def test_what_depth_says_on_the_body_changes_nothing(seed: int, on_body: float) -> None:
    targets, depth = scatter(seed), some_depth(seed)
    mask = np.random.default_rng(seed + 1).random(SHAPE) < 0.4
    other = np.where(mask, np.float32(on_body), depth)

    one, two = (
        classify(targets, CameraFrame('cam', CAMERA, looking(), depth_m=d, own_body=mask), LIVE)
        for d in (depth, other)
    )

    assert equal(one, two)
