"""How long a question takes from process to process, beside a service that does not think."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
import importlib.util
import json
import os
from pathlib import Path
import signal
import statistics
import subprocess
import sys
import tempfile

from benchmarks.figure import Figure, Goal, Measured, MeasuringError
from benchmarks.fixture import fixture_bag
from st_memory.bags import BagFrameSource
from st_memory.core.memory import MemorySettings
from st_memory.core.queries import list_objects
from st_memory.core.records import AnswerStatus
from st_memory.replay import replay
from st_memory.ros.dds_profile import profile_environment
from st_memory.scene import EmbreeRayCaster
from st_memory.storage import SqliteMemoryStore

__all__ = ['SERVICE_ROUNDTRIP']

_ROOT = Path(__file__).resolve().parents[1]
_PATIENCE_S = 120.0
# One process holds both services: they share the executor and all that slows it.
_ASKED = ('-m', 'benchmarks.asked_process')
_SERVICES = ('/memory_node/locate_object', '/constant/locate_object')


def _measure() -> Measured:
    for package in ('rclpy', 'st_memory_interfaces'):
        if importlib.util.find_spec(package) is None:
            raise MeasuringError(f'{package} is not installed')
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        object_id = _remember(folder / 'memory.db')
        environment = _environment()
        parameters = ['--ros-args', '-p', f'memory_node:database:={folder / "memory.db"}']
        with _running([*_ASKED, *parameters], environment, folder):
            return _ask(object_id, environment)


def _remember(database: Path) -> str:
    """Make a memory of the fixture; gives an object that it knows."""
    source = BagFrameSource(fixture_bag())
    with SqliteMemoryStore.open(database) as store:
        replay(source, store, MemorySettings(), EmbreeRayCaster(source.scene))
        objects = list_objects(store).objects
    if not objects:
        raise MeasuringError('nothing of the recording is remembered')
    return objects[0].object_id


def _ask(object_id: str, environment: Mapping[str, str]) -> Measured:
    """Run the client and give the medians of what it says."""
    words = ['-m', 'benchmarks.reference.ask_in_turn', *_SERVICES, '--object', object_id]
    try:
        done = subprocess.run(
            [sys.executable, *words],
            check=False,
            cwd=_ROOT,
            env=environment,
            capture_output=True,
            text=True,
            timeout=_PATIENCE_S,
        )
    except subprocess.TimeoutExpired as error:
        raise MeasuringError(f'the client had no answers within {_PATIENCE_S:g} s') from error
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ['it said nothing'])[-1]
        raise MeasuringError(f'the client ended with {done.returncode}: {last}')
    said = json.loads(done.stdout)
    if said['statuses'][0] != AnswerStatus.KNOWN:
        raise MeasuringError(f'the memory did not know {object_id}')
    ours, theirs = said['latencies_ms']
    return Measured(statistics.median(ours), statistics.median(theirs))


def _environment() -> dict[str, str]:
    """Give a domain of our own, on this machine only, and the transport profile we ship."""
    return {
        **os.environ,
        **profile_environment(_ROOT, os.environ),
        'ROS_DOMAIN_ID': str(1 + os.getpid() % 101),
        'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST',
    }


@contextmanager
def _running(words: Sequence[str], environment: Mapping[str, str], folder: Path) -> Iterator[None]:
    """Run a process for the length of a block."""
    with tempfile.TemporaryFile(dir=folder) as log:
        process = subprocess.Popen(
            [sys.executable, *words], cwd=_ROOT, env=environment, stdout=log, stderr=log
        )
        try:
            yield
        finally:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(10.0)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


SERVICE_ROUNDTRIP = Figure(
    name='service_roundtrip',
    unit='ms',
    reference=(
        "a bare rclpy service with a response made once, on the memory's executor, asked in turn"
    ),
    measure=_measure,
    goal=Goal('ratio', '<=', 1.25),
)
