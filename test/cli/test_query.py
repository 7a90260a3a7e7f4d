"""Questions on the command line."""

from __future__ import annotations

from collections.abc import Mapping
import json
from pathlib import Path
import re
from typing import Any

import pytest

from st_memory.core.memory import MemorySettings, ObjectMemory
from st_memory.storage import SqliteMemoryStore
from test.cli.conftest import RunCli
from test.replay.walk import CARRY, FIRST_NS, STEP_NS
from test.scenarios.synthetic import Ball, sense

INTERFACES = Path(__file__).resolve().parents[2] / 'st_memory_interfaces'


def _fields_of(text: str) -> set[str]:
    """Names of the fields of a message definition; constants are none."""
    found = re.findall(r'^[\w/]+(?:\[\])? +(\w+) *(?:#.*)?$', text, flags=re.MULTILINE)
    return set(found)


def _message(name: str) -> set[str]:
    return _fields_of((INTERFACES / 'msg' / f'{name}.msg').read_text(encoding='utf-8'))


def _response(name: str) -> set[str]:
    text = (INTERFACES / 'srv' / f'{name}.srv').read_text(encoding='utf-8')
    return _fields_of(text.partition('---')[2])


def _ask(cli: RunCli, db: Path, *words: object) -> Any:
    result = cli('query', db, *words, '--json')
    assert result.code == 0, result.err
    return json.loads(result.out)


def _ns(time: Mapping[str, int]) -> int:
    return time['sec'] * 10**9 + time['nanosec']


def test_list_json_has_every_field_of_the_message(cli: RunCli, walk_db: Path) -> None:
    objects = _ask(cli, walk_db, 'list')['objects']

    assert [o['object_id'] for o in objects] == ['bowl_a', 'mug_a']
    assert _message('ObjectState') <= set(objects[0])


def test_list_label_json_counts_moves(cli: RunCli, walk_db: Path) -> None:
    (bowl,) = _ask(cli, walk_db, 'list', '--label', 'bowl')['objects']

    assert (bowl['label'], bowl['num_moves'], bowl['frame']) == ('bowl', 1, 'map')
    assert bowl['pose']['position'] == pytest.approx({'x': 2.2, 'y': -0.9, 'z': 1.0}, abs=1e-6)


def test_list_of_a_label_nobody_saw_is_empty_and_no_error(cli: RunCli, walk_db: Path) -> None:
    answer = _ask(cli, walk_db, 'list', '--label', 'teapot')

    assert (answer['status_name'], answer['objects'], answer['total']) == ('KNOWN', [], 0)
    assert answer['sentence'] == 'I know of 0 such objects.'


@pytest.mark.parametrize(
    'words', [['--label', 'teapot'], ['teapot'], ['--fixture', 'counter_1', '--label', 'teapot']]
)
def test_list_that_nothing_passes_says_so_on_stderr(
    words: list[str], cli: RunCli, walk_db: Path
) -> None:
    result = cli('query', walk_db, 'list', *words)

    assert (result.code, result.out, result.err) == (0, '', 'no object passes the filter\n')


@pytest.mark.parametrize(
    ('words', 'expected'),
    [
        (['--visibility', 'visible'], ['mug_a']),
        (['--visibility', 'out_of_view'], ['bowl_a']),
        (['--fixture', 'counter_1'], ['bowl_a', 'mug_a']),
        (['--fixture', 'counter_1', '--label', 'spoon'], []),
        (['--moved-since', '+5'], ['bowl_a']),
        (['--out-of-sight-since', '+15.7'], ['bowl_a']),
        (['bowl'], ['bowl_a']),
    ],
    ids=str,
)
def test_list_filters(words: list[str], expected: list[str], cli: RunCli, walk_db: Path) -> None:
    assert [o['object_id'] for o in _ask(cli, walk_db, 'list', *words)['objects']] == expected


@pytest.mark.parametrize('words', [['mug'], ['mug_a'], ['--id', 'mug_a'], ['--label', 'MUG']])
def test_where_finds_the_object_by_id_label_or_words(
    words: list[str], cli: RunCli, walk_db: Path
) -> None:
    assert _ask(cli, walk_db, 'where', *words)['object']['object_id'] == 'mug_a'


