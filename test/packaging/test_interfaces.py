"""The interface package: complete, commented, built, and usable."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
import re

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / 'st_memory_interfaces'
SERVICES = sorted(path.stem for path in (FOLDER / 'srv').glob('*.srv'))
MESSAGES = sorted(path.stem for path in (FOLDER / 'msg').glob('*.msg'))
STATUS = {'KNOWN': 0, 'STALE': 1, 'AMBIGUOUS': 2, 'UNKNOWN': 3, 'NO_POSE': 4, 'NOT_YET_SEEN': 5}
VISIBILITY = [
    'UNKNOWN',
    'VISIBLE',
    'OUT_OF_VIEW',
    'OCCLUDED',
    'AMBIGUOUS_FIXTURE',
    'UNCONFIRMED',
    'IN_MOTION',
    'ABSENT',
]
CONTRACT = [
    'AnswerQuestion',
    'Doctor',
    'EditObject',
    'FindItem',
    'GetItinerary',
    'GetTimeline',
    'GetVisibility',
    'GroundEvent',
    'ListChanges',
    'ListContents',
    'ListEvents',
    'ListObjects',
    'LocateObject',
    'NearestFixture',
    'PredictInteraction',
    'Rebase',
    'RelativePose',
    'Snapshot',
    'WhenLastPlaced',
    'WhenLastVisible',
]


def _lines(part: str) -> list[str]:
    """Fields and constants, without comments."""
    lines = (line.partition('#')[0].strip() for line in part.splitlines())
    return [line for line in lines if line]


def _halves(service: str) -> tuple[str, str]:
    request, _, response = (FOLDER / 'srv' / f'{service}.srv').read_text().partition('\n---\n')
    return request, response


def test_services_are_those_of_the_contract() -> None:
    assert SERVICES == CONTRACT


@pytest.mark.parametrize('service', SERVICES)
def test_response_starts_with_the_status(service: str) -> None:
    expected = [f'uint8 {name}={value}' for name, value in STATUS.items()]
    expected += [
        'uint8 status',
        'string reason',
        'string sentence',
        'string[] evidence_ids',
        'builtin_interfaces/Time as_of',
    ]
    assert _lines(_halves(service)[1])[: len(expected)] == expected


@pytest.mark.parametrize('service', SERVICES)
def test_request_ends_with_the_time_asked_about(service: str) -> None:
    assert _lines(_halves(service)[0])[-1] == 'builtin_interfaces/Time at'


def test_status_constants_of_the_message_are_those_of_the_responses() -> None:
    lines = _lines((FOLDER / 'msg' / 'AnswerStatus.msg').read_text())
    assert lines[:-1] == [f'uint8 {name}={value}' for name, value in STATUS.items()]


def test_visibility_constants_count_in_the_order_of_the_contract() -> None:
    lines = _lines((FOLDER / 'msg' / 'ObjectState.msg').read_text())
    assert lines[:8] == [f'uint8 {name}={value}' for value, name in enumerate(VISIBILITY)]


@pytest.mark.parametrize('path', sorted(FOLDER.glob('*/*.???')), ids=lambda path: path.stem)
def test_measured_fields_state_their_unit(path: Path) -> None:
    units = re.compile(r'_m\b|_rad\b|metres|radian|\bpx\b|\[0, 1\]|unit length|open')
    without = [
        line
        for line in path.read_text().splitlines()
        if re.match(r'(float\d+|geometry_msgs/\w+)(\[\])? ', line) and not units.search(line)
    ]
    assert without == []


@pytest.mark.parametrize('path', sorted(FOLDER.glob('*/*.???')), ids=lambda path: path.stem)
def test_interface_starts_with_what_it_is(path: Path) -> None:
    assert re.match(r'# \S.{15,}', path.read_text())


@pytest.mark.ros
@pytest.mark.parametrize('name', MESSAGES)
def test_message_can_be_made(name: str) -> None:
    module = pytest.importorskip('st_memory_interfaces.msg', reason='interfaces are not built')
    message = getattr(module, name)()
    assert message.get_fields_and_field_types()


@pytest.mark.ros
def test_service_round_trip_carries_the_answer() -> None:
    rclpy = pytest.importorskip('rclpy', reason='needs ROS 2')
    executors = import_module('rclpy.executors')
    srv = import_module('st_memory_interfaces.srv')
    context = rclpy.Context()
    rclpy.init(context=context)
    node = rclpy.create_node('packaging_round_trip', context=context)
    executor = executors.SingleThreadedExecutor(context=context)
    executor.add_node(node)

    def answer(request: object, response: object) -> object:
        response.status = response.STALE  # type: ignore[attr-defined]
        response.object.label = request.label  # type: ignore[attr-defined]
        response.object.pose.position.x = 1.25  # type: ignore[attr-defined]
        return response

    try:
        node.create_service(srv.LocateObject, '~/locate_object', answer)
        client = node.create_client(srv.LocateObject, '~/locate_object')
        future = client.call_async(srv.LocateObject.Request(label='mug'))
        executor.spin_until_future_complete(future, timeout_sec=30.0)
        response = future.result()
        found = (response.status, response.object.label, response.object.pose.position.x)
        assert found == (1, 'mug', 1.25)
    finally:
        executor.remove_node(node)
        node.destroy_node()
        context.try_shutdown()
