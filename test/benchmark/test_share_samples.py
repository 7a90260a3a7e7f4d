"""Per-item files of visible shares, and their scoring by hand."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
import numpy as np
import pytest

from st_memory.benchmark.share_samples import read_samples, ShareSample, write_samples
from st_memory.benchmark.share_truth import agreement, read_truth, truth_of
from st_memory.core.errors import DatasetError

HEADER = 'stream_id,object_uid,timestamp[ns],x_min[pixel],visibility_ratio[%]\n'
TRUTH = {('1201-1', 10_000_000): {'a': 0.9, 'b': 0.1, 'c': 0.0}}


def sample(object_uid: str, visible: int, share: float, points: int = 9) -> ShareSample:
    """Give a sample of the one look with a truth, 0.7 us before it."""
    return ShareSample('1201-1', object_uid, 9_999_300, visible, share, 1 - share, points)


def test_accuracy_counts_unlisted_and_zero_as_not_visible() -> None:
    samples = [sample('a', 1, 1), sample('b', 0, 0), sample('c', 1, 1), sample('d', 0, 0)]

    result = agreement(samples, TRUTH)

    assert result['samples'] == 4
    assert result['accuracy'] == 0.5
    assert result['always_visible'] == 0.5
    assert (result['missed'], result['imagined']) == (1, 1)


def test_correlation_is_pearsons_over_listed_objects_with_enough_points() -> None:
    samples = [
        sample('a', 1, 0.8),
        sample('b', 1, 0.4),
        sample('c', 0, 0.0),
        sample('d', 1, 0.7),  # not listed
        sample('b', 1, 0.9, points=3),  # too few points
        sample('b', 1, np.nan),  # not known
    ]

    result = agreement(samples, TRUTH)

    # x = 0.8, 0.4, 0 about 0.4; y = 0.9, 0.1, 0 about 1/3.
    expected = (0.4 * (0.9 - 1 / 3) + 0.4 / 3) / np.sqrt(0.32 * (0.82 - 1 / 3))
    assert result['compared'] == 3
    assert result['correlation'] == pytest.approx(expected, rel=1e-12)


def test_nothing_to_compare_gives_none() -> None:
    result = agreement([], TRUTH)

    assert (result['samples'], result['compared']) == (0, 0)
    assert result['accuracy'] is result['correlation'] is result['always_visible'] is None


def test_share_without_spread_has_no_correlation() -> None:
    assert agreement([sample('a', 1, 1), sample('b', 1, 1)], TRUTH)['correlation'] is None


def test_sample_without_a_truth_within_a_millisecond_is_not_scored() -> None:
    late = sample('a', 1, 1)._replace(stamp_ns=11_000_001)
    other = sample('a', 1, 1)._replace(stream_id='214-1')

    assert agreement([late, other], TRUTH)['samples'] == 0
    assert agreement([late._replace(stamp_ns=11_000_000)], TRUTH)['samples'] == 1


def test_truth_is_of_the_nearest_stamp() -> None:
    truth = {('s', 100): {'a': 0.1}, ('s', 200): {'a': 0.2}, ('t', 151): {'a': 0.3}}

    assert truth_of(truth, 's', 149) == {'a': 0.1}
    assert truth_of(truth, 's', 151) == {'a': 0.2}
    assert truth_of(truth, 's', 150) == {'a': 0.1}  # as near: the earlier
    assert truth_of(truth, 'u', 150) is None


@given(
    st.lists(
        st.builds(
            ShareSample,
            st.sampled_from(['214-1', '1201-1']),
            st.text('0123456789', min_size=1, max_size=4),
            st.integers(1, 10**15),
            st.integers(0, 1),
            st.floats(0, 1) | st.just(float('nan')),
            st.floats(0, 1) | st.just(float('nan')),
            st.integers(0, 9),
        ),
        unique_by=lambda s: s[:3],
        max_size=8,
    )
)
def test_samples_read_back_as_written_and_sorted(
    tmp_path_factory: pytest.TempPathFactory, samples: list[ShareSample]
) -> None:
    path = tmp_path_factory.mktemp('samples') / 'samples.csv'

    assert write_samples(path, samples) == len(samples)

    np.testing.assert_equal(read_samples(path), sorted(samples, key=lambda s: s[:3]))


def test_samples_have_the_columns_of_the_format(tmp_path: Path) -> None:
    path = tmp_path / 'samples.csv'

    write_samples(path, [sample('a', 1, 0.75), sample('b', 0, np.nan, points=0)])

    assert path.read_text().splitlines() == [
        'stream_id,object_uid,stamp_ns,visible,visible_share,blocked_fraction,in_view_points',
        '1201-1,a,9999300,1,0.75,0.25,9',
        '1201-1,b,9999300,0,,,0',
    ]


def test_truth_table_is_read_by_stream_and_stamp(tmp_path: Path) -> None:
    path = tmp_path / 'truth.csv'
    path.write_text(HEADER + 's,a,5,,1.0\ns,b,5,7,0.25\ns,a,6,,0\n')

    assert read_truth(path) == {('s', 5): {'a': 1.0, 'b': 0.25}, ('s', 6): {'a': 0.0}}


@pytest.mark.parametrize(
    'text',
    [
        'stream_id,object_uid\ns,a\n',
        HEADER + 's,a,5,,99.1\n',
        HEADER + 's,a,5,,nan\n',
        HEADER + 's,a,now,,0.5\n',
        HEADER + 's,a\n',
    ],
)
def test_truth_of_another_form_is_one_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / 'truth.csv'
    path.write_text(text)

    with pytest.raises(DatasetError, match='expected visible shares, found') as raised:
        read_truth(path)
    assert '\n' not in str(raised.value)


def test_no_truth_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match=r'expected t\.csv to score against, found none'):
        read_truth(tmp_path / 't.csv')