@pytest.mark.parametrize(
    'time', ['+5', '105', '105.0', '105000000000ns'], ids=['relative', 'int', 'float', 'ns']
)
def test_where_at_a_time_knows_nothing_of_what_came_later(
    time: str, cli: RunCli, walk_db: Path
) -> None:
    answer = _ask(cli, walk_db, 'where', 'bowl', '--at', time)

    assert _ns(answer['as_of']) == 105 * 10**9
    position = answer['object']['pose']['position']
    assert position == pytest.approx({'x': 1.8, 'y': -0.4, 'z': 1.0}, abs=1e-6)
    assert answer['object']['num_moves'] == 0


@pytest.mark.parametrize(
    ('question', 'service'),
    [
        ('where', 'LocateObject'),
        ('visible', 'GetVisibility'),
        ('timeline', 'GetTimeline'),
        ('last-seen', 'WhenLastVisible'),
        ('last-placed', 'WhenLastPlaced'),
        ('relative', 'RelativePose'),
    ],
)
def test_answer_json_shares_its_common_fields_with_the_service(
    question: str, service: str, cli: RunCli, walk_db: Path
) -> None:
    answer = _ask(cli, walk_db, question, 'bowl')

    common = {'status', 'reason', 'sentence', 'evidence_ids', 'as_of'}
    assert common <= _response(service) & set(answer)
    assert (answer['status'], answer['status_name']) == (0, 'KNOWN')


def test_timeline_json_has_every_field_of_the_message(cli: RunCli, walk_db: Path) -> None:
    intervals = _ask(cli, walk_db, 'timeline', 'bowl')['intervals']

    assert _message('VisibilityInterval') <= set(intervals[0])
    assert [i['ongoing'] for i in intervals[-2:]] == [False, True]


def test_timeline_prints_one_line_an_interval(cli: RunCli, walk_db: Path) -> None:
    intervals = _ask(cli, walk_db, 'timeline', 'bowl')['intervals']

    lines = cli('query', walk_db, 'timeline', 'bowl').out.splitlines()

    assert len(lines) == len(intervals) + 2  # the sentence and the header
    assert lines[2].split() == ['+0.0', '+0.8', 'head', 'VISIBLE', 'in_view', '3/4']


def test_last_placed_is_the_end_of_the_movement(cli: RunCli, walk_db: Path) -> None:
    answer = _ask(cli, walk_db, 'last-placed', 'bowl')

    assert _ns(answer['stamp']['stamp']) == FIRST_NS + CARRY[1] * STEP_NS


def test_last_placed_of_what_never_moved_is_an_answer(cli: RunCli, walk_db: Path) -> None:
    result = cli('query', walk_db, 'last-placed', 'mug')

    assert result.code == 0
    assert 'has not been seen to move' in result.out


def test_relative_to_another_object(cli: RunCli, walk_db: Path) -> None:
    answer = _ask(cli, walk_db, 'relative', 'mug', '--reference', 'bowl_a')

    # |(2.0, 0.3) - (2.2, -0.9)|, by hand.
    assert answer['distance_m'] == pytest.approx(1.21655, abs=1e-4)


def test_unknown_object_with_json_still_prints_the_answer(cli: RunCli, walk_db: Path) -> None:
    result = cli('query', walk_db, 'where', 'teapot', '--json')

    assert result.code == 1
    assert json.loads(result.out)['status_name'] == 'NOT_YET_SEEN'
    assert result.err.count('\n') == 1


def test_events_tell_the_move(cli: RunCli, walk_db: Path) -> None:
    events = _ask(cli, walk_db, 'events', 'bowl_a')

    assert [e['event_type'] for e in events] == ['appeared', 'moved']
    assert '+6.0   +8.0  moved' in cli('query', walk_db, 'events').out


def test_events_are_those_of_what_a_label_means(cli: RunCli, two_cups_db: Path) -> None:
    everything = _ask(cli, two_cups_db, 'events')
    of_cups = _ask(cli, two_cups_db, 'events', 'cup')
    of_one = _ask(cli, two_cups_db, 'events', 'cup_2')

    assert [e for e in everything if e in of_cups] == of_cups
    assert len(of_cups) > len(of_one) > 0
    assert 'cup_2' in cli('query', two_cups_db, 'events', 'cup').err


