"""The verdict of one look, on geometry small enough to work out by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from st_memory.core.errors import ConfigError
from st_memory.core.geometry import (
    axis_aligned_nine_points,
    Box3D,
    Fisheye624Camera,
    in_image,
    PinholeCamera,
    RigidTransform,
)
from st_memory.core.records import CameraFrame, Visibility
from st_memory.core.visibility import (
    Cause,
    classify,
    preset_named,
    PRESETS,
    Targets,
    VisibilityPreset,
)
from st_memory.core.visibility.verdicts import DEPTH_OCCLUDER, NO_OCCLUDER
from test.core.visibility.plate import Plate
from test.scenarios.synthetic import CAMERA, looking

LIVE = PRESETS['live']
AHEAD = (2.0, 0.0, 0.0)
SIZE = (0.1, 0.1, 0.1)
# The plate at x = 1 is its front, what is ahead lies inside.
CUPBOARD = {'cupboard': Box3D(RigidTransform((1.75, 0.0, 0.0), (0, 0, 0, 1)), (1.5, 2.0, 2.0))}


FISHEYE = Fisheye624Camera(200, 200, 100.0, 99.5, 99.5, (0.0,) * 12, valid_radius_px=90.0)


def targets(
    *centres: tuple[float, float, float], size: tuple = SIZE, fixture: str = ''
) -> Targets:
    count = len(centres)
    return Targets(np.array(centres), np.array([size] * count), (fixture,) * count)


def look(
    pose: RigidTransform | None = None,
    depth: np.ndarray | None = None,
    camera: object = CAMERA,
) -> CameraFrame:
    return CameraFrame('cam', camera, pose or looking(), depth_m=depth)


def flat(depth_m: float) -> np.ndarray:
    return np.full((CAMERA.height, CAMERA.width), depth_m, dtype=np.float32)


# In view.


@pytest.mark.parametrize(
    ('centre', 'cause'),
    [
        ((2.0, 0.0, 0.0), Cause.IN_VIEW),
        ((-2.0, 0.0, 0.0), Cause.BEHIND_CAMERA),
        ((2.0, 3.0, 0.0), Cause.OUTSIDE_IMAGE),  # far to the left
        ((2.0, 0.0, -2.0), Cause.OUTSIDE_IMAGE),  # far below
        ((25.0, 0.0, 0.0), Cause.BEYOND_RANGE),
    ],
)
def test_view_without_obstacles(centre: tuple, cause: Cause) -> None:
    verdicts = classify(targets(centre), look(), LIVE)

    expected = Visibility.VISIBLE if cause is Cause.IN_VIEW else Visibility.OUT_OF_VIEW
    assert verdicts.geometry[0] == expected
    assert verdicts.cause[0] == cause


def test_border_needs_five_of_nine_points() -> None:
    # The image ends 79.5 + 0.5 px from the centre: at 2 m, y = -(80 / 130) * 2 m = -1.2308 m.
    edge = -80 / 130 * 2.0
    inside, outside = (2.0, edge + 0.001, 0.0), (2.0, edge - 0.001, 0.0)
    thin = targets(inside, outside, size=(0.0, 0.1, 0.1))

    verdicts = classify(thin, look(), LIVE)

    assert verdicts.in_view_points.tolist() == [5, 4]  # four corners, with or without the centre
    assert verdicts.geometry.tolist() == [Visibility.VISIBLE, Visibility.OUT_OF_VIEW]


def test_centre_preset_uses_the_centre_alone() -> None:
    preset = PRESETS['beyond3d_track_v5']
    edge = -80 / 130 * 2.0

    verdicts = classify(targets((2.0, edge + 0.02, 0.0), (2.0, edge - 0.02, 0.0)), look(), preset)

    assert verdicts.in_view_points.tolist() == [1, 0]


def test_pixel_bounds_differ_by_half_a_pixel() -> None:
    # A point that projects to u = -0.25: inside pixel 0's area, outside 0 <= u.
    y = -((-0.25 - CAMERA.cx) / CAMERA.fx) * 2.0
    point = targets((2.0, y, 0.0), size=(0.0, 0.0, 0.0))
    track = PRESETS['beyond3d_track_v5']

    area = classify(point, look(), replace(track, pixel_bounds='area'))
    zero = classify(point, look(), track)

    assert (area.geometry[0], zero.geometry[0]) == (Visibility.VISIBLE, Visibility.OUT_OF_VIEW)


def test_valid_circle_cuts_what_the_square_image_holds() -> None:
    fisheye = Fisheye624Camera(200, 200, 100.0, 99.5, 99.5, (0.0,) * 12, valid_radius_px=60.0)
    at_45_deg = targets((2.0, 0.0, 2.0), size=(0.0, 0.0, 0.0))  # 78.5 px above the centre

    calibrated = classify(
        at_45_deg, look(camera=fisheye), replace(LIVE, image_circle='calibrated')
    )
    without = classify(at_45_deg, look(camera=fisheye), replace(LIVE, image_circle='none'))

    assert calibrated.cause[0] == Cause.OUTSIDE_VALID_CIRCLE
    assert without.geometry[0] == Visibility.VISIBLE


def test_no_pose_makes_everything_unknown() -> None:
    frame = CameraFrame('cam', CAMERA, None, pose_problem='too_old')

    verdicts = classify(targets(AHEAD, (-2.0, 0.0, 0.0)), frame, LIVE)

    assert verdicts.geometry.tolist() == [Visibility.UNKNOWN] * 2
    assert verdicts.cause.tolist() == [Cause.NO_POSE] * 2


def test_no_objects_give_empty_verdicts() -> None:
    nothing = Targets(np.zeros((0, 3)), np.zeros((0, 3)), ())

    assert len(classify(nothing, look(depth=flat(3.0)), LIVE, Plate(1.0)).geometry) == 0


def test_pixel_size_is_focal_length_times_extent_over_depth() -> None:
    verdicts = classify(targets(AHEAD, size=(0.3, 0.2, 0.1)), look(), LIVE)

    assert verdicts.pixel_size[0] == pytest.approx(130 * 0.2 / 2.0)


# Mesh.


def test_plate_in_front_occludes_and_is_named() -> None:
    verdicts = classify(targets(AHEAD), look(), LIVE, Plate(1.0))

    assert verdicts.geometry[0] == Visibility.OCCLUDED
    assert verdicts.occluder[0] == 0
    assert verdicts.blocked_share[0] == 1.0
    assert Cause(verdicts.cause[0]).text('cupboard/door') == 'occluded_by:cupboard/door'


def test_plate_behind_does_not_occlude() -> None:
    verdicts = classify(targets(AHEAD), look(), LIVE, Plate(2.5))

    assert verdicts.geometry[0] == Visibility.VISIBLE
    assert verdicts.occluder[0] == NO_OCCLUDER


@pytest.mark.parametrize(('gap_m', 'expected'), [(0.04, 'VISIBLE'), (0.06, 'OCCLUDED')])
def test_mesh_tolerance_of_the_track_preset_is_5_cm(gap_m: float, expected: str) -> None:
    preset = PRESETS['beyond3d_track_v5']

    verdicts = classify(targets(AHEAD), look(), preset, Plate(2.0 - gap_m))

    assert Visibility(verdicts.geometry[0]).name == expected


def test_half_blocked_counts_as_occluded() -> None:
    # A plate through the box: its four near corners and the centre pass, four far ones do not.
    four_of_nine = classify(targets(AHEAD, size=(0.6, 0.1, 0.1)), look(), LIVE, Plate(2.05))
    # Nearer, it also blocks the centre.
    five_of_nine = classify(targets(AHEAD, size=(0.6, 0.1, 0.1)), look(), LIVE, Plate(1.9))

    assert four_of_nine.blocked_share[0] == pytest.approx(4 / 9)
    assert four_of_nine.geometry[0] == Visibility.VISIBLE
    assert five_of_nine.blocked_share[0] == pytest.approx(5 / 9)
    assert five_of_nine.geometry[0] == Visibility.OCCLUDED


def test_own_cupboard_of_unknown_state_is_ambiguous() -> None:
    held = targets(AHEAD, fixture='cupboard')

    verdicts = classify(held, look(), LIVE, Plate(1.0), CUPBOARD)

    assert verdicts.geometry[0] == Visibility.AMBIGUOUS_FIXTURE
    assert verdicts.occluder[0] == 0


@pytest.mark.parametrize(('fixture', 'unsure'), [('cupboard', {}), ('drawer', CUPBOARD)])
def test_known_doors_and_other_cupboards_are_not_ambiguous(fixture: str, unsure: dict) -> None:
    verdicts = classify(targets(AHEAD, fixture=fixture), look(), LIVE, Plate(1.0), unsure)

    assert verdicts.geometry[0] == Visibility.OCCLUDED


# Depth.


def test_nearer_depth_occludes_as_depth() -> None:
    verdicts = classify(targets(AHEAD), look(depth=flat(1.0)), LIVE)

    assert verdicts.geometry[0] == Visibility.OCCLUDED
    assert verdicts.occluder[0] == DEPTH_OCCLUDER


def test_own_surface_does_not_occlude() -> None:
    # The nearest corner of the box is at 1.95 m: depth there is the object itself.
    verdicts = classify(targets(AHEAD), look(depth=flat(1.95)), LIVE)

    assert verdicts.geometry[0] == Visibility.VISIBLE
    assert not verdicts.seen_through[0]


def test_free_depth_overrules_the_mesh() -> None:
    verdicts = classify(targets(AHEAD), look(depth=flat(2.0)), LIVE, Plate(1.0))

    assert verdicts.geometry[0] == Visibility.VISIBLE


def test_blocking_depth_that_the_mesh_explains_names_the_part() -> None:
    verdicts = classify(targets(AHEAD), look(depth=flat(1.0)), LIVE, Plate(1.0))

    assert verdicts.occluder[0] == 0


def test_depth_behind_all_of_the_object_sees_through_it() -> None:
    verdicts = classify(targets(AHEAD), look(depth=flat(3.0)), LIVE)

    assert verdicts.geometry[0] == Visibility.VISIBLE
    assert verdicts.seen_through[0]


def test_surface_at_the_centre_is_not_seen_through_though_the_corners_are() -> None:
    depth = flat(3.0)
    depth[58:62, 78:82] = 1.98  # something small stands there

    assert not classify(targets(AHEAD), look(depth=depth), LIVE).seen_through[0]


def test_depth_preset_off_ignores_depth() -> None:
    verdicts = classify(targets(AHEAD), look(depth=flat(1.0)), PRESETS['beyond3d_track_v5'])

    assert verdicts.geometry[0] == Visibility.VISIBLE


# The fixture rule by depth, where the scene does not know where the door is.


def test_depth_at_the_front_of_its_unsure_cupboard_is_ambiguous() -> None:
    held = targets(AHEAD, fixture='cupboard')

    shut = classify(held, look(depth=flat(0.97)), LIVE, None, CUPBOARD)  # 3 cm before the box
    somebody = classify(held, look(depth=flat(0.6)), LIVE, None, CUPBOARD)

    assert shut.geometry[0] == Visibility.AMBIGUOUS_FIXTURE
    assert shut.occluder[0] == DEPTH_OCCLUDER
    assert somebody.geometry[0] == Visibility.OCCLUDED


def test_empty_place_beside_its_unsure_drawer_is_ambiguous() -> None:
    # Its place is 0.25 m in front of the box: put into the drawer when that was pulled out.
    outside = targets((0.75, 0.0, 0.0), fixture='cupboard')

    gone = classify(outside, look(depth=flat(3.0)), LIVE, None, CUPBOARD)
    there = classify(outside, look(depth=flat(0.75)), LIVE, None, CUPBOARD)
    inside = classify(
        targets(AHEAD, fixture='cupboard'), look(depth=flat(3.0)), LIVE, None, CUPBOARD
    )

    assert gone.geometry[0] == Visibility.AMBIGUOUS_FIXTURE
    assert there.geometry[0] == Visibility.VISIBLE
    assert inside.geometry[0] == Visibility.VISIBLE  # the cupboard is open, and empty


# Names on request.


def test_verdict_is_the_same_without_names() -> None:
    pair = targets(AHEAD, (2.0, 0.5, 0.0))

    named = classify(pair, look(), LIVE, Plate(1.0))
    bare = classify(pair, look(), LIVE, Plate(1.0), name_occluders=False)

    np.testing.assert_array_equal(bare.geometry, named.geometry)
    np.testing.assert_array_equal(bare.cause, named.cause)
    assert named.occluder.tolist() == [0, 0]
    assert bare.occluder.tolist() == [NO_OCCLUDER, NO_OCCLUDER]


def test_fixture_rule_holds_without_names() -> None:
    held = targets(AHEAD, fixture='cupboard')

    verdicts = classify(held, look(), LIVE, Plate(1.0), CUPBOARD, name_occluders=False)

    assert verdicts.geometry[0] == Visibility.AMBIGUOUS_FIXTURE


# Hysteresis.


@pytest.mark.parametrize(
    ('before', 'expected'),
    [
        (Visibility.UNKNOWN, Visibility.VISIBLE),
        (Visibility.VISIBLE, Visibility.VISIBLE),
        (Visibility.OCCLUDED, Visibility.OCCLUDED),
        (Visibility.AMBIGUOUS_FIXTURE, Visibility.OCCLUDED),
    ],
)
def test_what_was_hidden_stays_so_a_little_below_half(
    before: Visibility, expected: Visibility
) -> None:
    last = np.array([before], dtype=np.int8)

    # The plate leaves four of nine blocked: 0.444, between 0.50 and 0.44.
    verdicts = classify(
        targets(AHEAD, size=(0.6, 0.1, 0.1)), look(), LIVE, Plate(2.05), before=last
    )

    assert verdicts.geometry[0] == expected


@pytest.mark.parametrize(
    ('before', 'expected'),
    [
        (Visibility.UNKNOWN, Visibility.OUT_OF_VIEW),
        (Visibility.OUT_OF_VIEW, Visibility.OUT_OF_VIEW),
        (Visibility.VISIBLE, Visibility.VISIBLE),
        (Visibility.OCCLUDED, Visibility.VISIBLE),
    ],
)
def test_what_was_in_view_stays_so_with_four_points(
    before: Visibility, expected: Visibility
) -> None:
    edge = -80 / 130 * 2.0
    thin = targets((2.0, edge - 0.001, 0.0), size=(0.0, 0.1, 0.1))
    last = np.array([before], dtype=np.int8)

    verdicts = classify(thin, look(), LIVE, before=last)

    assert verdicts.in_view_points[0] == 4
    assert verdicts.geometry[0] == expected


def test_published_presets_forget_the_last_look() -> None:
    last = np.array([Visibility.OCCLUDED], dtype=np.int8)
    preset = replace(PRESETS['beyond3d_paper'], image_circle='none')

    # Tolerance 0.10 m: the plate at 2.05 m blocks the four far corners.
    verdicts = classify(
        targets(AHEAD, size=(0.6, 0.1, 0.1)), look(), preset, Plate(2.05), before=last
    )

    assert verdicts.blocked_share[0] == pytest.approx(4 / 9)
    assert verdicts.geometry[0] == Visibility.VISIBLE


# Boxes with an attitude of their own.


def test_turned_box_is_tested_where_it_is() -> None:
    # A board of 2 m along its own x, turned by 90 degrees about z: it reaches 1 m to both sides
    # and not towards the camera.
    quarter = RigidTransform((0, 0, 0), (0.0, 0.0, 0.5**0.5, 0.5**0.5)).rotation
    board = Targets(np.array([AHEAD]), np.array([[2.0, 0.1, 0.1]]), ('',), rotations=quarter[None])
    along = targets(AHEAD, size=(2.0, 0.1, 0.1))

    turned, straight = classify(board, look(), LIVE), classify(along, look(), LIVE, Plate(1.5))

    # At 2 m the image reaches 1.23 m to each side: all nine points are in it.
    assert turned.in_view_points[0] == 9
    assert classify(board, look(), LIVE, Plate(1.5)).blocked_share[0] == 1.0
    assert straight.blocked_share[0] == pytest.approx(5 / 9)  # its near end is before the plate


# The cull drops only what fails at every point.


@pytest.mark.parametrize('camera', [CAMERA, FISHEYE], ids=['pinhole', 'fisheye'])
def test_cull_changes_no_verdict(camera: object) -> None:
    rng = np.random.default_rng(3)
    centres = rng.uniform(-4, 4, (3000, 3))
    sizes = rng.uniform(0.0, 1.5, (3000, 3))
    some = Targets(centres, sizes, ('',) * 3000)
    frame = look(camera=camera)

    verdicts = classify(some, frame, LIVE)

    world_p = axis_aligned_nine_points(centres, sizes)
    camera_p = frame.world_T_camera.inverse().apply(world_p.reshape(-1, 3))
    pixels = camera.project(camera_p).pixels
    inside = in_image(camera, pixels).reshape(-1, 9).sum(axis=1)
    expected = np.where(inside >= 5, Visibility.VISIBLE, Visibility.OUT_OF_VIEW)
    np.testing.assert_array_equal(verdicts.in_view_points, inside)
    np.testing.assert_array_equal(verdicts.geometry, expected)
    behind = (camera_p[:, 2].reshape(-1, 9) <= 0).sum(axis=1) >= 5
    np.testing.assert_array_equal(verdicts.cause == Cause.BEHIND_CAMERA, behind)
    assert 100 < (inside >= 5).sum() < 2900


# Laws.


def test_objects_are_judged_one_by_one() -> None:
    rng = np.random.default_rng(5)
    centres = rng.uniform((-3, -3, -2), (6, 3, 2), size=(40, 3))
    everything = Targets(centres, np.full((40, 3), 0.1), ('',) * 40)
    frame = look(depth=flat(2.5))

    together = classify(everything, frame, LIVE, Plate(2.2))

    for i in range(40):
        alone = classify(targets(tuple(centres[i])), frame, LIVE, Plate(2.2))
        assert alone.geometry[0] == together.geometry[i]
        assert alone.cause[0] == together.cause[i]


def test_camera_model_of_the_frame_is_used() -> None:
    narrow = PinholeCamera(160, 120, 1300.0, 1300.0, 79.5, 59.5)
    beside = targets((2.0, 0.5, 0.0))

    assert classify(beside, look(), LIVE).geometry[0] == Visibility.VISIBLE
    assert classify(beside, look(camera=narrow), LIVE).geometry[0] == Visibility.OUT_OF_VIEW


def test_paper_preset_needs_five_of_nine_and_half_blocked() -> None:
    edge = -80 / 130 * 2.0  # of the image, at 2 m; the circle is not to matter here
    thin = targets((2.0, edge + 0.01, 0.0), (2.0, edge - 0.01, 0.0), size=(0.0, 0.1, 0.1))
    square = replace(PRESETS['beyond3d_paper'], image_circle='none')

    in_view = classify(thin, look(), square)
    # The centre and the four far corners of a box of 0.6 m lie beyond 1.85 m: five of nine.
    hidden = classify(targets(AHEAD, size=(0.6, 0.1, 0.1)), look(), square, Plate(1.85))

    assert in_view.in_view_points.tolist() == [5, 4]
    assert in_view.geometry.tolist() == [Visibility.VISIBLE, Visibility.OUT_OF_VIEW]
    assert hidden.blocked_share[0] == pytest.approx(5 / 9)
    assert hidden.geometry[0] == Visibility.OCCLUDED


@pytest.mark.parametrize(('gap_m', 'expected'), [(0.09, 'VISIBLE'), (0.11, 'OCCLUDED')])
def test_mesh_tolerance_of_the_paper_preset_is_10_cm(gap_m: float, expected: str) -> None:
    point = targets(AHEAD, size=(0.0, 0.0, 0.0))

    verdicts = classify(point, look(), PRESETS['beyond3d_paper'], Plate(2.0 - gap_m))

    assert Visibility(verdicts.geometry[0]).name == expected


def test_paper_preset_takes_the_inscribed_circle_without_a_calibrated_one() -> None:
    # 65 px beside the centre: inside the image of 160 x 120, outside its circle of 60 px.
    beside = targets((2.0, -65 / 130 * 2.0, 0.0), size=(0.0, 0.0, 0.0))

    verdicts = classify(beside, look(), PRESETS['beyond3d_paper'])

    assert verdicts.cause[0] == Cause.OUTSIDE_VALID_CIRCLE


def test_paper_preset_leaves_the_holding_fixture_to_the_detector() -> None:
    held = targets(AHEAD, fixture='cupboard')
    verdicts = classify(held, look(), PRESETS['beyond3d_paper'], Plate(1.0), CUPBOARD)

    assert verdicts.geometry[0] == Visibility.AMBIGUOUS_FIXTURE


def test_unknown_preset_is_named() -> None:
    with pytest.raises(ConfigError, match=r"expected one of .*live.*, got 'paper'"):
        preset_named('paper')


@pytest.mark.parametrize('field', ['in_view_points', 'image_circle', 'pixel_bounds'])
def test_preset_with_an_unknown_word_is_refused(field: str) -> None:
    with pytest.raises(ConfigError, match=f'{field}: expected one of'):
        VisibilityPreset(**{field: 'sometimes'})


def test_presets_carry_their_own_names() -> None:
    assert {name: preset.name for name, preset in PRESETS.items()} == {n: n for n in PRESETS}
