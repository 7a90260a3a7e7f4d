"""Tables for people, of whatever things are called."""

from __future__ import annotations

from st_memory.cli.output import format_table
from st_memory.cli.tables import Clock, event_table, object_table
from st_memory.core.records import Event, ObjectState
from st_memory.storage import InMemoryStore

ENDLESS = 'x' * 10_000_000


def test_a_name_of_10_mb_does_not_pad_every_line_of_a_list() -> None:
    states = [ObjectState(f'cup_{i}', 'cup', 0) for i in range(20)]

    table = object_table([*states, ObjectState('odd_1', ENDLESS, 0)], None)

    assert len(table.splitlines()) == 22
    assert max(map(len, table.splitlines())) < 200
    assert table.splitlines()[1].startswith('cup_0   cup ')


def test_an_event_with_a_note_of_10_mb_is_one_line_of_some_hundred_letters() -> None:
    event = Event('e', 'renamed', 0, 0, 1, (('object', 'cup_1'),), detail=f'is\n{ENDLESS}')

    table = event_table([event], Clock(InMemoryStore(), None))

    assert len(table.splitlines()) == 2
    assert 'is xxx' in table
    assert len(table) < 1500


def test_no_cell_steers_a_terminal_or_breaks_its_line() -> None:
    table = format_table(('id', 'label'), [('cup\n_1', '\x1b[2Jcup\u202e')])

    assert table.splitlines() == ['id      label', 'cup _1   [2Jcup']
