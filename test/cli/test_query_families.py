"""Every question on the command line: its sentence, its table, its JSON, its refusals."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from st_memory.cli.query_options import ABOUT_ONE, QUESTIONS
from st_memory.storage import SqliteMemoryStore
from test.cli.conftest import RunCli
from test.cli.test_query import _message, _response
from test.core.queries.story import make_story

# Question -> the service whose response it has.
SERVICES = {
    'where': 'LocateObject',
    'visible': 'GetVisibility',
    'timeline': 'GetTimeline',
    'last-seen': 'WhenLastVisible',
    'last-placed': 'WhenLastPlaced',
    'itinerary': 'GetItinerary',
    'relative': 'RelativePose',
    'fixture': 'NearestFixture',
    'find': 'FindItem',
    'contents': 'ListContents',
    'changes': 'ListChanges',
    'predict': 'PredictInteraction',
}
# What the command says in other words: the object stands beside the answer, not in it.
_SAID_OTHERWISE = {
    'object_id',
    'label',
    'header',
    'azimuth_rad',
    'elevation_rad',
    'relation',
    'camera',
    'out_of_sight_for',
    'interval',
    'pose',
    'pose_valid',
    'placement',
    'num_moves',
}
NEEDS = {name: ['mug'] for name in ABOUT_ONE} | {'contents': ['drawer_1']}


def words_of(value: object) -> str | None:
    """Name a test after what is typed."""
    return ' '.join(value) if isinstance(value, list) and len(value) < 8 else None


@pytest.fixture(scope='module')
def story_db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The story as a memory file."""
    path = tmp_path_factory.mktemp('story') / 'story.db'
    with SqliteMemoryStore.open(path) as store:
        make_story(store=store)
    return path


def ask(cli: RunCli, db: Path, *words: object) -> Any:
    result = cli('query', db, *words, '--json')
    assert result.code == 0, result.err
    return json.loads(result.out)


# What people read: a sentence, and the parts below it.


@pytest.mark.parametrize(
    ('words', 'lines'),
    [
        (
            ['where', 'mug', '--at', '8'],
            ['The mug (mug_1) is inside drawer_1, visible, seen just now.'],
        ),
        (['first-seen', 'bowl'], ['The bowl (bowl_1) was first seen 17 s ago.']),
        (['last-detected', 'mug'], ['The mug (mug_1) was last detected 5.0 s ago.']),
        (
            ['static-since', 'mug'],
            ['The mug (mug_1) has been at counter_1 without moving since 5.0 s ago.'],
        ),
        (['moves', 'mug'], ['The mug (mug_1) has been moved 2 times, last 5.0 s ago.']),
        (
            ['moves', 'mug', '--since', '+8'],
            ['The mug (mug_1) has been moved once in the last 11 s, last 5.0 s ago.'],
        ),
        (
            ['itinerary', 'mug'],
            [
                'The mug (mug_1) was at table_1 from 19 s ago, at drawer_1 from 12 s ago and then '
                'at counter_1 from 5.0 s ago, where it is still believed to be.',
                'start  end    fixture    x y z [m]       source',
                '+0.0   +4.0   table_1    2.00 0.00 1.00  first_seen',
                '+7.0   +11.0  drawer_1   4.00 1.00 0.50  annotation',
                '+14.0  -      counter_1  0.00 3.00 1.00  observed',
            ],
        ),
        (
            ['contents', 'drawer_1', '--at', '8'],
            [
                'Inside drawer_1 are mug_1 and spoon_1.',
                'object   label  x y z [m]       fixture   visibility  last seen  moves',
                'mug_1    mug    4.00 1.00 0.50  drawer_1  VISIBLE     now        1',
                'spoon_1  spoon  4.00 1.00 0.50  drawer_1  VISIBLE     2.0 s ago  0',
            ],
        ),
        (['contents', 'drawer_2'], ['Inside drawer_2 is nothing that I know of.']),
        (
            ['changes', '--since', '13', '--at', '14'],
            [
                'I know of 1 change: bowl_1 is no longer at counter_1.',
                'when   change  what    how',
                '+13.0  gone    bowl_1  is no longer at counter_1',
            ],
        ),
        (['changes', '--since', '16', '--at', '17'], ['Nothing that I know of has changed.']),
        (
            ['fixture', 'mug', '--at', '9', '--limit', '1'],
            [
                'The mug (mug_1) is at drawer_1, inside its box; next are table_1 (1.58 m), '
                'drawer_2 (3.80 m) and counter_1 (3.81 m).',
                'other fixture  [m]',
                'table_1        1.58',
            ],
        ),
        (
            ['fixture', '--point', '2', '0', '1.5', '--limit', '1'],
            [
                '(2.00, 0.00, 1.50) m is 0.50 m from table_1; next are drawer_1 (2.13 m), '
                'counter_1 (2.96 m) and drawer_2 (5.91 m).',
                'other fixture  [m]',
                'drawer_1       2.13',
            ],
        ),
        (
            ['relative', 'spoon', '--scheme', 'clock'],
            ["The spoon (spoon_1) is 4.15 m away at your 12 o'clock."],
        ),
        (
            ['relative', 'spoon', '--reference', 'mug_1', '--scheme', '4'],
            ['The spoon (spoon_1) is 4.50 m from mug_1, to the front-right of it as you see it.'],
        ),
        (['last-placed', 'mug'], ['The mug (mug_1) was last put down at counter_1 5.0 s ago.']),
    ],
    ids=words_of,
)
def test_question_prints_its_sentence_and_its_parts(
    words: list[str], lines: list[str], cli: RunCli, story_db: Path
) -> None:
    result = cli('query', story_db, *words)

    assert (result.code, result.err) == (0, '')
    assert result.out.splitlines() == lines


