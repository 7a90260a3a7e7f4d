"""Ask the doctor of a running memory once, and write down what it says as JSON."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
import json
import sys
import time
from typing import Any

import rclpy
from rclpy.node import Node
from st_memory_interfaces.srv import Doctor

__all__ = ['ask_doctor', 'main']

_TICK_S = 0.05
_SEVERITIES = ('info', 'warning', 'error')


def ask_doctor(node: Node, memory: str, subject: str, timeout_s: float) -> dict[str, Any] | None:
    """
    Ask a memory what is wrong; None when it does not answer in time.

    Parameters
    ----------
    node : Node
        Who asks; is spun meanwhile.
    memory : str
        Name of the memory's node, with its namespace.
    subject : str
        What is asked about; '' for everything.
    timeout_s : float
        How long to wait for the service and its answer, seconds.

    """
    until_s = time.monotonic() + timeout_s
    client = node.create_client(Doctor, f'/{memory.strip("/")}/doctor')
    try:
        while not client.service_is_ready():
            if time.monotonic() > until_s:
                return None
            rclpy.spin_once(node, timeout_sec=_TICK_S)
        future = client.call_async(Doctor.Request(subject=subject))
        while not future.done():
            if time.monotonic() > until_s:
                return None
            rclpy.spin_once(node, timeout_sec=_TICK_S)
        return _plain(memory, future.result())
    finally:
        node.destroy_client(client)


def _plain(memory: str, response: Any) -> dict[str, Any]:
    return {
        'node': f'/{memory.strip("/")}',
        'sentence': response.sentence,
        'findings': [
            {
                'severity': _SEVERITIES[found.severity],
                'code': found.code,
                'subject': found.subject,
                'message': found.message,
                'remedy': found.remedy,
            }
            for found in response.findings
        ],
    }


def main(args: Sequence[str] | None = None) -> int:
    """Ask and print; gives 1 when nobody answers."""
    parser = argparse.ArgumentParser(description='Ask the doctor of a running memory.')
    parser.add_argument('memory')
    parser.add_argument('--about', default='')
    parser.add_argument('--timeout', type=float, default=10.0, help='seconds')
    arguments = parser.parse_args(args)
    rclpy.init(args=[])
    node = Node('doctor_client')
    try:
        told = ask_doctor(node, arguments.memory, arguments.about, arguments.timeout)
    finally:
        node.destroy_node()
        rclpy.try_shutdown()
    if told is None:
        sys.stderr.write(
            f'no memory /{arguments.memory.strip("/")} answers within {arguments.timeout:g} s: '
            'is it running, in this ROS_DOMAIN_ID, and configured?\n'
        )
        return 1
    sys.stdout.write(f'{json.dumps(told)}\n')
    return 0
