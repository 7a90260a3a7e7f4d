"""What a person or the map tells a running memory, over the middleware."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from st_memory.core.queries import locate, Selector
from st_memory.core.records import AnswerStatus
from st_memory.storage import dump, SqliteMemoryStore
from test.ros.cup_recording import CUP_P, NUM_LOOKS_AT_CUP, stamp_of, STEP_NS, write_cup_recording
from test.ros.node_makers import make_memory, make_replay

pytest.importorskip('rclpy', reason='needs ROS 2')
interfaces = pytest.importorskip('st_memory_interfaces.srv', reason='needs the interfaces')

pytestmark = pytest.mark.ros

EditObject, Rebase, Snapshot, Doctor = (
    interfaces.EditObject,
    interfaces.Rebase,
    interfaces.Snapshot,
    interfaces.Doctor,
)
NAMES = {EditObject: 'edit_object', Rebase: 'rebase', Snapshot: 'snapshot', Doctor: 'doctor'}
NAMES[interfaces.LocateObject] = 'locate_object'


class Talk:
    """A memory node that was played the cup recording, and somebody who talks to it."""

    def __init__(
        self, graph: Any, database: Path, *, bag: Path | None = None, **values: Any
    ) -> None:
        from rclpy.node import Node

        self.graph = graph
        self.database = database
        self.node = make_memory(graph, database, **values)
        self.person = graph.add(Node('person', context=graph.context))
        if bag is not None:
            self.play(bag)

    def play(self, bag: Path) -> None:
        player = make_replay(self.graph, bag)
        assert self.graph.spin_until(lambda: player.is_done)
        player.finish()
        self.graph.remove(player)

    def say(self, kind: Any, /, **fields: Any) -> Any:
        from rclpy.serialization import serialize_message

        client = self.person.create_client(kind, f'/memory_node/{NAMES[kind]}')
        response = self.graph.call(client, kind.Request(**fields))
        self.person.destroy_client(client)
        assert response.sentence
        assert len(serialize_message(response)) < 2048
        return response

    def edit(self, action: str, object_id: str = '', **fields: Any) -> Any:
        number = getattr(EditObject.Request, action)
        return self.say(EditObject, action=number, object_id=object_id, **fields)

    @property
    def store(self) -> Any:
        return self.node.memory.store

    def end(self) -> None:
        """Stop the node and take it off the graph."""
        self.node.finish()
        self.graph.remove(self.node)
        self.graph.remove(self.person)


def pose(frame: str, x: float, y: float, z: float) -> Any:
    from geometry_msgs.msg import PoseStamped

    message = PoseStamped()
    message.header.frame_id = frame
    message.pose.position.x, message.pose.position.y, message.pose.position.z = x, y, z
    return message


@pytest.fixture(scope='module')
def bag(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A recording of a cup."""
    return write_cup_recording(tmp_path_factory.mktemp('cup') / 'cup.mcap')


@pytest.fixture
def talk(graph: Any, bag: Path, tmp_path: Path) -> Talk:
    """A running memory that knows a cup."""
    (tmp_path / 'snapshots').mkdir()
    folder = str(tmp_path / 'snapshots')
    return Talk(graph, tmp_path / 'live.db', bag=bag, release='deadline', snapshot_folder=folder)


# Edits.


def test_edit_is_answered_after_it_is_on_disk(talk: Talk) -> None:
    response = talk.edit('RENAME', 'cup_1', label='Annas Tasse', note='it is hers')

    assert (response.status, response.reason) == (AnswerStatus.KNOWN, '')
    assert response.sentence == 'The cup is called Annas Tasse: it is hers.'
    assert (response.object.object_id, response.object.label) == ('cup_1', 'Annas Tasse')
    with SqliteMemoryStore.open(talk.database, read_only=True) as file:
        (event,) = [e for e in file.events() if e.source == 'human']
        assert [event.event_id] == response.evidence_ids
        assert file.object_at('cup_1').label == 'Annas Tasse'


def test_memory_that_was_told_something_goes_on_seeing(
    graph: Any, bag: Path, tmp_path: Path
) -> None:
    talk = Talk(graph, tmp_path / 'live.db', bag=bag, release='deadline')
    talk.edit('RENAME', 'cup_1', label='mug')

    later = write_cup_recording(tmp_path / 'later.mcap', first_ns=stamp_of(40))
    talk.play(later)

    state = talk.store.object_at('cup_1')
    assert (state.label, state.last_seen_ns) == ('mug', stamp_of(40 + NUM_LOOKS_AT_CUP - 1))
    assert talk.store.now().epoch == 0