def test_find_prints_the_steps(cli: RunCli, story_db: Path) -> None:
    result = cli('query', story_db, 'find', 'mug')

    sentence, header, *steps = result.out.splitlines()
    assert sentence.startswith('The mug (mug_1) was left at counter_1: turn left')
    assert header.split() == ['step', '[m]', 'x', 'y', 'z', '[m]', 'what', 'to', 'do']
    assert [row.split()[0] for row in steps] == [str(k + 1) for k in range(len(steps))]
    assert '0.00 3.00 1.00   it is at counter_1, ' in steps[-1]


def test_predict_prints_the_fixtures_by_their_probability(cli: RunCli, story_db: Path) -> None:
    result = cli('query', story_db, 'predict', '--limit', '2')

    sentence, header, *rows = result.out.splitlines()
    assert sentence.startswith('Most likely ')
    assert header.split() == ['fixture', 'probability', 'in', '[s]', 'why']
    shares = [float(row.split()[1]) for row in rows]
    assert len(shares) == 2
    assert shares == sorted(shares, reverse=True)


@pytest.mark.parametrize(
    ('words', 'expected'),
    [
        (['--container', 'drawer_1'], ['spoon_1']),
        (['--near', '4', '1', '0.5', '--within', '0.1'], ['spoon_1']),
        (['--near', '4', '1', '0.5'], ['spoon_1']),
        (['--near', '0', '3', '1', '--within', '9'], ['bowl_1', 'mug_1', 'plate_1', 'spoon_1']),
        (['--visibility', 'absent'], ['bowl_1']),
        (['--visibility', 'in_motion'], ['plate_1']),
        (['--moved-since', '10'], ['mug_1', 'plate_1']),
        (['--id', 'mug_1'], ['mug_1']),
        (['--label', 'cup'], ['mug_1']),  # an alias
        (['--fixture', 'counter_1', '--moved-since', '10'], ['mug_1']),
        (['--at', '2'], ['mug_1', 'plate_1']),
    ],
    ids=words_of,
)
def test_list_filters_are_combined(
    words: list[str], expected: list[str], cli: RunCli, story_db: Path
) -> None:
    assert [o['object_id'] for o in ask(cli, story_db, 'list', *words)['objects']] == expected


# What programs read.


@pytest.mark.parametrize('question', sorted(SERVICES))
def test_json_has_the_fields_of_the_service(question: str, cli: RunCli, story_db: Path) -> None:
    answer = ask(cli, story_db, question, *NEEDS.get(question, []))

    assert _response(SERVICES[question]) - _SAID_OTHERWISE <= set(answer)


@pytest.mark.parametrize(
    ('question', 'field', 'message'),
    [
        ('itinerary', 'placements', 'Placement'),
        ('changes', 'changes', 'Change'),
        ('contents', 'objects', 'ObjectState'),
        ('predict', 'fixtures', 'RankedFixture'),
        ('find', 'steps', 'RouteStep'),
    ],
)
def test_json_rows_have_every_field_of_their_message(
    question: str, field: str, message: str, cli: RunCli, story_db: Path
) -> None:
    rows = ask(cli, story_db, question, *NEEDS.get(question, []))[field]

    assert _message(message) <= set(rows[0])


