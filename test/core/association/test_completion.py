"""A box of which only a part shows: grown by what is known of it, or down to what it stands on."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_allclose
import pytest

from st_memory.core.association import completed, localize, Measurement
from st_memory.core.geometry import RigidTransform
from st_memory.core.records import CameraFrame, Detection
from test.scenarios.synthetic import CAMERA, looking

# A thing of 20 x 20 px at 2 m: 0.3077 m. Its box shows the left, right, upper or lower half.
FOCAL, DEPTH_M, SIDE_PX = 130.0, 2.0, 20.0
SIDE_M = SIDE_PX * DEPTH_M / FOCAL
SIGMAS = {'depth_sigma_share': 0.02, 'pose_sigma_rad': 0.02, 'pose_sigma_m': 0.01}
FULL = np.array([SIDE_M, SIDE_M, SIDE_M])
NEAR_M = 1.5
# Whole, the box would be this; columns 70..89, rows 50..69.
WHOLE = (69.5, 49.5, SIDE_PX, SIDE_PX)


def nothing_below(place: np.ndarray) -> None:
    """Stand on nothing."""


def scene(hidden: str) -> tuple[np.ndarray, tuple[float, float, float, float]]:
    """Depth of a thing in front of a wall, one half of it behind something; and what shows."""
    depth = np.full((CAMERA.height, CAMERA.width), 4.0, dtype=np.float32)
    depth[50:70, 70:90] = DEPTH_M
    x, y, w, h = WHOLE
    if hidden == 'below':
        depth[60:, :] = NEAR_M
        return depth, (x, y, w, h / 2)
    if hidden == 'above':
        depth[:60, :] = NEAR_M
        return depth, (x, y + h / 2, w, h / 2)
    if hidden == 'left':
        depth[:, :80] = NEAR_M
        return depth, (x + w / 2, y, w / 2, h)
    if hidden == 'right':
        depth[:, 80:] = NEAR_M
        return depth, (x, y, w / 2, h)
    return depth, WHOLE


def see(
    depth: np.ndarray,
    box: tuple[float, float, float, float],
    size: np.ndarray = FULL,
    pose: RigidTransform | None = None,
    below: object = nothing_below,
) -> tuple[Measurement, Measurement]:
    """Give the measurement as it came and as it is completed."""
    where = pose or looking()
    frame = CameraFrame('cam', CAMERA, where, depth_m=depth)
    m = localize(frame, where, Detection('box', 0.9, box_px=box), 0, **SIGMAS)
    assert m is not None
    return m, completed(m, frame, where, size, below)  # type: ignore[arg-type]


# The known size: a half is placed where the whole would be.


@pytest.mark.parametrize('hidden', ['below', 'above', 'left', 'right'])
def test_hidden_half_is_placed_where_the_whole_would_be(hidden: str) -> None:
    whole, _ = see(*scene('nothing'))
    depth, box = scene(hidden)

    m, grown = see(depth, box)

    # 2 m to its front, and half of its least extent behind that.
    assert_allclose(whole.camera_p, (0.0, 0.0, DEPTH_M + SIDE_M / 2), atol=1e-12)
    assert np.abs(m.camera_p - whole.camera_p).max() > 0.07
    assert grown.is_partial
    assert_allclose(grown.camera_p, whole.camera_p, atol=0.01)
    assert_allclose(grown.world_p, looking().apply(grown.camera_p), atol=1e-12)


def test_whole_thing_stands_as_it_came() -> None:
    m, grown = see(*scene('nothing'))

    assert grown is m


def test_smaller_box_without_an_obstacle_beside_it_stands_as_it_came() -> None:
    # It has turned: only half as high as it was, and the wall all around it.
    depth = np.full((CAMERA.height, CAMERA.width), 4.0, dtype=np.float32)
    depth[50:60, 70:90] = DEPTH_M

    m, grown = see(depth, (69.5, 49.5, SIDE_PX, SIDE_PX / 2))

    assert grown is m


def test_hidden_on_both_sides_stays_in_the_middle_and_says_that_it_is_partial() -> None:
    depth, _ = scene('nothing')
    depth[:, :75] = depth[:, 85:] = NEAR_M

    m, grown = see(depth, (74.5, 49.5, 10.0, SIDE_PX))

    assert grown.is_partial
    # Half of the width shows, so half of half of the side is missing behind the surface.
    assert_allclose(grown.camera_p - m.camera_p, (0.0, 0.0, SIDE_M / 4), atol=1e-12)


def test_corner_moves_both_ways() -> None:
    depth, _ = scene('below')
    depth[:, 80:] = NEAR_M

    m, grown = see(depth, (69.5, 49.5, SIDE_PX / 2, SIDE_PX / 2))

    step = grown.camera_p - m.camera_p
    assert step[0] > 0.05
    assert step[1] == pytest.approx(step[0])


def test_obstacle_just_beside_but_not_nearer_hides_nothing() -> None:
    depth, box = scene('below')
    depth[60:, :] = DEPTH_M - 0.01  # a table that it stands on, seen from above

    m, grown = see(depth, box)

    assert grown is m


@pytest.mark.parametrize('unmeasured', [np.nan, 0.0])
def test_unmeasured_depth_beside_it_hides_nothing(unmeasured: float) -> None:
    depth, box = scene('below')
    depth[60:, :] = unmeasured

    m, grown = see(depth, box)

    assert grown is m


def test_box_at_the_border_is_left_alone() -> None:
    depth = np.full((CAMERA.height, CAMERA.width), DEPTH_M, dtype=np.float32)
    depth[:, 30:] = NEAR_M

    m, grown = see(depth, (0.0, 49.5, 10.0, SIDE_PX))

    assert m.is_cut
    assert grown is m


def test_measurement_with_a_position_of_its_own_and_no_box_is_left_alone() -> None:
    depth, _ = scene('below')
    frame = CameraFrame('cam', CAMERA, looking(), depth_m=depth)
    found = Detection('box', 0.9, camera_p=(0.0, 0.0, 2.0), size_m=(0.1, 0.1, 0.1))
    m = localize(frame, looking(), found, 0, **SIGMAS)

    assert m is not None
    assert completed(m, frame, looking(), FULL, nothing_below) is m


# Unknown size: the hidden lower part reaches down to the surface under it.


def test_thing_in_a_drawer_reaches_down_to_what_it_stands_on() -> None:
    depth, box = scene('below')

    m, grown = see(depth, box, np.zeros(3), below=lambda place: 0.20)

    # From the middle of what shows it is 0.20 m down to the surface, and half of that up.
    shown = float(m.size_m[2])
    height = shown / 2 + 0.20
    assert grown.size_m[2] == pytest.approx(height)
    assert_allclose(grown.size_m[:2], m.size_m[:2])
    # It is as deep as it is high, and half of what was not seen of that lies behind its surface.
    behind = (height - shown) / 2
    down, along = np.array([0.0, 0.0, -behind]), m.world_p / m.camera_p[2] * behind
    assert_allclose(grown.world_p - m.world_p, down + along, atol=1e-12)
    assert not grown.is_partial  # its height is known now, and worth an average


def test_thing_too_short_to_stand_there_is_held() -> None:
    depth, box = scene('below')

    m, grown = see(depth, box, np.full(3, SIDE_M / 2), below=lambda place: 0.30)

    assert grown is m


@pytest.mark.parametrize('gap_m', [None, 0.08])
def test_nothing_under_it_or_right_under_it_changes_nothing(gap_m: float | None) -> None:
    depth, box = scene('below')  # half of what shows is 0.077 m high

    m, grown = see(depth, box, np.zeros(3), below=lambda place: gap_m)

    assert grown is m


def test_thing_in_the_air_reaches_down_to_nothing() -> None:
    # Held over a table 0.3 m below: behind its lower side is the background.
    m, grown = see(*scene('nothing'), np.zeros(3), below=lambda place: 0.3)

    assert grown is m


def test_camera_on_its_side_knows_no_down() -> None:
    depth, box = scene('below')
    rolled = looking() @ RigidTransform(np.zeros(3), np.array([0.0, 0.0, 0.5**0.5, 0.5**0.5]))

    m, grown = see(depth, box, np.zeros(3), rolled, lambda place: 0.20)

    assert grown is m


def test_support_is_asked_for_below_the_middle_of_what_shows() -> None:
    depth, box = scene('below')
    asked: list[np.ndarray] = []

    def below(place: np.ndarray) -> float:
        asked.append(place)
        return 0.2

    m, _ = see(depth, box, np.zeros(3), looking(0.3, (1.0, 2.0, 0.5)), below)

    assert_allclose(asked, [m.world_p])
