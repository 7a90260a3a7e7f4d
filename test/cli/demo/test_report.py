"""The report: one page that needs nothing else and says the same as the answers."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
import re

from st_memory.cli.demo.marking import MarkedAnswer
from st_memory.cli.demo.report import moments_of, write_report
from st_memory.cli.demo.report_rows import rows_of
from st_memory.cli.demo.truth import Truth
from st_memory.core.memory import MemorySettings
from st_memory.core.records import Visibility
from st_memory.replay import replay
from st_memory.storage import InMemoryStore, SqliteMemoryStore
from test.cli.demo.kitchens import Thing, write_truth
from test.replay.walk import WalkSource

VOID = {'meta', 'br'}


def _answer(at_s: float, *, correct: bool = True, text: str = 'There.') -> MarkedAnswer:
    return MarkedAnswer(
        'Where?', 'LocateObject', 'KNOWN', text, 'it is there', correct, True, at_s, 2.0
    )


class _Balance(HTMLParser):
    """Keeps the tags that are open, and what is drawn."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.count: dict[str, int] = {}

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.count[tag] = self.count.get(tag, 0) + 1
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: object) -> None:
        self.count[tag] = self.count.get(tag, 0) + 1

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def _write(tmp_path: Path, marked: list[MarkedAnswer]) -> str:
    truth = Truth.load(write_truth(tmp_path, [Thing('x_1', 'mug', (2.0, 0.3, 1.0), range(5))]))
    with SqliteMemoryStore.open(tmp_path / 'm.db') as store:
        replay(WalkSource(), store, MemorySettings())
    write_report(tmp_path / 'r.html', 'k<1>.mcap', tmp_path / 'm.db', marked, truth)
    return (tmp_path / 'r.html').read_text(encoding='utf-8')


def test_report_is_well_formed_and_needs_nothing_else(tmp_path: Path) -> None:
    page = _write(tmp_path, [_answer(3.0), _answer(8.0, correct=False)])

    parser = _Balance()
    parser.feed(page)
    assert parser.open == []
    assert parser.count['svg'] == 2
    assert not re.search(r'(src|href)=|https?://|@import', page)


def test_report_escapes_what_it_is_given(tmp_path: Path) -> None:
    page = _write(tmp_path, [_answer(3.0, text='a <b> & "c"')])

    assert 'k&lt;1&gt;.mcap' in page
    assert 'a &lt;b&gt; &amp; &quot;c&quot;' in page


def test_report_counts_right_answers_and_shows_wrong_ones(tmp_path: Path) -> None:
    page = _write(tmp_path, [_answer(3.0), _answer(8.0, correct=False)])

    assert re.search(r'1 of 2 answers are\s+right', page)
    assert page.count('>wrong</strong>') == 1


def test_moments_of_joins_answers_of_one_moment() -> None:
    assert moments_of([_answer(3.0), _answer(3.4), _answer(8.0)]) == [3.0, 8.0]


def test_rows_match_remembered_objects_to_real_things_of_their_label(tmp_path: Path) -> None:
    store = InMemoryStore()
    replay(WalkSource(), store, MemorySettings())
    near = Thing('x_1', 'mug', (2.0, 0.3, 1.0), visible=range(2, 5))
    far = Thing('x_2', 'mug', (8.0, 0.3, 1.0))
    truth = Truth.load(write_truth(tmp_path, [far, near]))

    rows = {row.state.object_id: row for row in rows_of(store, truth)}

    assert rows['mug_a'].track is truth.tracks['x_1']
    assert rows['bowl_a'].track is None
    first_ns = int(truth.stamps_ns[0])
    assert rows['mug_a'].shown == ((first_ns + 10**9, first_ns + 25 * 10**8),)
    assert rows['mug_a'].bars[0].state is Visibility.VISIBLE