def test_object_marked_in_a_camera_frame_is_placed_in_the_map(talk: Talk) -> None:
    # The camera looks along -x from (0, 0, 1) at the end: its z axis points there.
    response = talk.edit(
        'MARK', label='keys', pose_valid=True, pose=pose('head_optical', 0.0, 0.0, 2.0)
    )

    p = response.object.pose.position
    assert (p.x, p.y, p.z) == pytest.approx((-2.0, 0.0, 1.0), abs=1e-9)
    assert locate(talk.store, Selector(label='keys')).status is AnswerStatus.KNOWN


def test_forget_and_restore_take_an_object_out_and_back(talk: Talk) -> None:
    forgotten = talk.edit('FORGET', 'cup_1')
    assert forgotten.object.object_id == ''
    asked = talk.say(interfaces.LocateObject, label='cup')
    assert asked.status == AnswerStatus.UNKNOWN
    assert asked.reason == 'cup_1 was forgotten, as a person asked'

    assert talk.edit('RESTORE', 'cup_1').object.object_id == 'cup_1'
    assert talk.say(interfaces.LocateObject, label='cup').object.object_id == 'cup_1'


def test_merge_and_split_join_two_and_part_them(talk: Talk) -> None:
    talk.edit('MARK', 'twin', label='cup', pose_valid=True, pose=pose('', 1.0, 1.0, 1.0))
    talk.edit('MERGE', 'cup_1', other_id='twin')
    assert talk.say(interfaces.LocateObject, object_id='twin').object.object_id == 'cup_1'

    talk.edit('SPLIT', 'cup_1', other_id='twin')
    assert talk.say(interfaces.LocateObject, object_id='twin').object.object_id == 'twin'


@pytest.mark.parametrize(
    ('fields', 'reason'),
    [
        ({'action': 77, 'object_id': 'cup_1'}, 'or 5 (RESTORE), got 77'),
        ({'action': 3, 'object_id': 'unicorn'}, "no object 'unicorn' is known in this epoch"),
        ({'action': 1, 'object_id': 'cup_1'}, 'RENAME: expected a label'),
        (
            {'action': 1, 'object_id': 'cup_1', 'label': 'x' * 10_000_000},
            'label: expected at most',
        ),
        ({'action': 1, 'object_id': 'cup_1', 'label': 'a\nb'}, 'label: expected no control'),
        ({'action': 3, 'object_id': "'; DROP TABLE object; --"}, 'is known in this epoch'),
        ({'action': 3, 'object_id': '../../etc/passwd'}, 'is known in this epoch'),
        ({'action': 3, 'object_id': 'cup_1', 'at': 1}, 'at: expected 0 (now)'),
    ],
)
def test_edit_that_cannot_be_done_is_a_reason_and_changes_nothing(
    talk: Talk, fields: dict[str, Any], reason: str
) -> None:
    from st_memory.ros.messages import time_message

    before = talk.store.now()
    given = {**fields, 'at': time_message(fields['at'])} if 'at' in fields else fields

    response = talk.say(EditObject, **given)

    assert response.status == AnswerStatus.UNKNOWN
    assert reason in response.reason
    assert '\n' not in response.reason
    assert talk.store.now() == before


def test_edit_in_a_frame_that_is_not_known_is_no_pose(talk: Talk) -> None:
    response = talk.edit('MARK', 'cup_1', pose_valid=True, pose=pose('gripper', 0.0, 0.0, 0.0))

    assert response.status == AnswerStatus.NO_POSE
    assert 'gripper' in response.reason


def test_edit_of_unicode_and_sql_is_kept_as_it_is(talk: Talk) -> None:
    name = "Tassé 🫖'; DROP TABLE object; --"

    talk.edit('RENAME', 'cup_1', label=name)

    assert talk.store.object_at('cup_1').label == name


def test_inactive_node_takes_edits_too(graph: Any, bag: Path, tmp_path: Path) -> None:
    talk = Talk(graph, tmp_path / 'live.db', bag=bag)
    talk.node.trigger_deactivate()

    response = talk.edit('RENAME', 'cup_1', label='mug')

    assert response.object.label == 'mug'
    with SqliteMemoryStore.open(talk.database, read_only=True) as file:
        assert file.object_at('cup_1').label == 'mug'