def test_events_of_a_thing_nobody_saw_are_an_error(cli: RunCli, walk_db: Path) -> None:
    for words in (['unicorn'], ['--id', 'unicorn_1']):
        result = cli('query', walk_db, 'events', *words)

        assert (result.code, result.out) == (1, '')
        assert 'has been seen by then; known are: bowl and mug' in result.err


def test_who_is_nobody_is_not_taken_for_the_camera(cli: RunCli, walk_db: Path) -> None:
    for words in (['find', 'bowl', '--start', 'nobody'], ['predict', '--actor', 'nobody']):
        result = cli('query', walk_db, *words)

        assert (result.code, result.out) == (1, '')
        assert "expected base, camera or camera:NAME, got 'nobody'" in result.err


def test_epoch_that_is_not_there_is_an_error(cli: RunCli, walk_db: Path) -> None:
    result = cli('query', walk_db, 'list', '--epoch', '7')

    assert (result.code, result.err) == (
        1,
        'st_memory: error: the memory has no epoch 7; known are: 0\n',
    )


def test_epoch_without_a_time_means_its_end(cli: RunCli, walk_db: Path) -> None:
    whole = _ask(cli, walk_db, 'list')

    assert _ask(cli, walk_db, 'list', '--epoch', '0') == whole


def test_query_writes_nothing(cli: RunCli, walk_db: Path, tmp_path: Path) -> None:
    db = tmp_path / 'copy.db'
    db.write_bytes(walk_db.read_bytes())

    cli('query', db, 'list')

    assert db.read_bytes() == walk_db.read_bytes()


def test_timeline_json_of_a_window_is_cut_limited_and_counted(cli: RunCli, walk_db: Path) -> None:
    window = ('--from', '+0.4', '--to', '+3')
    answer = _ask(cli, walk_db, 'timeline', 'bowl', *window)
    newest = _ask(cli, walk_db, 'timeline', 'bowl', *window, '--limit', 1)

    first = answer['intervals'][0]
    assert _ns(first['start']) == FIRST_NS + 4 * 10**8
    assert (first['state_name'], first['geometry_name']) == ('VISIBLE', 'VISIBLE')
    # Frames at +0.4 s and +0.6 s; the interval began at +0.0 s.
    assert first['num_frames'] == 2
    assert first['confirmed_fraction'] == first['num_confirmed'] / first['num_frames']
    assert _ns(answer['intervals'][-1]['end']) == FIRST_NS + 3 * 10**9
    assert not answer['intervals'][-1]['ongoing']
    assert answer['total'] == newest['total'] == len(answer['intervals']) > 1
    assert newest['intervals'] == answer['intervals'][-1:]


def test_timeline_at_a_past_time_ends_there(cli: RunCli, walk_db: Path) -> None:
    then = _ask(cli, walk_db, 'timeline', 'bowl', '--at', '+0.4')

    assert _ns(then['as_of']) == FIRST_NS + 4 * 10**8
    (only,) = then['intervals']
    assert (only['ongoing'], only['num_frames']) == (True, 3)
    assert then['confirmed_share'] == only['confirmed_fraction']


def test_timeline_of_a_camera_that_never_looked_is_empty(cli: RunCli, walk_db: Path) -> None:
    answer = _ask(cli, walk_db, 'timeline', 'bowl', '--camera', 'wrist')

    assert (answer['status_name'], answer['intervals']) == ('UNKNOWN', [])
    expected = 'camera wrist has not looked yet; cameras that have are: head'
    assert answer['reason'] == expected


def test_timeline_window_that_ends_before_it_starts_is_one_line(
    cli: RunCli, walk_db: Path
) -> None:
    result = cli('query', walk_db, 'timeline', 'bowl', '--from', '+3', '--to', '+2')

    assert result.code == 1
    assert result.err == (
        'st_memory: error: window: expected an end after its start, '
        'got 103000000000 to 102000000000 ns\n'
    )


