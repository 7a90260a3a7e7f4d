"""The transform buffer: lookups, failure classes, and the rules of the tree."""

from __future__ import annotations

import numpy as np
import pytest

from st_memory.core.errors import (
    TransformFailure,
    TransformTreeError,
    TransformUnavailableError,
)
from st_memory.core.geometry import RigidTransform, TransformBuffer
from test.core.geometry.tracks import at_x, S

IDENTITY = RigidTransform.identity()
QUARTER_TURN_Z = np.array([0.0, 0.0, np.sqrt(0.5), np.sqrt(0.5)])


@pytest.fixture
def buffer() -> TransformBuffer:
    """Build map -> base (moves for 10 s at 1 m/s), a static camera and a lagging arm on it."""
    buffer = TransformBuffer()
    for second in range(11):
        buffer.set_transform('map', 'base', second * S, at_x(float(second)))
    for second in range(3, 9):
        buffer.set_transform('base', 'arm', second * S, at_x(100.0 * second))
    camera = RigidTransform(np.array([0.0, 0.0, 1.5]), QUARTER_TURN_Z)
    buffer.set_transform('base', 'camera', 0, camera, static=True)
    return buffer


def failure(
    buffer: TransformBuffer, target: str, source: str, stamp_ns: int
) -> TransformUnavailableError:
    """Catch the error of a lookup that must fail."""
    with pytest.raises(TransformUnavailableError, match=f'no transform {target} <- {source}') as e:
        buffer.lookup(target, source, stamp_ns)
    assert not buffer.can_transform(target, source, stamp_ns)
    return e.value