# Rebase, epochs, restart.


def test_new_origin_moves_the_memory_and_opens_an_epoch(talk: Talk) -> None:
    from geometry_msgs.msg import TransformStamped

    origin = TransformStamped()
    origin.header.frame_id = 'map'
    origin.transform.translation.x = 5.0
    planned = talk.say(Rebase, kind=0, new_origin=origin, dry_run=True)
    before = talk.store.now()

    response = talk.say(Rebase, kind=0, new_origin=origin)

    assert planned.sentence.startswith('Nothing was changed; it would be: ')
    assert (planned.epoch, planned.num_objects) == (before.epoch, 1)
    assert (response.epoch, response.num_objects) == (before.epoch + 1, 1)
    assert response.max_shift_m == pytest.approx(5.0)
    assert talk.store.object_at('cup_1').world_p == pytest.approx((7.0, 0.0, 1.0), abs=0.05)


def test_topics_go_on_in_the_epoch_that_a_rebase_opens(
    graph: Any, bag: Path, tmp_path: Path
) -> None:
    talk = Talk(graph, tmp_path / 'live.db', bag=bag, release='deadline')
    talk.say(Rebase, kind=0)

    talk.play(write_cup_recording(tmp_path / 'later.mcap', first_ns=stamp_of(40)))
    talk.node.trigger_deactivate()  # no frame waits to be committed any more

    now = talk.store.now()
    assert (now.epoch, now.stamp_ns) == (1, stamp_of(69))
    state = talk.store.object_at('cup_1')
    assert state.last_seen_ns == stamp_of(40 + NUM_LOOKS_AT_CUP - 1)
    assert [s.object_id for s in talk.store.objects_at() if s.label == 'cup'] == ['cup_1']


def test_corrected_trajectory_of_a_camera_moves_what_it_saw(talk: Talk) -> None:
    from st_memory.ros.messages import time_message

    # As the recording has them, but 0.4 m further to the left.
    poses = []
    for index in range(NUM_LOOKS_AT_CUP):
        stamped = pose('map', 0.0, 0.4, 1.0)
        stamped.header.stamp = time_message(stamp_of(index))
        q = stamped.pose.orientation
        q.x, q.y, q.z, q.w = -0.5, 0.5, -0.5, 0.5
        poses.append(stamped)

    response = talk.say(Rebase, kind=1, trajectory=poses, pose_frame='head_optical')

    assert response.reason == ''
    assert response.num_observations > 0
    assert response.max_shift_m == pytest.approx(0.4, abs=1e-6)
    place = talk.store.object_at('cup_1').world_p
    assert place == pytest.approx((CUP_P[0], CUP_P[1] + 0.4, CUP_P[2]), abs=0.05)


@pytest.mark.parametrize(
    ('fields', 'reason'),
    [
        ({'kind': 9}, 'or 1 (CORRECTED_TRAJECTORY), got 9'),
        ({'kind': 1, 'pose_frame': 'head_optical'}, 'trajectory: expected poses, got none'),
        ({'kind': 0, 'at': 5}, 'at: expected 0 for a new origin'),
        ({'kind': 0, 'child': 'odom'}, "new_origin.child_frame_id: expected 'map' or nothing"),
        ({'kind': 0, 'w': 3.0}, 'new_origin: quat_xyzw: expected unit length'),
        ({'kind': 0, 'x': float('nan')}, 'new_origin: translation: expected finite values'),
        (
            {'kind': 1, 'pose_frame': 'gripper', 'poses': 1},
            "pose_frame: expected head_optical, got 'gripper'",
        ),
        ({'kind': 1, 'pose_frame': 'head', 'poses': 2, 'frame': 'odom'}, "expected 'map' or"),
        ({'kind': 1, 'pose_frame': 'head', 'poses': 2}, 'stamps that increase'),
    ],
)
def test_rebase_that_cannot_be_done_is_a_reason_and_changes_nothing(
    talk: Talk, fields: dict[str, Any], reason: str
) -> None:
    from geometry_msgs.msg import TransformStamped

    from st_memory.ros.messages import time_message

    origin = TransformStamped(child_frame_id=fields.get('child', ''))
    origin.transform.rotation.w = fields.get('w', 1.0)
    origin.transform.translation.x = fields.get('x', 0.0)
    poses = [
        pose(fields.get('frame', 'map'), 0.0, 0.0, 0.0) for _ in range(fields.get('poses', 0))
    ]
    before = talk.store.now()

    response = talk.say(
        Rebase,
        kind=fields['kind'],
        new_origin=origin,
        trajectory=poses,
        pose_frame=fields.get('pose_frame', ''),
        at=time_message(fields.get('at', 0)),
    )

    assert response.status == AnswerStatus.UNKNOWN
    assert reason in response.reason
    assert talk.store.now() == before


