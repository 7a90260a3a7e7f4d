"""What the page asks over HTTP: the answers of the core, as of the time asked about."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from st_memory.cli.main import main
from st_memory.cli.query_options import QUESTIONS as TYPED
from st_memory.view.questions import QUESTIONS
from test.core.queries.story import COUNTER_P, DRAWER_P, make_story
from test.view.client import Client

# What a shell needs beside the question to be asked the same.
_ABOUT = {
    'contents': ['drawer_1'], 'changes': [], 'predict': [], 'list': [], 'events': ['cup'],
    'timeline': ['mug', '--limit', '200'],
}  # fmt: skip


def test_search_box_has_every_question_of_the_command_line(story: Client) -> None:
    assert {*QUESTIONS, 'events'} == set(TYPED)
    assert [q['name'] for q in story.get('/api/summary')['questions']] == [*QUESTIONS, 'events']


@pytest.mark.parametrize('question', TYPED)
@pytest.mark.parametrize('after', [None, 8.0])
def test_answer_is_that_of_the_command_line(
    question: str,
    after: float | None,
    story: Client,
    files: dict[str, Path],
    capsys: pytest.CaptureFixture[str],
) -> None:
    what = _ABOUT.get(question, ['mug'])
    at = [] if after is None else ['--at', f'+{after}']
    main(['query', str(files['story']), question, *what, *at, '--json'])
    typed = json.loads(capsys.readouterr().out)

    asked = {'question': question, 'what': what[0] if what else ''}
    if after is not None:
        asked['after'] = str(after)
    answer = story.get('/api/ask', **asked)

    assert answer['answer'] == typed
    assert answer['sentence']


def test_search_box_takes_options_of_a_question(story: Client) -> None:
    moves = story.get('/api/ask', question='moves', what='mug', since=9)
    beside = story.get('/api/ask', question='relative', what='mug', reference='plate_1')

    assert moves['answer']['count'] == 1
    assert beside['answer']['reference'] == 'plate_1'


def test_events_are_found_by_label_and_for_an_unknown_name_there_is_a_reason(
    story: Client,
) -> None:
    answer = story.get('/api/ask', question='events', what='cup')

    assert [e['event_type'] for e in answer['answer']] == ['appeared', 'moved', 'moved']
    assert answer['sentence'].startswith('I know of 3 events of cup')
    assert 'unicorn' in story.refusal('/api/ask', question='events', what='unicorn')[1]


def test_unknown_is_an_answer_with_its_reason(story: Client) -> None:
    answer = story.get('/api/ask', question='where', what='unicorn')

    assert answer['status'] == 'NOT_YET_SEEN'
    assert 'unicorn' in answer['sentence']


def _where(page: dict[str, Any], object_id: str) -> Any:
    return next(o for o in page['objects'] if o['id'] == object_id)


def test_map_is_as_of_the_time_asked_about(story: Client) -> None:
    early, late = story.get('/api/map', after=8), story.get('/api/map')

    assert _where(early, 'mug_1')['place'] == list(DRAWER_P)
    assert _where(late, 'mug_1')['place'] == list(COUNTER_P)
    assert _where(late, 'plate_1')['state'] == 'IN_MOTION'
    assert [f['id'] for f in late['fixtures']] == ['counter_1', 'drawer_1', 'drawer_2', 'table_1']
    assert early['at']['after'] == 8.0
    assert late['at']['after'] == 19.0


def test_map_has_the_cameras_as_of_then(story: Client) -> None:
    (camera,) = [c for c in story.get('/api/map', after=5)['cameras'] if not c['is_base']]

    assert camera['place'] == [0.0, 0.0, 0.0]
    assert camera['age'] == 0.0
    assert len(camera['trail']) == 6


def test_timeline_uses_nothing_later(story: Client) -> None:
    early = _where(story.get('/api/timeline', after=8), 'mug_1')
    late = _where(story.get('/api/timeline'), 'mug_1')

    assert [s['fixture'] for s in early['stays']] == ['table_1', 'drawer_1']
    assert [s['fixture'] for s in late['stays']] == ['table_1', 'drawer_1', 'counter_1']
    assert early['stays'][-1]['end'] is None
    assert late['stays'][1] == {
        'start': 7.0, 'end': 11.0, 'fixture': 'drawer_1', 'place': list(DRAWER_P),
        'source': 'annotation',
    }  # fmt: skip
    assert [e['type'] for e in early['events']] == ['appeared', 'moved']
    assert [e['type'] for e in late['events']] == ['appeared', 'moved', 'moved']


def test_object_that_appears_later_is_not_listed_before(story: Client) -> None:
    assert 'spoon_1' not in [o['id'] for o in story.get('/api/objects', after=4)['objects']]
    assert 'spoon_1' in [o['id'] for o in story.get('/api/objects', after=5)['objects']]


@pytest.mark.parametrize(
    ('given', 'expected'),
    [
        ({}, ['bowl_1', 'mug_1', 'plate_1', 'spoon_1']),
        ({'find': 'CUP'}, ['mug_1']),  # an alias
        ({'find': 'nothing has this'}, []),
        ({'visibility': 'absent'}, ['bowl_1']),
        ({'fixture': 'drawer_1'}, ['spoon_1']),
        ({'label': 'plate'}, ['plate_1']),
        ({'limit': 1, 'offset': 1}, ['mug_1']),
        ({'offset': 9}, []),
        ({'sort': 'moves', 'limit': 1}, ['mug_1']),
        ({'sort': 'last_seen', 'limit': 1}, ['plate_1']),
        ({'sort': 'label', 'find': '_1', 'limit': 2}, ['bowl_1', 'mug_1']),
    ],
)
def test_list_has_what_passes_the_filters(
    given: dict[str, object], expected: list[str], story: Client
) -> None:
    page = story.get('/api/objects', **given)

    assert [o['id'] for o in page['objects']] == expected


def test_page_of_an_object_tells_where_it_was_and_on_what_that_rests(story: Client) -> None:
    page = story.get('/api/object', id='mug_1', after=8)

    assert page['object']['fixture_id'] == 'drawer_1'
    assert page['sentence'] == page['told'][0]['sentence']
    assert all(t['sentence'] for t in page['told'])
    assert len(page['row']['stays']) == 2
    assert page['pictures'].startswith('No pictures are kept')


def test_evidence_is_the_newest_first_and_bounded(clients: dict[str, Client]) -> None:
    (seen,) = clients['huge'].get('/api/object', id='thing_0007')['evidence']

    assert seen['id'] == 'o7'
    assert seen['camera'] == 'head'
    assert seen['after'] == 0.0


def test_unknown_object_is_told_and_no_error(story: Client) -> None:
    page = story.get('/api/object', id='unicorn_1')

    assert page['object'] is None
    assert page['status'] == 'NOT_YET_SEEN'
    assert 'unicorn_1' in page['sentence']


@pytest.mark.parametrize('path', ['summary', 'objects', 'timeline', 'map', 'object', 'ask'])
def test_empty_memory_is_answered(path: str, clients: dict[str, Client]) -> None:
    given = {'ask': {'what': 'mug'}, 'object': {'id': 'mug_1'}}.get(path, {})

    page = clients['empty'].get(f'/api/{path}', **given)

    if path == 'summary':
        assert page['epochs'] == []
    else:
        assert 'empty' in page['sentence']


@pytest.mark.parametrize('path', ['objects', 'timeline'])
def test_huge_memory_comes_a_page_at_a_time(path: str, clients: dict[str, Client]) -> None:
    client = clients['huge']
    first = client.get(f'/api/{path}')
    last = client.get(f'/api/{path}', offset=950)

    assert first['total'] == last['total'] == 1000
    assert len(first['objects']) == len(last['objects']) == 50
    assert last['objects'][-1]['id'] == 'thing_0999'


def test_page_is_bounded_whatever_is_asked(clients: dict[str, Client]) -> None:
    code, line = clients['huge'].refusal('/api/objects', limit=1000)

    assert code == 400
    assert line == "parameter 'limit': expected a whole number from 0 to 200, got '1000'"


@pytest.mark.parametrize(
    ('path', 'given', 'expected'),
    [
        ('objects', {'colour': 'red'}, "parameter 'colour': expected one of after, "),
        ('objects', {'after': 'noon'}, 'expected seconds after the first frame, got'),
        ('objects', {'after': 'nan'}, 'expected seconds after the first frame'),
        ('objects', {'after': '1e400'}, 'expected seconds after the first frame'),
        ('objects', {'after': '9' * 30}, 'expected seconds after the first frame'),
        ('objects', {'epoch': 7}, 'the memory has no epoch 7; known are: 0'),
        ('objects', {'epoch': -1}, 'expected a whole number'),
        ('objects', {'offset': '٣'}, 'expected a whole number'),
        ('objects', {'visibility': 'purple'}, 'expected one of '),
        ('objects', {'sort': 'size'}, 'expected one of id, label, last_seen, moves'),
        ('objects', {'find': 'x' * 3000}, 'expected at most 2000 characters, got 3000'),
        ('ask', {'question': 'why', 'what': 'mug'}, 'expected one of where, '),
        ('ask', {'question': 'where'}, 'where: name the object'),
        ('ask', {'question': 'contents'}, 'contents: name the holder'),
        ('ask', {'question': 'moves', 'what': 'mug', 'since': 'then'}, "parameter 'since': "),
        ('map', {'what': 'mug'}, "parameter 'what': expected one of after, epoch"),
    ],
)
def test_bad_request_gets_one_line(
    path: str, given: dict[str, object], expected: str, story: Client
) -> None:
    code, line = story.refusal(f'/api/{path}', **given)

    assert code == 400
    assert expected in line


def test_parameter_that_is_given_twice_is_refused(story: Client) -> None:
    reply = story.send('/api/objects', query='find=a&find=b')

    assert reply.code == 400
    assert reply.json['error'] == "parameter 'find': expected it once"


def test_time_before_the_first_frame_is_an_answer(story: Client) -> None:
    page = story.get('/api/objects', after=-5)

    assert page['objects'] == []
    assert page['status'] == 'NOT_YET_SEEN'


@pytest.mark.parametrize('word', ["' OR 1=1 --", '"; DROP TABLE head', '%', '\ud800x'])
def test_words_are_values_and_never_sql(word: str, story: Client) -> None:
    word = word.encode('utf-8', 'replace').decode()

    assert story.get('/api/object', id=word)['object'] is None
    assert story.get('/api/objects', find=word)['objects'] == []
    assert story.get('/api/objects', label=word)['objects'] == []
    assert len(story.get('/api/objects')['objects']) == 4


def test_name_that_is_no_text_is_one_line(story: Client) -> None:
    code, line = story.refusal('/api/object', id='\x00')

    assert code == 400
    assert 'U+0000' in line


def test_fault_is_one_line_here_and_a_trace_in_the_log(
    clients: dict[str, Client], caplog: pytest.LogCaptureFixture, monkeypatch: Any
) -> None:
    def fail(*_given: object) -> None:
        raise RuntimeError('boom')

    monkeypatch.setattr('st_memory.view.application.epochs_fields', fail)
    code, line = clients['story'].refusal('/api/summary')

    assert code == 500
    assert line == 'a fault in st_memory: RuntimeError; see the terminal'
    assert 'boom' in caplog.text


def test_what_a_node_writes_meanwhile_is_there_for_the_next_request(tmp_path: Path) -> None:
    from st_memory.asking import MemoryFile
    from st_memory.storage import SqliteMemoryStore
    from st_memory.view.application import build_app
    from test.core.queries.conftest import commit
    from test.view.memories import empty_file

    path = empty_file(tmp_path / 'live.db')
    state = make_story(until=1.0).objects_at()[0]
    with MemoryFile(path) as memory, SqliteMemoryStore.open(path) as writer:
        client = Client(build_app(memory, 'live.db', 'map'))
        before = client.get('/api/objects')
        commit(writer, 1.0, state, seq=0)
        now = client.get('/api/objects')
        commit(writer, 3.0, seq=1)
        later = client.get('/api/summary')

    assert before['total'] == 0
    assert [o['id'] for o in now['objects']] == ['mug_1']
    assert later['epochs'][0]['seconds'] == 2.0


def test_file_that_cannot_be_read_any_more_is_said(tmp_path: Path) -> None:
    from st_memory.asking import MemoryFile
    from st_memory.view.application import build_app
    from test.view.memories import story_file

    memory = MemoryFile(story_file(tmp_path / 'gone.db'))
    client = Client(build_app(memory, 'gone.db', 'map'))
    memory.close()

    code, line = client.refusal('/api/summary')

    assert code == 503
    assert line.endswith('gone.db: memory is closed')
