"""What makes a demonstration fail, and how that is told."""

from __future__ import annotations

from collections.abc import Callable, Sequence
import json
from pathlib import Path
from typing import Any

import pytest

from st_memory.cli import demo
from st_memory.cli.demo import processes, report
from st_memory.cli.demo.choosing import Question
from st_memory.cli.demo.marking import MarkedAnswer, NO_ANSWER
from st_memory.cli.demo.processes import NodeRun
from st_memory.cli.demo.verdict import failures, score
from st_memory.core.stamps import stamp_to_sec_nanosec
from test.cli.conftest import RunCli
from test.cli.demo.kitchens import MUG, SPOON, Thing, write_truth

Answer = Callable[[Question], Any]


def _answer(*, correct: bool = True, unseen: bool = True, status: str = 'KNOWN') -> MarkedAnswer:
    return MarkedAnswer(
        question='Where?',
        service='LocateObject',
        status=status,
        answer='There.',
        truth='it is there',
        correct=correct,
        out_of_sight=unseen,
        at_s=3.0,
        latency_ms=2.0,
    )


def test_failures_when_half_of_the_answers_are_right_are_none() -> None:
    assert failures([_answer(), _answer(correct=False)]) == []


def test_failures_when_fewer_than_half_are_right() -> None:
    marked = [_answer(), _answer(correct=False), _answer(correct=False)]

    assert failures(marked) == ['fewer than half of the answers are right']


def test_failures_when_everything_asked_about_is_in_sight() -> None:
    marked = [_answer(unseen=False)] * 2

    assert failures(marked) == ['nothing that was asked about was out of sight']
    assert failures([*marked, _answer()]) == []


def test_failures_name_a_service_that_did_not_answer_once() -> None:
    marked = [*[_answer()] * 3, *[_answer(correct=False, status=NO_ANSWER)] * 2]

    assert failures(marked) == ['no answer from LocateObject']


def test_score_gives_the_share_and_the_median_call() -> None:
    marked = [_answer(), _answer(), _answer(correct=False)]

    assert score(marked) == '2 of 3 answers are right; median call 2.0 ms'


@pytest.fixture
def kitchen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[object]]:
    """Let ``demo`` meet answers of our own instead of nodes; gives the words to run it with."""

    def make(answer: Answer, things: Sequence[Thing] = (MUG, SPOON)) -> list[object]:
        def run_nodes(_: Path, questions: Sequence[Question], *__: Any) -> NodeRun:
            replies = [{'response': answer(q), 'latency_ms': 1.0} for q in questions]
            return NodeRun(replies, tmp_path / 'memory.db')

        write_truth(tmp_path / 'k_truth', things)
        monkeypatch.setattr(processes, 'require_ros', lambda: None)
        monkeypatch.setattr(demo, 'run_nodes', run_nodes)
        monkeypatch.setattr(report, 'write_report', lambda *_: None)
        return ['demo', '--bag', tmp_path / 'k.mcap', '--out', tmp_path / 'out']

    return make


def _unknown(question: Question) -> dict[str, Any]:
    """Give the answer of a memory that knows nothing."""
    sec, nanosec = stamp_to_sec_nanosec(question.after_ns)
    return {
        'status': 3,
        'sentence': 'I do not know.',
        'as_of': {'sec': sec, 'nanosec': nanosec},
        'object': {'pose_valid': False},
        'visibility': 0,
        'stamp': {'valid': False},
        'objects': [],
    }


def test_demo_with_wrong_answers_exits_3_and_says_the_share(
    kitchen: Callable[..., list[object]], cli: RunCli, tmp_path: Path
) -> None:
    result = cli(*kitchen(_unknown))

    assert result.code == 3
    assert result.err == 'st_memory: demo failed: fewer than half of the answers are right\n'
    answers = json.loads((tmp_path / 'out' / 'answers.json').read_text(encoding='utf-8'))
    num_right = sum(answer['correct'] for answer in answers)
    last = result.out.splitlines()[-1]
    assert last.startswith(f'{num_right} of {len(answers)} answers are right')


def test_demo_with_a_silent_service_exits_3_and_names_it(
    kitchen: Callable[..., list[object]], cli: RunCli
) -> None:
    result = cli(*kitchen(lambda q: None if q.service == 'RelativePose' else _unknown(q)))

    assert result.code == 3
    assert 'demo failed: no answer from RelativePose\n' in result.err
    assert '(no answer)' in result.out


def test_demo_in_which_nothing_leaves_sight_exits_3(
    kitchen: Callable[..., list[object]], cli: RunCli
) -> None:
    always = Thing('mug_1', 'mug', (2.0, 0.5, 1.0), visible=range(40))

    result = cli(*kitchen(_unknown, [always]))

    assert (result.code, result.out) == (3, '')
    assert 'nothing is out of sight for long enough' in result.err


def test_demo_json_is_the_answers_alone(
    kitchen: Callable[..., list[object]], cli: RunCli, tmp_path: Path
) -> None:
    result = cli(*kitchen(_unknown), '--json')

    assert result.code == 3
    written = (tmp_path / 'out' / 'answers.json').read_text(encoding='utf-8')
    assert json.loads(result.out) == json.loads(written)