def test_rebase_of_an_empty_memory_is_refused(graph: Any, tmp_path: Path) -> None:
    response = Talk(graph, tmp_path / 'live.db').say(Rebase, kind=0)

    assert response.status == AnswerStatus.UNKNOWN
    assert 'this one is empty' in response.reason


def test_restart_in_a_new_epoch_knows_no_place_until_the_map_is_confirmed(
    graph: Any, bag: Path, tmp_path: Path
) -> None:
    talk = Talk(graph, tmp_path / 'live.db', bag=bag, release='deadline')
    talk.end()

    again = Talk(graph, tmp_path / 'live.db', release='deadline', on_restart='new_epoch')
    asked = again.say(interfaces.LocateObject, object_id='cup_1')
    assert asked.status == AnswerStatus.NO_POSE
    assert 'earlier map' in asked.reason
    assert not asked.object.pose_valid
    (finding,) = [f for f in again.say(Doctor).findings if f.code == 'unanchored']
    assert finding.subject == 'epoch 0'

    response = again.say(Rebase, kind=0)  # the map is the same
    assert (response.epoch, response.max_shift_m) == (2, 0.0)
    asked = again.say(interfaces.LocateObject, object_id='cup_1')
    assert asked.status == AnswerStatus.KNOWN
    again.play(write_cup_recording(tmp_path / 'later.mcap', first_ns=stamp_of(40)))
    assert again.store.now().epoch == 2
    assert again.store.object_at('cup_1').last_seen_ns == stamp_of(51)


def test_restart_that_goes_on_keeps_the_epoch(graph: Any, bag: Path, tmp_path: Path) -> None:
    talk = Talk(graph, tmp_path / 'live.db', bag=bag)
    talk.end()

    again = Talk(graph, tmp_path / 'live.db')

    assert again.store.now().epoch == 0
    assert again.say(interfaces.LocateObject, object_id='cup_1').status == AnswerStatus.KNOWN


def test_clock_that_jumps_back_opens_an_epoch_whose_predecessor_is_unanchored(
    talk: Talk, tmp_path: Path
) -> None:
    """Only the end of the recording comes again: nothing that shows the cup."""
    away = write_cup_recording(tmp_path / 'away.mcap', first_ns=stamp_of(-20))
    talk.play(away)

    assert talk.store.now().epoch == 1
    cups = [s for s in talk.store.objects_at() if s.label == 'cup']
    assert len(cups) == 1  # seen anew, in its own epoch
    assert talk.store.objects_at(talk.store.now()) != ()


# Snapshots.


def test_snapshot_exports_a_copy_that_equals_the_memory(talk: Talk, tmp_path: Path) -> None:
    talk.node.trigger_deactivate()  # no frame waits to be committed any more
    response = talk.say(Snapshot, action=1, path='copy.db')

    assert (response.status, response.reason) == (AnswerStatus.KNOWN, '')
    copy = tmp_path / 'snapshots' / 'copy.db'
    assert response.path == str(copy)
    assert (response.num_bytes, len(response.sha256)) == (copy.stat().st_size, 64)
    talk.node.finish()
    with (
        SqliteMemoryStore.open(copy, read_only=True) as copied,
        SqliteMemoryStore.open(talk.database, read_only=True) as file,
    ):
        assert dump(copied) == dump(file)


def test_snapshot_as_of_a_time_holds_nothing_later(talk: Talk, tmp_path: Path) -> None:
    from st_memory.ros.messages import time_message

    talk.say(Snapshot, action=1, path='copy.db', at=time_message(stamp_of(8)))

    with SqliteMemoryStore.open(tmp_path / 'snapshots' / 'copy.db', read_only=True) as copied:
        assert copied.now().stamp_ns == stamp_of(8)


