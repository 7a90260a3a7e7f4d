"""
What detectors should not send, through a recording and through the live edge.

Each costs only itself: it is counted by name, or taken as it is; the same memory comes of a
recording and of the messages as they come, and what else was sent is remembered as before.
"""

from __future__ import annotations

from collections.abc import Callable
import copy
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from st_memory.bags import BagFrameSource, BagMessage, BagRecorder, copy_bag_with, open_bag
from st_memory.bags.messages import detections_message
from st_memory.conversions.assembly_settings import AssemblerSettings, ReleasePolicy
from st_memory.conversions.roles import discover_roles
from st_memory.core.memory import MemorySettings
from st_memory.core.queries import locate, Selector
from st_memory.core.records import AnswerStatus, Detection
from st_memory.core.visibility import VisibilityPreset
from st_memory.replay import replay
from st_memory.ros.ingest import Ingest, IngestListener
from st_memory.ros.live_store import LiveStore
from st_memory.storage import dump, InMemoryStore
from test.cli.bags import FRAME, write_walk
from test.replay.walk import detections_at, FIRST_NS, STEP_NS

NUM_FRAMES = 60
BAD = range(34, 40)
_TYPE = 'st_memory_interfaces/msg/DetectionArray'
_NAN = float('nan')
SQL = "x'); DROP TABLE object; --"
PATH = '../../../../etc/passwd'


class Memory(NamedTuple):
    """A memory, and what was left out of it, by reason."""

    store: InMemoryStore
    counters: dict[str, int]

    def place_of(self, object_id: str) -> tuple[float, ...]:
        state = self.store.object_at(object_id)
        assert state is not None
        assert state.world_p is not None
        return state.world_p


def written(folder: Path, alter: Callable[[Any], Any]) -> Path:
    """Write the walk with some messages of the detector altered."""
    base = write_walk(folder / 'base.mcap', num_frames=NUM_FRAMES, with_detections=False)
    index = 0

    def extra(message: BagMessage, recorder: BagRecorder) -> None:
        nonlocal index
        if message.topic != '/tf':
            return
        stamp_ns = FIRST_NS + index * STEP_NS
        content = detections_message(stamp_ns, FRAME, detections_at(index), 'detector')
        if index in BAD:
            content = alter(content)
        recorder._write(stamp_ns, '/head/detections', _TYPE, content)
        index += 1

    copy_bag_with(base, folder / 'bad.mcap', extra)
    return folder / 'bad.mcap'


def recorded(bag: Path) -> Memory:
    """Give what comes of a recording."""
    source, store = BagFrameSource(bag), InMemoryStore()
    report = replay(source, store, MemorySettings())
    return Memory(store, dict(report.source_counters))


def live(bag: Path) -> Memory:
    """Give what comes of the same messages as a node takes them."""
    with open_bag(bag) as reader:
        roles = discover_roles({name: t.type_name for name, t in reader.topics.items()})
        messages = [(roles[m.topic], m.read()) for m in reader.messages(roles)]
    store = InMemoryStore()
    told: list[tuple[str, str]] = []
    ingest = Ingest(
        LiveStore(store),
        MemorySettings(),
        VisibilityPreset(),
        AssemblerSettings(release=ReleasePolicy.DEADLINE),
        lambda: tuple(dict.fromkeys(role for role, _ in messages)),
        IngestListener(
            lambda delta: None, lambda progress: None, lambda *words: told.append(words)
        ),
        len(messages) + 1,
    )
    for role, message in messages:
        ingest.put(role, message)
    ingest.start()
    assert ingest.stop(timeout_s=60.0)
    assert all('\n' not in text for _, text in told)
    return Memory(store, dict(ingest.counters))


WAYS = [pytest.param(recorded, id='recorded'), pytest.param(live, id='live')]


@pytest.fixture(scope='module')
def clean(tmp_path_factory: pytest.TempPathFactory) -> Memory:
    """The memory of the walk when the detector is well."""
    return recorded(written(tmp_path_factory.mktemp('clean'), lambda message: message))


def with_one_more(message: Any, **fields: Any) -> Any:
    """Add a detection like the first one with other fields, far from it."""
    odd = copy.deepcopy(message.detections[0])
    odd.id = ''
    odd.pose.position.y += 0.5  # downwards in the image
    odd.y += 30.0
    for name, value in fields.items():
        setattr(odd, name, value)
    message.detections.append(odd)
    return message


def _at(message: Any, x: float) -> Any:
    with_one_more(message)
    message.detections[-1].pose.position.x = x
    return message


COUNTED: dict[str, tuple[Callable[[Any], Any], str]] = {
    '10 MB label': (lambda m: with_one_more(m, label='x' * 10_000_000), 'detection_name_too_long'),
    '10 MB id': (lambda m: with_one_more(m, id='x' * 10_000_000), 'detection_name_too_long'),
    'label of two lines': (
        lambda m: with_one_more(m, label='a\nb'),
        'detection_name_with_control_character',
    ),
    'no label': (lambda m: with_one_more(m, label=''), 'detection_without_label'),
    'score not a number': (lambda m: with_one_more(m, score=_NAN), 'detection_not_finite'),
    'score above one': (lambda m: with_one_more(m, score=7.0), 'detection_score_out_of_range'),
    'place not a number': (lambda m: _at(m, _NAN), 'detection_not_finite'),
    'place at infinity': (lambda m: _at(m, float('inf')), 'detection_not_finite'),
}


