"""The transport profile: well formed, with the sizes that images need, and working."""

from __future__ import annotations

import os
from pathlib import Path
import subprocess
import sys
from xml.etree import ElementTree as ET

import pytest

from st_memory.ros.dds_profile import profile_environment

ROOT = Path(__file__).resolve().parents[2]
PROFILE = ROOT / 'config' / 'fastdds_profile.xml'
DDS = '{http://www.eprosima.com}'


def _descriptors() -> dict[str, dict[str, str]]:
    """Settings of each transport, by its type."""
    found = {}
    for node in ET.parse(PROFILE).iter(f'{DDS}transport_descriptor'):
        values = {child.tag.removeprefix(DDS): child.text or '' for child in node}
        found[values['type']] = values
    return found


def test_profile_shared_memory_has_room_for_images() -> None:
    shm = _descriptors()['SHM']
    assert int(shm['segment_size']) == 64 * 2**20
    assert int(shm['maxMessageSize']) == 16 * 2**20
    assert int(shm['port_queue_capacity']) == 1024


def test_profile_udp_stays_below_the_size_of_a_datagram() -> None:
    assert int(_descriptors()['UDPv4']['maxMessageSize']) < 65_500


def test_profile_participant_uses_these_transports_alone() -> None:
    root = ET.parse(PROFILE)
    participant = root.find(f'.//{DDS}participant')
    assert participant is not None
    assert participant.get('is_default_profile') == 'true'
    assert participant.findtext(f'.//{DDS}useBuiltinTransports') == 'false'
    used = {node.text for node in participant.iterfind(f'.//{DDS}userTransports/*')}
    assert used == {values['transport_id'] for values in _descriptors().values()}


@pytest.mark.ros
@pytest.mark.launch
def test_profile_large_images_pass_between_processes() -> None:
    pytest.importorskip('rclpy', reason='needs ROS 2')
    env = {**os.environ, **profile_environment(ROOT, {})}
    env['ROS_DOMAIN_ID'] = str(1 + os.getpid() % 100)
    env['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'LOCALHOST'
    peer = [sys.executable, '-m', 'test.packaging.image_peer']
    publisher = subprocess.Popen([*peer, 'publish'], cwd=ROOT, env=env)
    try:
        received = subprocess.run(
            [*peer, 'receive', '10'],
            cwd=ROOT,
            env=env,
            text=True,
            capture_output=True,
            timeout=120,
            check=False,
        )
    finally:
        publisher.kill()
        publisher.wait()
    assert received.returncode == 0, received.stdout + received.stderr
    numbers = [int(word) for word in received.stdout.split()]
    # 10 Hz of 6 MB images: at most one may be missing while a loaded machine catches up.
    assert numbers[-1] - numbers[0] <= len(numbers)
