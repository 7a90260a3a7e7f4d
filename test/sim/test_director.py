"""Laws that every script keeps, whatever the seed; nothing is rendered."""

from __future__ import annotations

from collections import Counter
import math

import numpy as np
import pytest

from st_memory.sim.happenings import Happening
from st_memory.sim.stage import GONE
from test.sim.acting import act

MINUTE_SEEDS = (0, 13)


def all_events(seed: int, seconds: float) -> list[Happening]:
    return [e for _, done in act(seed, seconds) for e in done]


@pytest.mark.parametrize('seed', MINUTE_SEEDS)
def test_no_two_things_share_a_place_or_touch(seed: int) -> None:
    for tick, (stage, _) in enumerate(act(seed, 60.0)):
        if tick % 15:
            continue
        at_rest = [t for t in stage.things.values() if t.slot is not None]
        slots = [t.slot for t in at_rest]
        assert len(set(slots)) == len(slots)
        for i, a in enumerate(at_rest):
            p = stage.thing_pose(a)[0]
            for b in at_rest[:i]:
                q = stage.thing_pose(b)[0]
                apart = math.hypot(p[0] - q[0], p[1] - q[1])
                tall = a.spec.half_size[2] + b.spec.half_size[2]
                assert abs(p[2] - q[2]) >= tall - 1e-6 or apart >= (
                    a.spec.radius + b.spec.radius - 1e-6
                )


@pytest.mark.parametrize('seed', MINUTE_SEEDS)
def test_things_never_jump(seed: int) -> None:
    before: dict[str, np.ndarray[tuple[int, ...], np.dtype[np.float64]]] = {}
    for stage, _ in act(seed, 90.0):
        for name, thing in stage.things.items():
            now = np.array(stage.thing_pose(thing)[0])
            if name in before and thing.frame != GONE:
                # 7.5 m/s at 30 Hz: faster than any hand, slower than a teleport.
                assert np.abs(now - before[name]).max() < 0.25
            before[name] = now


@pytest.mark.parametrize('seed', MINUTE_SEEDS)
def test_things_at_rest_move_only_with_what_carries_them(seed: int) -> None:
    last: dict[str, tuple[int | None, tuple[float, float, float]]] = {}
    for stage, _ in act(seed, 60.0):
        for name, thing in stage.things.items():
            state = (thing.slot, thing.position)
            if name in last and thing.slot is not None and last[name][0] == thing.slot:
                assert state == last[name]
            last[name] = state


@pytest.mark.parametrize('seed', MINUTE_SEEDS)
def test_joints_stay_within_their_limits(seed: int) -> None:
    for stage, _ in act(seed, 60.0):
        for name, part in stage.parts.items():
            assert part.joint is not None
            assert -1e-9 <= stage.joints[name] <= part.joint.limit + 1e-9


@pytest.mark.parametrize('seed', MINUTE_SEEDS)
def test_things_pass_in_and_out_of_containers_only_while_they_are_open(seed: int) -> None:
    inside: dict[str, str] = {}
    for stage, _ in act(seed, 120.0):
        for name, thing in stage.things.items():
            unit = stage.fixture_of(thing)
            now = unit.fixture_id if unit is not None and unit.is_container else ''
            before = inside.get(name, now)
            for fixture in {now, before} - {''} if now != before else set():
                assert stage.openness(stage.units[fixture]) > 0.99
            inside[name] = now


@pytest.mark.parametrize('seed', MINUTE_SEEDS)
def test_movements_of_one_thing_do_not_overlap_and_end_where_it_stands(seed: int) -> None:
    end_of: dict[str, int] = {}
    for stage, done in act(seed, 120.0):
        for event in (e for e in done if e.event_type == 'movement'):
            assert event.end_tick is not None
            name = event.roles['object']
            assert event.start_tick >= end_of.get(name, 0)
            end_of[name] = event.end_tick
            unit = stage.fixture_of(stage.things[name])
            where = unit.fixture_id if unit is not None else GONE
            assert event.detail['to_fixture'] == where


@pytest.mark.parametrize('seed', MINUTE_SEEDS)
def test_wearer_and_partner_keep_apart(seed: int) -> None:
    for stage, _ in act(seed, 90.0):
        wearer, partner = stage.wearer, stage.partner
        if not partner.is_away:
            assert math.hypot(wearer.x - partner.x, wearer.y - partner.y) > 0.25


def test_five_minutes_hold_every_kind_of_event() -> None:
    kinds = Counter(e.event_type for e in all_events(1, 300.0))
    assert set(kinds) == {
        'close', 'hand_over', 'movement', 'open', 'place', 'put_in', 'remove', 'swap', 'take',
        'take_out',
    }  # fmt: skip


def test_removed_things_never_come_back() -> None:
    gone: set[str] = set()
    for stage, _ in act(1, 300.0):
        now = {n for n, t in stage.things.items() if t.frame == GONE}
        assert gone <= now
        gone = now
    assert len(gone) == 3


def test_swap_exchanges_the_two_places() -> None:
    before: dict[str, int | None] = {}
    swaps = 0
    for stage, done in act(3, 300.0):
        for event in stage.log.ongoing:
            if event.event_type == 'swap' and event.event_id not in before:
                for role in ('object', 'object_2'):
                    name = event.roles[role]
                    before[event.event_id + role] = stage.things[name].slot
                before[event.event_id] = 0
        for event in (e for e in done if e.event_type == 'swap'):
            a, b = (stage.things[event.roles[r]].slot for r in ('object', 'object_2'))
            first, second = (before[event.event_id + r] for r in ('object', 'object_2'))
            assert (a, b) == (second, first)
            swaps += 1
    assert swaps >= 1


def test_same_seed_gives_the_same_script() -> None:
    first, second = all_events(4, 60.0), all_events(4, 60.0)
    assert [(e.event_type, e.roles, e.start_tick, e.end_tick) for e in first] == [
        (e.event_type, e.roles, e.start_tick, e.end_tick) for e in second
    ]


def test_doors_move_often_in_every_script() -> None:
    for seed in range(8):
        moving, last = 0, None
        for stage, _ in act(seed, 30.0):
            moving += last is not None and last != stage.joints
            last = dict(stage.joints)
        assert moving / 900 >= 0.10, seed