def test_json_fixture_has_the_fields_of_its_message(cli: RunCli, story_db: Path) -> None:
    answer = ask(cli, story_db, 'fixture', 'mug')

    # Whether a door is open is told by TF, not by a memory file.
    assert _message('Fixture') - {'open_fraction', 'state_known'} <= set(answer['fixture'])
    assert answer['annotated_fixture_id'] == 'counter_1'


@pytest.mark.parametrize('question', sorted(set(QUESTIONS) - {'list', 'events'}))
def test_json_is_the_answer_that_is_printed(question: str, cli: RunCli, story_db: Path) -> None:
    needs = NEEDS.get(question, [])
    answer = ask(cli, story_db, question, *needs)

    first = cli('query', story_db, question, *needs).out.splitlines()[0]
    assert first == answer['sentence']
    assert answer['as_of'] == {'sec': 20, 'nanosec': 0}
    # No camera judged anything in the story.
    expected = 'UNKNOWN' if question in ('visible', 'timeline') else 'KNOWN'
    assert answer['status_name'] == expected


@pytest.mark.parametrize('question', sorted(set(QUESTIONS) - {'events'}))
def test_question_as_of_a_time_is_that_of_a_memory_that_ends_there(
    question: str, cli: RunCli, story_db: Path, tmp_path: Path
) -> None:
    short = tmp_path / 'short.db'
    with SqliteMemoryStore.open(short) as store:
        make_story(9.0, store)
    needs = NEEDS.get(question, [])

    assert ask(cli, story_db, question, *needs, '--at', '9') == ask(cli, short, question, *needs)


# Free text.


def test_bare_words_that_are_no_name_are_taken_by_their_meaning(
    cli: RunCli, story_db: Path
) -> None:
    from st_memory.vlm.word_encoder import word_encoder

    if word_encoder() is None:
        pytest.skip('needs the extra words')
    result = cli('query', story_db, 'moves', 'coffee cup')

    assert (result.code, result.out) == (
        0,
        'I know no coffee cup; the closest is the cup. '
        'The mug (mug_1) has been moved 2 times, last 5.0 s ago.\n',
    )
    assert result.err.startswith('note: coffee cup is taken to mean cup, similarity 0.7')


def test_words_that_mean_nothing_here_are_refused(cli: RunCli, story_db: Path) -> None:
    result = cli('query', story_db, 'where', '--text', 'democracy')

    assert (result.code, result.out) == (1, '')
    assert result.err.startswith('st_memory: error: no democracy has been seen by then; ')
    assert result.err.endswith('known are: bowl, mug, plate and spoon\n')


# Refusals: exit 1 with the reason, and the whole answer in JSON.


@pytest.mark.parametrize(
    ('words', 'reason'),
    [
        (['find', 'teapot'], 'no teapot has been seen by then; '),
        (['contents', 'fridge'], 'no fixture or object fridge is known by then; '),
        (['list', '--fixture', 'tabel_1'], 'no fixture or object tabel_1 is known by then; '),
        (['list', '--container', 'drawer_9'], 'no fixture or object drawer_9 is known by then; '),
    ],
    ids=words_of,
)
def test_refusal_is_one_line_and_a_whole_answer(
    words: list[str], reason: str, cli: RunCli, story_db: Path
) -> None:
    told, given = cli('query', story_db, *words), cli('query', story_db, *words, '--json')

    assert (told.code, told.out, given.code) == (1, '', 1)
    assert told.err == given.err
    assert told.err.startswith(f'st_memory: error: {reason}')
    assert told.err.count('\n') == 1
    assert json.loads(given.out)['status_name'] == 'NOT_YET_SEEN'


@pytest.mark.parametrize(
    ('words', 'reason'),
    [
        (['find', 'mug', '--start', 'base'], 'the base has no pose yet'),
        (['predict', '--actor', 'base'], 'the base has no pose yet'),
        (['relative', 'mug', '--reference', 'camera:wrist'], 'camera wrist has not looked yet'),
        (['relative', 'mug', '--reference', 'teapot_1'], 'it is not known where teapot_1 is'),
        (['last-placed', 'spoon'], 'it has not been seen to move'),
        (['static-since', 'plate'], 'it is being moved'),
        (['visible', 'mug', '--camera', 'wrist'], 'camera wrist has not looked yet'),
    ],
    ids=words_of,
)
def test_not_knowing_is_an_answer_with_its_reason(
    words: list[str], reason: str, cli: RunCli, story_db: Path
) -> None:
    result = cli('query', story_db, *words)

    assert result.code == 0
    assert reason in result.out


# Wrong usage: exit 2 with one line that names the mistake.


