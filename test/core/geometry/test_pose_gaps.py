"""Holes in a track of poses: what a lookup makes of them is the caller's to say."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
import pytest

from st_memory.core.errors import TransformFailure, TransformUnavailableError
from st_memory.core.geometry import TransformBuffer
from test.core.geometry.tracks import at_x, S


@pytest.fixture
def buffer() -> TransformBuffer:
    """Build map -> base with samples at 0, 1, 2, 7 and 8 s, and a static camera on it."""
    buffer = TransformBuffer()
    for second in (0, 1, 2, 7, 8):
        buffer.set_transform('map', 'base', second * S, at_x(float(second)))
    buffer.set_transform('base', 'camera', 0, at_x(0.5), static=True)
    return buffer


def failure(
    buffer: TransformBuffer, source: str, stamp_ns: int, max_gap_ns: int
) -> TransformUnavailableError:
    """Catch the error of a lookup from the map that must fail."""
    with pytest.raises(TransformUnavailableError) as caught:
        buffer.lookup('map', source, stamp_ns, max_gap_ns=max_gap_ns)
    assert not buffer.can_transform('map', source, stamp_ns, max_gap_ns=max_gap_ns)
    return caught.value


def test_lookup_in_a_hole_names_the_link_and_the_width_of_the_hole(
    buffer: TransformBuffer,
) -> None:
    """Wherever in the hole: five seconds of it say nothing of what happened inside."""
    for stamp_ns in (2 * S + 1, 4 * S, 7 * S - 1):
        error = failure(buffer, 'camera', stamp_ns, S)

        assert (error.failure, error.gap_ns) == (TransformFailure.IN_GAP, 5 * S)
        assert str(error) == (
            f'no transform map <- camera at {stamp_ns} ns: in_gap of 5.000 s (link map -> base)'
        )


def test_lookup_without_a_limit_interpolates_across_a_hole(buffer: TransformBuffer) -> None:
    """As always: the limit is asked for."""
    assert buffer.lookup('map', 'base', 4 * S).translation[0] == pytest.approx(4.0)
    assert buffer.can_transform('map', 'base', 4 * S)


@pytest.mark.parametrize('stamp_ns', [0, 2 * S, 7 * S, 8 * S])
def test_lookup_at_a_sample_is_in_no_gap(buffer: TransformBuffer, stamp_ns: int) -> None:
    """The rims of a hole are measured poses, whatever the limit."""
    pose = buffer.lookup('map', 'base', stamp_ns, max_gap_ns=0)

    assert pose == at_x(stamp_ns / S)


def test_gap_of_exactly_the_limit_is_interpolated(buffer: TransformBuffer) -> None:
    """The limit itself is allowed."""
    assert buffer.lookup('map', 'base', 4 * S, max_gap_ns=5 * S) == buffer.lookup(
        'map', 'base', 4 * S
    )
    assert failure(buffer, 'base', 4 * S, 5 * S - 1).failure is TransformFailure.IN_GAP


def test_static_link_has_no_gaps(buffer: TransformBuffer) -> None:
    """It holds at every stamp."""
    assert buffer.lookup('base', 'camera', 4 * S, max_gap_ns=0) == at_x(0.5)


def test_late_samples_close_a_hole(buffer: TransformBuffer) -> None:
    """What came out of order counts."""
    for second in (3, 4, 5, 6):
        buffer.set_transform('map', 'base', second * S, at_x(-1.0))

    assert buffer.lookup('map', 'base', 4 * S + S // 2, max_gap_ns=S) == at_x(-1.0)


@pytest.mark.parametrize(
    ('oldest', 'newest', 'expected'),
    [
        (5, 9, TransformFailure.TOO_OLD),  # can never be had, while a late sample may fill a hole
        (0, 3, TransformFailure.IN_GAP),  # waiting does not help, while the other may still come
    ],
)
def test_of_failing_links_the_one_that_waiting_helps_least_is_named(
    buffer: TransformBuffer, oldest: int, newest: int, expected: TransformFailure
) -> None:
    """Stamp 4 s is in the hole of the base, and outside the samples of the arm."""
    for second in range(oldest, newest + 1):
        buffer.set_transform('base', 'arm', second * S, at_x(0.0))

    assert failure(buffer, 'arm', 4 * S, S).failure is expected


@given(
    stamps=st.lists(st.integers(0, 1000), min_size=2, max_size=40, unique=True),
    stamp_ns=st.integers(0, 1000),
    max_gap_ns=st.integers(0, 1000),
)
def test_limit_only_ever_takes_poses_away(
    stamps: list[int], stamp_ns: int, max_gap_ns: int
) -> None:
    """A pose within the limit is that without one; and it is there just where samples are near."""
    buffer = TransformBuffer()
    for stamp in stamps:
        buffer.set_transform('map', 'base', stamp, at_x(float(stamp)))
    before = max((s for s in stamps if s <= stamp_ns), default=None)
    after = min((s for s in stamps if s >= stamp_ns), default=None)
    is_near = before is not None and after is not None and after - before <= max_gap_ns

    assert buffer.can_transform('map', 'base', stamp_ns, max_gap_ns=max_gap_ns) is is_near
    if is_near:
        limited = buffer.lookup('map', 'base', stamp_ns, max_gap_ns=max_gap_ns)
        assert limited == buffer.lookup('map', 'base', stamp_ns)


class TestTwoStamps:
    """Data of one time, seen from where a frame was at another."""

    def test_lookup_through_hand_computed(self, buffer: TransformBuffer) -> None:
        """At 8 s base is at 8 m and the camera half a metre before it; at 1 s base was at 1 m."""
        camera_T_base = buffer.lookup_through('camera', 8 * S, 'base', 1 * S, 'map')

        assert camera_T_base.translation.tolist() == pytest.approx([-7.5, 0.0, 0.0])

    def test_lookup_through_at_one_stamp_is_a_lookup(self, buffer: TransformBuffer) -> None:
        """Nothing moved meanwhile, whatever the fixed frame is."""
        expected = buffer.lookup('camera', 'map', S + 5)

        for fixed in ('map', 'base', 'camera'):
            got = buffer.lookup_through('camera', S + 5, 'map', S + 5, fixed)
            assert got.distance_to(expected) == pytest.approx((0.0, 0.0), abs=1e-12)

    def test_lookup_through_there_and_back_is_the_identity(self, buffer: TransformBuffer) -> None:
        """Swapping both ends inverts."""
        there = buffer.lookup_through('base', 2 * S, 'camera', 7 * S, 'map')
        back = buffer.lookup_through('camera', 7 * S, 'base', 2 * S, 'map')

        moved_m, turned_rad = (there @ back).distance_to(at_x(0.0))
        assert moved_m < 1e-12
        assert turned_rad < 1e-12

    def test_lookup_through_names_the_side_that_fails(self, buffer: TransformBuffer) -> None:
        """Each side at its own stamp."""
        with pytest.raises(TransformUnavailableError, match='camera <- map at 9000000000 ns: too'):
            buffer.lookup_through('camera', 9 * S, 'base', S, 'map')
        with pytest.raises(TransformUnavailableError, match=r'map <- base at -1 ns: too_old'):
            buffer.lookup_through('camera', S, 'base', -1, 'map')
        with pytest.raises(TransformUnavailableError, match="frame 'odom' was never seen"):
            buffer.lookup_through('camera', S, 'base', S, 'odom')

    @pytest.mark.parametrize(('target_s', 'source_s'), [(4, 1), (1, 4)])
    def test_lookup_through_keeps_the_limit_on_both_sides(
        self, buffer: TransformBuffer, target_s: int, source_s: int
    ) -> None:
        """A hole on either side is a hole."""
        with pytest.raises(TransformUnavailableError, match=r'in_gap of 5\.000 s'):
            buffer.lookup_through(
                'camera', target_s * S, 'base', source_s * S, 'map', max_gap_ns=S
            )