@pytest.mark.parametrize('limit', ['0', '-1', 'few'])
def test_timeline_limit_must_be_a_number_from_one_on(
    limit: str, cli: RunCli, walk_db: Path
) -> None:
    result = cli('query', walk_db, 'timeline', 'bowl', f'--limit={limit}')

    assert result.code == 2
    assert f'expected a number from 1 on, got {limit!r}' in result.err


def test_relative_in_the_legacy_format_has_quadrants_and_its_own_distances(
    cli: RunCli, walk_db: Path
) -> None:
    words = ('relative', 'mug', '--reference', 'bowl_a')
    answer = _ask(cli, walk_db, *words, '--scheme', 'beyond3d_legacy')

    assert answer['direction'] in {'front-right', 'back-right', 'back-left', 'front-left'}
    assert answer['distance_class'] == 'medium'  # 1.22 m, below 2 m


@pytest.mark.parametrize('question', ['where', 'visible', 'last-seen', 'relative', 'timeline'])
def test_answer_about_one_of_two_says_that_others_fit(
    cli: RunCli, two_cups_db: Path, question: str
) -> None:
    result = cli('query', two_cups_db, question, 'cup')

    assert result.code == 0
    assert 'cup_1' in result.out + result.err
    assert 'cup_2' in result.out + result.err


def test_answer_about_one_alone_says_nothing_more(cli: RunCli, two_cups_db: Path) -> None:
    result = cli('query', two_cups_db, 'visible', 'cup_2')

    assert (result.code, result.err) == (0, '')
    assert 'cup_1' not in result.out


@pytest.fixture(scope='module')
def two_cups_db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A memory of two cups, both in view."""
    db = tmp_path_factory.mktemp('two') / 'cups.db'
    balls = [Ball('cup', (2.0, 0.4, 0.0)), Ball('cup', (2.0, -0.4, 0.0))]
    memory = ObjectMemory(MemorySettings())
    with SqliteMemoryStore.open(db) as store:
        for i in range(8):
            store.commit(memory.integrate(sense(i, balls)))
    return db


def test_where_says_how_likely_it_still_is_there_when_asked(cli: RunCli, walk_db: Path) -> None:
    plain = _ask(cli, walk_db, 'where', 'mug')
    asked = _ask(cli, walk_db, 'where', 'mug', '--stay', '60', '--at', '+86400')

    assert plain['object']['existence_probability'] == 1.0
    assert not plain['object']['existence_estimated']
    assert asked['object']['existence_estimated']
    assert 0.0 < asked['object']['existence_probability'] < 0.5
    assert 'It is still there with a probability of 0.' in asked['sentence']
    assert asked['object']['pose'] == plain['object']['pose']


@pytest.mark.parametrize('words', [['where', 'mug', '--stay', '0'], ['list', '--stay', '60']])
def test_stay_of_no_time_or_of_another_question_is_refused(
    words: list[str], cli: RunCli, walk_db: Path
) -> None:
    result = cli('query', walk_db, *words)

    assert result.code == 2
    assert '--stay' in result.err


def test_list_long_after_the_newest_frame_says_so_on_stderr(cli: RunCli, walk_db: Path) -> None:
    result = cli('query', walk_db, 'list', '--at', '+100')

    assert result.code == 0
    assert result.err.startswith("note: STALE: the memory's newest frame is ")
    assert _ask(cli, walk_db, 'list', '--at', '+100')['status_name'] == 'STALE'


@pytest.mark.parametrize(
    'words',
    [
        ('where', 'm\udcffg'),
        ('where', '--id', 'm\udcffg'),
        ('where', '--text', 'm\udcffg'),
        ('list', 'm\udcffg'),
        ('list', '--container', 'm\udcffg'),
        ('contents', 'm\udcffg'),
        ('changes', 'm\udcffg'),
        ('events', 'm\udcffg'),
        ('relative', 'mug', '--reference', 'm\udcffg'),
    ],
)
def test_name_that_is_no_text_is_one_line(
    cli: RunCli, walk_db: Path, words: tuple[str, ...]
) -> None:
    """So the shell's bytes that are no UTF-8 come in."""
    result = cli('query', walk_db, *words)

    assert (result.code, result.out) == (1, '')
    assert result.err.startswith('st_memory: error: ')
    assert result.err.endswith(r": expected a name, got 'm\udcffg', which holds U+DCFF" + '\n')