@pytest.mark.parametrize('way', WAYS)
@pytest.mark.parametrize('name', COUNTED)
def test_unusable_detection_is_counted_and_costs_only_itself(
    name: str, way: Callable[[Path], Memory], clean: Memory, tmp_path: Path
) -> None:
    alter, reason = COUNTED[name]

    memory = way(written(tmp_path, alter))

    assert memory.counters[reason] == len(BAD)
    assert dump(memory.store) == dump(clean.store)


def _stamped(message: Any, stamp_ns: int) -> Any:
    message.header.stamp.sec, message.header.stamp.nanosec = divmod(stamp_ns, 10**9)
    return message


@pytest.mark.parametrize('way', WAYS)
def test_detections_without_stamp_are_counted_and_lose_no_frame(
    way: Callable[[Path], Memory], clean: Memory, tmp_path: Path
) -> None:
    memory = way(written(tmp_path, lambda message: _stamped(message, 0)))

    assert memory.counters['zero_stamp'] == len(BAD)
    assert memory.counters['missing_detections'] == len(BAD)  # their frames go without
    assert len(list(memory.store.frames())) == len(list(clean.store.frames()))
    assert memory.place_of('mug_a') == pytest.approx(clean.place_of('mug_a'), abs=1e-6)


@pytest.mark.parametrize('way', WAYS)
def test_detections_without_frame_are_taken_as_the_cameras(
    way: Callable[[Path], Memory], clean: Memory, tmp_path: Path
) -> None:
    def nameless(message: Any) -> Any:
        message.header.frame_id = ''
        return message

    memory = way(written(tmp_path, nameless))

    assert len(list(memory.store.frames())) == len(list(clean.store.frames()))
    assert memory.place_of('mug_a') == pytest.approx(clean.place_of('mug_a'), abs=1e-6)


@pytest.mark.parametrize('way', WAYS)
def test_detections_without_id_are_the_same_things(
    way: Callable[[Path], Memory], clean: Memory, tmp_path: Path
) -> None:
    def anonymous(message: Any) -> Any:
        for detection in message.detections:
            detection.id = ''
        return message

    memory = way(written(tmp_path, anonymous))

    assert [s.object_id for s in memory.store.objects_at()] == ['bowl_a', 'mug_a']
    assert memory.place_of('mug_a') == pytest.approx(clean.place_of('mug_a'), abs=1e-6)


@pytest.mark.parametrize('way', WAYS)
def test_class_never_seen_before_and_never_again_is_no_object(
    way: Callable[[Path], Memory], clean: Memory, tmp_path: Path
) -> None:
    once = iter([True])

    def unicorn(message: Any) -> Any:
        return with_one_more(message, label='unicorn') if next(once, False) else message

    memory = way(written(tmp_path, unicorn))

    assert locate(memory.store, Selector(label='unicorn')).status is AnswerStatus.NOT_YET_SEEN
    for name in ('mug_a', 'bowl_a'):
        assert memory.place_of(name) == clean.place_of(name)


@pytest.mark.parametrize('way', WAYS)
@pytest.mark.parametrize('label', ['Tassé 🫖', SQL, PATH, '%s%n{0}', ' ', '\u202egum'])
def test_odd_label_is_kept_as_it_is_and_found_again(
    label: str, way: Callable[[Path], Memory], clean: Memory, tmp_path: Path
) -> None:
    memory = way(written(tmp_path, lambda message: with_one_more(message, label=label)))

    found = [s for s in memory.store.objects_at() if s.label == label]
    assert len(found) == 1
    answer = locate(memory.store, Selector(object_id=found[0].object_id))
    assert answer.object is not None
    assert answer.object.label == label
    assert '\n' not in answer.sentence
    assert memory.place_of('mug_a') == clean.place_of('mug_a')


@pytest.mark.parametrize('way', WAYS)
@pytest.mark.parametrize('track_id', [SQL, PATH, 'größe 🫖', 'a' * 200])
def test_odd_id_is_kept_as_it_is_and_found_again(
    track_id: str, way: Callable[[Path], Memory], clean: Memory, tmp_path: Path
) -> None:
    memory = way(written(tmp_path, lambda message: with_one_more(message, id=track_id)))

    state = memory.store.object_at(track_id)
    assert state is not None
    assert (state.label, state.num_observations) == ('mug', len(BAD))
    assert memory.place_of('mug_a') == clean.place_of('mug_a')


@pytest.mark.parametrize('alter', [alter for alter, _ in COUNTED.values()][:2])
def test_recording_and_live_edge_agree_on_what_is_left_out(
    alter: Callable[[Any], Any], tmp_path: Path
) -> None:
    bag = written(tmp_path, alter)

    one, other = recorded(bag), live(bag)

    assert {k: v for k, v in one.counters.items() if k.startswith('detection')} == {
        k: v for k, v in other.counters.items() if k.startswith('detection')
    }
    assert dump(one.store) == dump(other.store)


def test_walk_has_what_the_cases_alter() -> None:
    assert all(isinstance(d, Detection) for index in BAD for d in detections_at(index))
    assert all(detections_at(index) for index in BAD)
    assert replace(detections_at(34)[0], label='x').label == 'x'