def test_lookup_interpolates_and_composes(buffer: TransformBuffer) -> None:
    """Hand-computed: base at 2.5 m, camera 1.5 m above it and turned by 90 degrees."""
    map_T_camera = buffer.lookup('map', 'camera', 2 * S + S // 2)

    np.testing.assert_allclose(map_T_camera.translation, [2.5, 0.0, 1.5], atol=1e-12)
    np.testing.assert_allclose(map_T_camera.apply([1.0, 0.0, 0.0]), [2.5, 1.0, 1.5], atol=1e-12)


def test_lookup_backwards_is_the_inverse(buffer: TransformBuffer) -> None:
    """``target_T_source`` in both directions."""
    there = buffer.lookup('map', 'camera', 3 * S)
    back = buffer.lookup('camera', 'map', 3 * S)

    np.testing.assert_allclose((there @ back).matrix, np.eye(4), atol=1e-12)


def test_lookup_between_branches_goes_through_the_common_ancestor(
    buffer: TransformBuffer,
) -> None:
    """Camera and arm meet at base: map -> base is not needed, so its range does not matter."""
    buffer.set_transform('world', 'map', 99 * S, IDENTITY)

    camera_T_arm = buffer.lookup('camera', 'arm', 4 * S)

    np.testing.assert_allclose(camera_T_arm.translation, [0.0, -400.0, -1.5], atol=1e-9)


def test_lookup_of_a_frame_in_itself_is_the_identity(buffer: TransformBuffer) -> None:
    """At any stamp, for a root too."""
    assert buffer.lookup('camera', 'camera', -5) == IDENTITY
    assert buffer.lookup('map', 'map', 10**18) == IDENTITY


def test_leading_slashes_are_dropped(buffer: TransformBuffer) -> None:
    """Frames of ROS 1 drivers are the same frames."""
    buffer.set_transform('/base', '/lamp', 0, at_x(1.0), static=True)

    assert buffer.lookup('/map', 'lamp', S) == buffer.lookup('map', '/lamp', S)
    assert 'lamp' in buffer.frames
    assert '/lamp' not in buffer.frames


def test_static_link_holds_at_every_stamp(buffer: TransformBuffer) -> None:
    """It has no range; its own stamp is ignored."""
    assert buffer.can_transform('base', 'camera', -(10**15))
    assert buffer.can_transform('base', 'camera', 10**18)


def test_static_repeat_replaces(buffer: TransformBuffer) -> None:
    """Static links are latched: what came last holds, with whatever stamp."""
    buffer.set_transform('base', 'camera', -5, at_x(7.0), static=True)

    assert buffer.lookup('base', 'camera', 0) == at_x(7.0)


def test_unknown_frame_names_it(buffer: TransformBuffer) -> None:
    """Either side; asked of itself too."""
    error = failure(buffer, 'map', 'camrea', S)

    assert error.failure is TransformFailure.UNKNOWN_FRAME
    assert "frame 'camrea' was never seen" in str(error)
    assert error.gap_ns is None
    assert failure(buffer, 'x', 'map', S).failure is TransformFailure.UNKNOWN_FRAME
    assert failure(buffer, 'x', 'x', S).failure is TransformFailure.UNKNOWN_FRAME


def test_not_connected_names_both_roots(buffer: TransformBuffer) -> None:
    """Two trees, both known."""
    buffer.set_transform('odom', 'wheel', 0, IDENTITY, static=True)

    error = failure(buffer, 'map', 'wheel', S)

    assert error.failure is TransformFailure.NOT_CONNECTED
    assert 'root of map is map, root of wheel is odom' in str(error)
    assert failure(buffer, 'odom', 'camera', S).failure is TransformFailure.NOT_CONNECTED


def test_too_new_gives_link_and_gap(buffer: TransformBuffer) -> None:
    """Waiting may help: by how much is said."""
    error = failure(buffer, 'map', 'camera', 10 * S + 1)

    assert error.failure is TransformFailure.TOO_NEW
    assert error.gap_ns == 1
    assert 'link map -> base' in str(error)


def test_too_old_gives_link_and_gap(buffer: TransformBuffer) -> None:
    """Waiting will not help."""
    error = failure(buffer, 'map', 'camera', -2 * S)

    assert error.failure is TransformFailure.TOO_OLD
    assert error.gap_ns == 2 * S
    assert error.stamp_ns == -2 * S


def test_of_two_failing_links_the_wider_gap_is_named(buffer: TransformBuffer) -> None:
    """Whoever waits for the named link waits long enough: arm ends at 8 s, base at 10 s."""
    error = failure(buffer, 'map', 'arm', 12 * S)

    assert error.failure is TransformFailure.TOO_NEW
    assert error.gap_ns == 4 * S
    assert 'link base -> arm' in str(error)


def test_too_old_comes_before_too_new(buffer: TransformBuffer) -> None:
    """If one link can never be had, the lookup can never be had."""
    buffer.set_transform('base', 'head', 12 * S, IDENTITY)

    error = failure(buffer, 'map', 'head', 11 * S + S // 2)

    assert error.failure is TransformFailure.TOO_OLD
    assert 'link base -> head' in str(error)


def test_both_ends_of_the_range_are_inside(buffer: TransformBuffer) -> None:
    """The first and last sample count."""
    assert buffer.can_transform('map', 'base', 0)
    assert buffer.can_transform('map', 'base', 10 * S)


def test_late_sample_is_put_in_its_place(buffer: TransformBuffer) -> None:
    """Out of order is fine."""
    buffer.set_transform('map', 'base', 2 * S + S // 2, at_x(-1.0))

    assert buffer.lookup('map', 'base', 2 * S + S // 2) == at_x(-1.0)
    assert buffer.lookup('map', 'base', 3 * S) == at_x(3.0)


def test_newest_stamp_is_the_oldest_end_of_the_chain(buffer: TransformBuffer) -> None:
    """Arm ends at 8 s, map -> base at 10 s."""
    assert buffer.newest_stamp('map', 'arm') == 8 * S
    assert buffer.newest_stamp('map', 'camera') == 10 * S


def test_newest_stamp_of_static_links_is_none(buffer: TransformBuffer) -> None:
    """Any stamp will do."""
    assert buffer.newest_stamp('base', 'camera') is None
    assert buffer.newest_stamp('map', 'map') is None


def test_newest_stamp_of_unknown_frame_raises(buffer: TransformBuffer) -> None:
    """No stamp was asked for, so none is printed."""
    with pytest.raises(TransformUnavailableError, match='at any stamp: unknown_frame'):
        buffer.newest_stamp('map', 'nowhere')


def test_latest_gives_pose_and_its_stamp(buffer: TransformBuffer) -> None:
    """The caller always learns how old it is; static links have no stamp."""
    assert buffer.latest('map', 'base') == (at_x(10.0), 10 * S)
    pose, stamp_ns = buffer.latest('base', 'camera')
    assert (pose.translation[2], stamp_ns) == (1.5, None)


def test_latest_without_common_stamp_raises(buffer: TransformBuffer) -> None:
    """Two links that never overlap give no pose, however old."""
    buffer.set_transform('base', 'head', 12 * S, IDENTITY)

    with pytest.raises(TransformUnavailableError, match=r'too_old by 2\.000 s'):
        buffer.latest('map', 'head')


def test_second_parent_is_refused(buffer: TransformBuffer) -> None:
    """A frame has one parent; the error names both, and nothing changes."""
    with pytest.raises(TransformTreeError, match='frame base: expected parent map, got a second'):
        buffer.set_transform('odom', 'base', 11 * S, IDENTITY)

    assert buffer.newest_stamp('map', 'base') == 10 * S
    assert 'odom' not in buffer.frames


def test_new_parent_is_accepted_after_clear(buffer: TransformBuffer) -> None:
    """A new epoch may have another tree of moving frames."""
    buffer.clear()
    buffer.set_transform('odom', 'base', 0, at_x(3.0))

    assert buffer.lookup('odom', 'camera', 0).translation[0] == 3.0


@pytest.mark.parametrize(('parent', 'child'), [('camera', 'map'), ('arm', 'map'), ('x', 'x')])
def test_loop_is_refused(buffer: TransformBuffer, parent: str, child: str) -> None:
    """A frame is not its own ancestor."""
    with pytest.raises(TransformTreeError, match=f'link {parent} -> {child}: would close a loop'):
        buffer.set_transform(parent, child, 0, IDENTITY)


@pytest.mark.parametrize(('parent', 'child'), [('', 'base'), ('map', ''), ('/', 'camera2')])
def test_empty_name_is_refused(buffer: TransformBuffer, parent: str, child: str) -> None:
    """A message without frame_id is not a link."""
    with pytest.raises(TransformTreeError, match=r'expected two names|second parent'):
        buffer.set_transform(parent, child, 0, IDENTITY)


def test_static_frame_that_moves_is_refused(buffer: TransformBuffer) -> None:
    """One moving sample would otherwise rewrite its whole past."""
    with pytest.raises(TransformTreeError, match='expected a static transform, got a moving one'):
        buffer.set_transform('base', 'camera', S, IDENTITY)


def test_moving_frame_that_turns_static_is_refused(buffer: TransformBuffer) -> None:
    """Its track would be lost otherwise."""
    with pytest.raises(TransformTreeError, match='expected a moving transform, got a static one'):
        buffer.set_transform('map', 'base', S, IDENTITY, static=True)


def test_clear_keeps_static_links(buffer: TransformBuffer) -> None:
    """After a jump back in time the rig is still the rig, and the past is unknown."""
    buffer.clear()

    assert buffer.frames == {'base', 'camera'}
    assert buffer.can_transform('base', 'camera', 0)
    assert failure(buffer, 'map', 'camera', S).failure is TransformFailure.UNKNOWN_FRAME


def test_max_age_forgets_old_samples() -> None:
    """Per link, behind its own newest sample."""
    buffer = TransformBuffer(max_age_ns=2 * S)
    for second in range(11):
        buffer.set_transform('map', 'base', second * S, at_x(float(second)))
    buffer.set_transform('map', 'box', 0, IDENTITY)

    assert buffer.can_transform('map', 'base', 8 * S)
    assert failure(buffer, 'map', 'base', 8 * S - 1).failure is TransformFailure.TOO_OLD
    assert buffer.can_transform('map', 'box', 0)


def test_negative_max_age_raises() -> None:
    """It would forget the present."""
    with pytest.raises(ValueError, match='max_age_ns: expected >= 0, got -1'):
        TransformBuffer(max_age_ns=-1)


class TestSetTrack:
    """Many samples at once."""

    STAMPS = np.arange(0, 5) * S
    MOVES = np.column_stack((np.arange(5.0), np.zeros(5), np.zeros(5)))
    QUATS = np.tile([0.0, 0.0, 0.0, 1.0], (5, 1))

    def test_set_track_equals_one_sample_after_the_other(self) -> None:
        """To the last bit, later single samples included."""
        at_once, one_by_one = TransformBuffer(), TransformBuffer()
        at_once.set_track('/map', '/base', self.STAMPS, self.MOVES, self.QUATS)
        for stamp, move in zip(self.STAMPS.tolist(), self.MOVES, strict=True):
            one_by_one.set_transform('map', 'base', stamp, at_x(move[0]))
        for buffer in (at_once, one_by_one):
            buffer.set_transform('map', 'base', 5 * S, at_x(-3.0))

        for stamp_ns in (0, S + 7, 4 * S, 4 * S + S // 3, 5 * S):
            assert at_once.lookup('map', 'base', stamp_ns) == one_by_one.lookup(
                'map', 'base', stamp_ns
            )

    def test_set_track_continues_a_track(self, buffer: TransformBuffer) -> None:
        """What was there stays."""
        buffer.set_track('map', 'base', self.STAMPS + 11 * S, self.MOVES, self.QUATS)

        assert buffer.lookup('map', 'base', 10 * S) == at_x(10.0)
        assert buffer.newest_stamp('map', 'base') == 15 * S

    def test_set_track_over_known_samples_is_refused(self, buffer: TransformBuffer) -> None:
        """Nothing is lost or mixed."""
        with pytest.raises(ValueError, match='stamps that increase, after those there are'):
            buffer.set_track('map', 'base', self.STAMPS + 10 * S, self.MOVES, self.QUATS)

        assert buffer.newest_stamp('map', 'base') == 10 * S

    def test_set_track_of_a_static_frame_is_refused(self, buffer: TransformBuffer) -> None:
        """As a single sample is."""
        with pytest.raises(TransformTreeError, match='expected a static transform, got a moving'):
            buffer.set_track('base', 'camera', self.STAMPS, self.MOVES, self.QUATS)

    @pytest.mark.parametrize('count', [0, 2])
    def test_set_track_that_gives_no_sample_leaves_no_frame(self, count: int) -> None:
        """Neither when it is empty nor when it is refused."""
        buffer = TransformBuffer()
        stamps = np.zeros(count, dtype=np.int64)

        if count:
            with pytest.raises(ValueError, match='stamps that increase'):
                buffer.set_track('map', 'base', stamps, self.MOVES[:count], self.QUATS[:count])
        else:
            buffer.set_track('map', 'base', stamps, self.MOVES[:count], self.QUATS[:count])

        assert buffer.frames == frozenset()