@pytest.mark.parametrize(
    ('words', 'message'),
    [
        (['where', 'mug', '--limit', '2'], '--limit belongs to timeline, itinerary, '),
        (['where', 'mug', '--since', '+2'], '--since belongs to moves, changes, not to where'),
        (['list', '--scheme', '8'], '--scheme belongs to relative, not to list'),
        (['moves', 'mug', '--camera', 'cam'], '--camera belongs to visible, timeline, last-seen'),
        (['predict', 'mug'], 'predict asks about no object'),
        (['predict', '--text', 'mug'], '--text belongs to'),
        (['where'], 'where needs an object: SELECTOR, --id, --label or --text'),
        (['find'], 'find needs an object'),
        (['contents'], 'contents needs a fixture or object'),
        (['where', 'mug', '--id', 'mug_1'], 'give the object once'),
        (['where', '--label', ''], 'expected a name, got an empty one'),
        (['fixture', 'mug', '--point', '0', '0', '0'], 'give an object or --point, not both'),
        (['fixture', '--point', '0', 'nan', '0'], "expected a finite number, got 'nan'"),
        (['fixture', '--point', '0', '0'], 'expected 3 arguments'),
        (['list', '--within', '2'], '--within needs --near'),
        (['list', '--near', '0', '0', '0', '--within', '0'], 'expected a number above 0'),
        (['predict', '--horizon', '-1'], 'expected a number above 0'),
        (['where', 'mug', '--at', 'noon'], "expected a time, got 'noon': seconds (12.5), "),
        (['events', '--visibility', 'visible'], '--visibility belongs to list, not to events'),
        (['whence', 'mug'], 'invalid choice'),
    ],
    ids=words_of,
)
def test_wrong_usage_is_exit_2_and_names_the_mistake(
    words: list[str], message: str, cli: RunCli, story_db: Path
) -> None:
    result = cli('query', story_db, *words)

    assert (result.code, result.out) == (2, '')
    assert message in result.err


def test_wrong_usage_is_found_before_the_file_is_opened(cli: RunCli, tmp_path: Path) -> None:
    assert cli('query', tmp_path / 'none.db', 'where').code == 2


@pytest.mark.parametrize('option', ['--at', '--since'])
def test_seconds_that_were_meant_from_the_first_frame_are_told_how_to_write(
    option: str, cli: RunCli, walk_db: Path
) -> None:
    # The walk begins at 100 s and lasts 15.8 s: 5 s is long before it.
    result = cli('query', walk_db, 'moves', 'bowl', option, '5')

    assert (result.code, result.out) == (1, '')
    assert result.err == (
        'st_memory: error: time 5 s: the first frame is at 100.0 s; 5 s after it is written +5\n'
    )
    assert cli('query', walk_db, 'moves', 'bowl', option, '+5').code == 0


def test_time_before_the_first_frame_that_is_no_mistake_is_asked_about(
    cli: RunCli, walk_db: Path
) -> None:
    for words in (['where', 'bowl'], ['moves', 'bowl'], ['changes'], ['predict']):
        result = cli('query', walk_db, *words, '--at', '99')

        assert (result.code, result.out) == (1, ''), words
        assert result.err == 'st_memory: error: the memory holds nothing from before that time\n'


def test_since_a_time_after_the_answer_is_one_line(cli: RunCli, story_db: Path) -> None:
    for words in (['changes'], ['moves', 'mug']):
        result = cli('query', story_db, *words, '--since', '12', '--at', '10')

        assert (result.code, result.out) == (1, '')
        assert result.err.startswith('st_memory: error: since: expected a time not after')


@pytest.mark.parametrize(
    'trick', ["'; DROP TABLE object; --", '../../etc/passwd', 'дом 茶碗', 'a\nb', 'x' * 100_000]
)
def test_tricks_in_a_name_are_a_name_that_nobody_knows(
    trick: str, cli: RunCli, story_db: Path
) -> None:
    before = story_db.read_bytes()

    result = cli('query', story_db, 'where', trick)

    assert (result.code, result.out) == (1, '')
    assert result.err.count('\n') == 1
    assert len(result.err) < 400
    assert story_db.read_bytes() == before


def test_empty_memory_says_so(cli: RunCli, tmp_path: Path) -> None:
    db = tmp_path / 'empty.db'
    SqliteMemoryStore.open(db).close()

    for words in (['where', 'mug'], ['contents', 'mug'], ['changes'], ['predict']):
        result = cli('query', db, *words)
        assert (result.code, result.err) == (1, 'st_memory: error: the memory is empty\n'), words
