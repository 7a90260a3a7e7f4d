"""The track of a small recording against marks of made-up people, computed by hand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
import csv
from dataclasses import replace
import json
from pathlib import Path
import re
from typing import Any

import pytest

from st_memory.bags import BagFrameSource, BagRecorder
from st_memory.benchmark import benchmark_named, run_predict, run_score, track_audit
from st_memory.benchmark.beyond3d_recording import record_bag
from st_memory.benchmark.track_audit_files import read_marks, read_videos
from st_memory.core.errors import ConfigError, DatasetError
from st_memory.core.records import MovementReport, SensedFrame
from st_memory.datasets import BASE_STAMP_NS
from test.benchmark.beyond3d_folder import write_folder

AUDIT = benchmark_named('track-audit')
VIDEO_COLUMNS = ('video_id', 'participant_id', 'bag', 'start_ns', 'preset')
MARK_COLUMNS = ('video_id', 'object_id', 't_sec', 'annotator', 'visible', 'uncertain')

# In the recording the mug m1 and the plate p1 are in view until 5 s and behind the camera from
# 6 s on; the mug is in motion from 1.2 s to 2.4 s, and first known at its beginning.
Votes = dict[str, int]
POLES = ('positives', 'negatives')


@pytest.fixture(scope='module')
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp('recording')
    record_bag(write_folder(folder / 'beyond3d'), folder / 'bag.mcap', lookahead=False)
    return folder / 'bag.mcap'


def write_table(path: Path, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> Path:
    with path.open('w', newline='') as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(rows)
    return path


def write_data(
    folder: Path,
    recording: Path,
    votes: dict[tuple[str, str, float], Votes],
    *,
    videos: Sequence[str] = ('v1',),
    uncertain: Sequence[tuple[str, str, float, str, int]] = (),
) -> Path:
    """Write a folder in which every video is the same recording, of a participant each."""
    folder.mkdir()
    (folder / 'bag.mcap').write_bytes(recording.read_bytes())
    rows = [
        (name, f'of_{name}', 'bag.mcap', BASE_STAMP_NS, 'beyond3d_track_v5') for name in videos
    ]
    write_table(folder / 'videos.csv', VIDEO_COLUMNS, rows)
    marks = [(*key, who, vote, 0) for key, said in votes.items() for who, vote in said.items()]
    write_table(folder / 'marks.csv', MARK_COLUMNS, [*marks, *((*u, 1) for u in uncertain)])
    return folder


def scored(data: Path, out: Path) -> dict[str, Any]:
    run_predict(AUDIT, data, out)
    return run_score(AUDIT, data, out)


def test_states_after_every_look_are_written(recording: Path, tmp_path: Path) -> None:
    data = write_data(tmp_path / 'data', recording, {})
    (data / 'marks.csv').unlink()  # nobody need be asked before

    manifest = run_predict(AUDIT, data, tmp_path / 'out')

    with (tmp_path / 'out' / 'samples.csv').open(newline='') as file:
        rows = {(r['t_sec'], r['object_id']): r['state'] for r in csv.DictReader(file)}
    assert [rows.get((f'{t}.0', 'm1')) for t in (0, 1, 2, 3, 5, 6, 8)] == [
        None,
        None,
        'IN_MOTION',
        'VISIBLE',
        'VISIBLE',
        'OUT_OF_VIEW',
        'OUT_OF_VIEW',
    ]
    assert manifest['run']['presets'] == {'v1': 'beyond3d_track_v5'}
    assert manifest['run']['looks'] == 12


def test_figures_are_those_computed_by_hand(recording: Path, tmp_path: Path) -> None:
    votes: dict[tuple[str, str, float], Votes] = {
        ('v1', 'm1', 3.2): {'ann': 1, 'bob': 1, 'cy': 0},  # visible, said VISIBLE at 3 s
        ('v1', 'm1', 2.0): {'ann': 1, 'bob': 1},  # visible, said IN_MOTION
        ('v1', 'm1', 7.0): {'ann': 1},  # visible, said OUT_OF_VIEW: missed
        ('v1', 'p1', 7.0): {'ann': 0, 'bob': 0},  # not visible, said OUT_OF_VIEW
        ('v1', 'p1', 4.0): {'bob': 0},  # not visible, said VISIBLE: imagined
        ('v1', 'p1', 5.0): {'ann': 1, 'bob': 0},  # no majority
        ('v1', 'ghost', 5.0): {'cy': 1},  # never known: missed
        ('v1', 'p1', 13.5): {'ann': 0},  # 2.5 s after the last look
    }
    data = write_data(tmp_path / 'data', recording, votes, uncertain=[('v1', 'm1', 4.0, 'ann', 0)])

    result = scored(data, tmp_path / 'out')

    assert result['marks'] == {
        'read': 14,
        'uncertain': 1,
        'items': 8,
        'multiply_rated': 4,
        'without_majority': 1,
        'without_look': 1,
        'scored': 6,
        'unknown': 1,
    }
    majority = result['majority']
    counts = ('items', 'videos', *(f'{t}_{n}' for t in ('true', 'false') for n in POLES))
    assert [majority[name] for name in counts] == [6, 1, 2, 1, 1, 2]
    assert majority['accuracy'] == {'value': 0.5, 'low': None, 'high': None, 'num_undefined': 0}
    assert majority['precision']['value'] == pytest.approx(2 / 3)
    assert majority['recall']['value'] == 0.5
    assert majority['balanced_accuracy']['value'] == 0.5
    assert result['missed_by_state'] == {'OUT_OF_VIEW': 1, 'UNKNOWN': 1}
    assert result['imagined_by_state'] == {'VISIBLE': 1}
    # All agree, and more than one: the mug at 2 s and the plate at 7 s, both right.
    assert result['unanimous']['items'] == 2
    assert result['unanimous']['accuracy']['value'] == 1.0
    assert result['by_participant']['of_v1']['items'] == 6


def test_agreement_is_that_computed_by_hand(recording: Path, tmp_path: Path) -> None:
    votes: dict[tuple[str, str, float], Votes] = {
        ('v1', 'm1', 3.0): {'ann': 1, 'bob': 1, 'cy': 0},
        ('v1', 'm1', 4.0): {'ann': 1, 'bob': 1},
        ('v1', 'm1', 7.0): {'ann': 0, 'bob': 0},
        ('v1', 'm1', 8.0): {'ann': 1, 'bob': 0},
        ('v1', 'p1', 7.0): {'ann': 0},
    }

    agreement = scored(write_data(tmp_path / 'data', recording, votes), tmp_path / 'out')[
        'agreement'
    ]

    # 9 values, 5 yes and 4 no: 4/2 + 2/1 disagreeing pairs, of 2 * 5 * 4 expected ones.
    assert agreement['krippendorff_alpha'] == pytest.approx(1 - 8 * (2 + 2) / 40)
    assert agreement['unanimous'] == 0.5
    # Ann and Bob: 3 of 4 agree; by chance 3/4 * 2/4 + 1/4 * 2/4 = 1/2.
    assert agreement['pairwise_kappa'] == {
        'ann | bob': {'kappa': 0.5, 'items': 4},
        'ann | cy': {'kappa': 0.0, 'items': 1},
        'bob | cy': {'kappa': 0.0, 'items': 1},
    }
    assert agreement['visible_rate'] == {'ann': 0.6, 'bob': 0.5, 'cy': 0.0}


def test_interval_is_over_whole_videos(recording: Path, tmp_path: Path) -> None:
    # All of one video is right, all of the other wrong: resamples have 0, 1/2 or 1.
    votes: dict[tuple[str, str, float], Votes] = {
        **{('v1', 'p1', t): {'ann': 1} for t in (2.0, 3.0, 4.0, 5.0)},
        **{('v2', 'p1', t): {'ann': 0} for t in (2.0, 3.0, 4.0, 5.0)},
    }
    data = write_data(tmp_path / 'data', recording, votes, videos=('v1', 'v2'))

    result = scored(data, tmp_path / 'out')

    accuracy = result['majority']['accuracy']
    assert accuracy == {'value': 0.5, 'low': 0.0, 'high': 1.0, 'num_undefined': 0}
    # A quarter of the resamples has nothing that is visible: no recall.
    undefined = result['majority']['recall']['num_undefined']
    assert undefined == pytest.approx(2500, abs=200)
    assert result['by_participant']['of_v1']['accuracy'] == 1.0
    assert result['by_participant']['of_v2']['accuracy'] == 0.0


@pytest.mark.parametrize(
    ('t_sec', 'state'),
    [
        (5.4, 'right'),  # nearest look at 5 s
        (5.5, 'right'),  # the earlier of two
        (5.6, 'wrong'),
        (12.0, 'wrong'),  # 1 s after the last look
        (12.001, 'none'),
        (-1.0, 'wrong'),  # 1 s before the first, when the plate was not yet known
        (-1.001, 'none'),
    ],
)
def test_mark_is_compared_with_the_nearest_look_within_a_second(
    t_sec: float, state: str, recording: Path, tmp_path: Path
) -> None:
    data = write_data(tmp_path / 'data', recording, {('v1', 'p1', t_sec): {'ann': 1}})

    result = scored(data, tmp_path / 'out')

    found = 'none' if result['marks']['without_look'] else 'wrong'
    if result['majority']['true_positives']:
        found = 'right'
    assert found == state


def test_recording_without_any_look_leaves_its_marks_open(tmp_path: Path) -> None:
    with BagRecorder(tmp_path / 'blind.mcap') as sink:
        sink.write_movement(BASE_STAMP_NS, MovementReport('p1', 'plate', BASE_STAMP_NS))
    votes: dict[tuple[str, str, float], Votes] = {('v1', 'p1', 0.0): {'ann': 1}}
    data = write_data(tmp_path / 'data', tmp_path / 'blind.mcap', votes)

    marks = scored(data, tmp_path / 'out')['marks']

    assert (marks['without_look'], marks['scored']) == (1, 0)


def test_marks_in_another_order_score_alike(recording: Path, tmp_path: Path) -> None:
    votes: dict[tuple[str, str, float], Votes] = {
        ('v2', 'p1', 3.0): {'ann': 1, 'bob': 0, 'cy': 1},
        ('v1', 'p1', 7.0): {'ann': 1, 'bob': 0},
        ('v1', 'm1', 3.0): {'bob': 1},
    }
    here = write_data(tmp_path / 'here', recording, votes, videos=('v1', 'v2'))
    turned = {key: dict(reversed(votes[key].items())) for key in reversed(votes)}
    there = write_data(tmp_path / 'there', recording, turned, videos=('v1', 'v2'))

    assert scored(there, tmp_path / 'b') == scored(here, tmp_path / 'a')


def test_marks_change_no_prediction(recording: Path, tmp_path: Path) -> None:
    here = write_data(tmp_path / 'here', recording, {})
    there = write_data(tmp_path / 'there', recording, {('v1', 'p1', 3.0): {'ann': 0}})
    run_predict(AUDIT, here, tmp_path / 'a')
    run_predict(AUDIT, there, tmp_path / 'b')

    for name in AUDIT.predictions:
        assert (tmp_path / 'b' / name).read_bytes() == (tmp_path / 'a' / name).read_bytes()


def test_score_without_any_mark_is_of_nothing(recording: Path, tmp_path: Path) -> None:
    result = scored(write_data(tmp_path / 'data', recording, {}), tmp_path / 'out')

    assert result['majority']['items'] == 0
    assert result['majority']['accuracy']['value'] is None
    assert result['agreement']['krippendorff_alpha'] is None
    json.dumps(result, allow_nan=False)


# Damaged files.


@pytest.mark.parametrize(
    ('row', 'found'),
    [
        (
            ('', 'p', 'bag.mcap', 1, ''),
            'expected a value for video_id, found none at videos.csv:2',
        ),
        (('v', ' ', 'bag.mcap', 1, ''), 'expected a value for participant_id, found none'),
        (('v', 'p', '', 1, ''), "expected a bag in the folder, found ''"),
        (('v', 'p', '../bag.mcap', 1, ''), "expected a bag in the folder, found '../bag.mcap'"),
        (('v', 'p', '/etc/passwd', 1, ''), "expected a bag in the folder, found '/etc/passwd'"),
        (('v', 'p', 'other.mcap', 1, ''), 'expected the bag other.mcap, found none'),
        (('v', 'p', 'bag.mcap', 0, ''), 'expected a stamp above 0 as start_ns in line 2'),
        (('v', 'p', 'bag.mcap', 'noon', ''), 'expected a whole number as start_ns in line 2'),
        (('v', 'p', 'bag.mcap', 1), 'expected a value for preset in line 2'),
    ],
    ids=str,
)
def test_damaged_video_is_one_line(row: Sequence[object], found: str, tmp_path: Path) -> None:
    (tmp_path / 'bag.mcap').touch()
    write_table(tmp_path / 'videos.csv', VIDEO_COLUMNS, [row])

    with pytest.raises(DatasetError, match=re.escape(found)) as caught:
        read_videos(tmp_path)

    assert '\n' not in str(caught.value)


def test_unknown_preset_is_one_line(tmp_path: Path) -> None:
    (tmp_path / 'bag.mcap').touch()
    write_table(tmp_path / 'videos.csv', VIDEO_COLUMNS, [('v', 'p', 'bag.mcap', 1, 'wild')])

    with pytest.raises(ConfigError, match='wild'):
        read_videos(tmp_path)


def test_preset_is_that_of_a_live_memory_unless_told(tmp_path: Path) -> None:
    (tmp_path / 'bag.mcap').touch()
    write_table(tmp_path / 'videos.csv', VIDEO_COLUMNS, [('v', 'p', 'bag.mcap', 1, '')])

    assert read_videos(tmp_path)['v'].preset.name == 'live'


@pytest.mark.parametrize(
    ('rows', 'found'),
    [
        ([], 'expected videos, found none'),
        ([('v', 'p', 'bag.mcap', 1, '')] * 2, 'expected each video once, found v again'),
    ],
)
def test_videos_are_some_and_each_once(
    rows: list[Sequence[object]], found: str, tmp_path: Path
) -> None:
    (tmp_path / 'bag.mcap').touch()
    write_table(tmp_path / 'videos.csv', VIDEO_COLUMNS, rows)

    with pytest.raises(DatasetError, match=found):
        read_videos(tmp_path)


@pytest.mark.parametrize(
    ('row', 'found'),
    [
        (('', 'p1', 1, 'ann', 1, 0), 'expected a value for video_id, found none at marks.csv:2'),
        (('v1', '', 1, 'ann', 1, 0), 'expected a value for object_id, found none'),
        (('v1', 'p1', 1, '', 1, 0), 'expected a value for annotator, found none'),
        (('v1', 'p1', 'noon', 'ann', 1, 0), 'expected a number as t_sec in line 2'),
        (('v1', 'p1', 'nan', 'ann', 1, 0), 'expected a finite t_sec, found nan'),
        (('v1', 'p1', 1, 'ann', 'yes', 0), "expected 0 or 1 as visible, found 'yes'"),
        (('v1', 'p1', 1, 'ann', 1, ''), "expected 0 or 1 as uncertain, found ''"),
        (('v1', 'p1', 1, 'ann', 1), 'expected a value for uncertain in line 2'),
    ],
    ids=str,
)
def test_damaged_mark_is_one_line(row: Sequence[object], found: str, tmp_path: Path) -> None:
    write_table(tmp_path / 'marks.csv', MARK_COLUMNS, [row])

    with pytest.raises(DatasetError, match=re.escape(found)) as caught:
        read_marks(tmp_path)

    assert '\n' not in str(caught.value)


def test_second_mark_of_one_person_is_one_line(tmp_path: Path) -> None:
    rows = [('v1', 'p1', 1.0, 'ann', 1, 0), ('v1', 'p1', '1.0001', 'ann', 0, 0)]
    write_table(tmp_path / 'marks.csv', MARK_COLUMNS, rows)

    with pytest.raises(DatasetError, match=r'found another one of ann on p1 at marks\.csv:3'):
        read_marks(tmp_path)


def test_mark_on_an_unlisted_video_is_one_line(recording: Path, tmp_path: Path) -> None:
    data = write_data(tmp_path / 'data', recording, {('v9', 'p1', 3.0): {'ann': 1}})

    with pytest.raises(DatasetError, match=r'expected videos of videos\.csv, found v9'):
        scored(data, tmp_path / 'out')


@pytest.mark.parametrize('name', ['videos.csv', 'marks.csv'])
def test_missing_file_is_one_line(name: str, recording: Path, tmp_path: Path) -> None:
    data = write_data(tmp_path / 'data', recording, {})
    (data / name).unlink()

    with pytest.raises(DatasetError, match=rf'expected {name}, found none'):
        scored(data, tmp_path / 'out')


def test_bag_whose_clock_is_set_back_is_one_line(
    recording: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_data(tmp_path / 'data', recording, {})

    class TwiceTheSame(BagFrameSource):
        """The bag, and then again from its start."""

        def frames(self) -> Iterator[SensedFrame]:
            yield from super().frames()
            for frame in super().frames():
                yield replace(frame, epoch=1)

    monkeypatch.setattr(track_audit, 'BagFrameSource', TwiceTheSame)

    with pytest.raises(DatasetError, match='expected one run of the clock, found it set back'):
        run_predict(AUDIT, tmp_path / 'data', tmp_path / 'out')