def test_snapshot_checkpoint_says_where_everything_is(talk: Talk) -> None:
    response = talk.say(Snapshot, action=0)

    assert response.path == str(talk.database)
    assert (response.num_bytes > 0, response.sha256) == (True, '')


def test_snapshot_checkpoint_with_a_path_says_which_action_copies(
    talk: Talk, tmp_path: Path
) -> None:
    response = talk.say(Snapshot, action=0, path='copy.db')

    assert response.status == AnswerStatus.UNKNOWN
    assert "got 'copy.db'; action 1 (EXPORT) makes a copy" in response.reason
    assert not list(tmp_path.rglob('copy.db'))


@pytest.mark.parametrize('path', ['', '../copy.db', '/etc/copy.db', 'a/../../copy.db', 'x' * 5000])
def test_snapshot_outside_of_its_folder_is_refused(talk: Talk, tmp_path: Path, path: str) -> None:
    before = sorted(p.name for p in tmp_path.rglob('*'))

    response = talk.say(Snapshot, action=1, path=path)

    assert response.status == AnswerStatus.UNKNOWN
    assert response.reason.startswith('snapshot: ')
    assert sorted(p.name for p in tmp_path.rglob('*')) == before


def test_snapshot_without_a_folder_is_refused(graph: Any, tmp_path: Path) -> None:
    response = Talk(graph, tmp_path / 'live.db').say(Snapshot, action=1, path='copy.db')

    assert 'parameter snapshot_folder' in response.reason


def test_snapshot_of_another_action_is_refused(talk: Talk) -> None:
    assert (
        'action: expected 0 (CHECKPOINT) or 1 (EXPORT), got 9'
        in talk.say(Snapshot, action=9).reason
    )


# The doctor.


def test_doctor_of_a_node_that_receives_nothing_names_the_camera(
    graph: Any, tmp_path: Path
) -> None:
    response = Talk(graph, tmp_path / 'live.db').say(Doctor)

    assert response.status == AnswerStatus.KNOWN
    assert response.findings[0].severity == 2
    assert {f.code for f in response.findings} == {'no_camera'}
    assert all(f.remedy for f in response.findings)


def test_doctor_of_an_inactive_node_says_so(graph: Any, tmp_path: Path) -> None:
    talk = Talk(graph, tmp_path / 'live.db')
    talk.node.trigger_deactivate()

    assert [f.code for f in talk.say(Doctor).findings] == ['inactive']


def test_doctor_knows_what_a_recording_gave(talk: Talk) -> None:
    codes = {f.code for f in talk.say(Doctor).findings}

    assert not codes & {'no_camera', 'no_tf', 'no_pose', 'no_detections', 'no_depth'}
    # A recording is played at another time than it was made, and use_sim_time is not set.
    assert 'clock_offset' in codes


def test_doctor_about_an_object_says_where_it_is_or_that_it_never_was(talk: Talk) -> None:
    known = {f.code: f.message for f in talk.say(Doctor, subject='cup').findings}
    unknown = {f.code for f in talk.say(Doctor, subject='unicorn').findings}

    assert 'table_1' in known['known_object']
    assert 'never_seen' in unknown


def test_doctor_about_an_object_says_why_it_is_not_seen(talk: Talk) -> None:
    told = {f.code: f for f in talk.say(Doctor, subject='cup_1').findings}

    assert told['out_of_view'].message.startswith('head: The cup (cup_1) has been out of view')
    assert told['out_of_view'].remedy


def test_doctor_about_an_object_in_the_past_uses_nothing_later(talk: Talk) -> None:
    from st_memory.ros.messages import time_message

    then = talk.say(Doctor, subject='cup_1', at=time_message(stamp_of(8)))
    early = talk.say(Doctor, subject='cup_1', at=time_message(stamp_of(0) - STEP_NS))

    assert [f.code for f in then.findings] == ['known_object']  # it was in plain view
    assert then.as_of == time_message(stamp_of(8))
    assert [f.code for f in early.findings] == ['never_seen']


def test_doctor_of_the_past_is_refused(talk: Talk) -> None:
    from st_memory.ros.messages import time_message

    response = talk.say(Doctor, at=time_message(STEP_NS))

    assert response.status == AnswerStatus.UNKNOWN
    assert response.reason.startswith('at: expected 0')
