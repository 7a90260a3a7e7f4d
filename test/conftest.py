"""Fixtures and profiles that every test shares."""

from __future__ import annotations

import os
from pathlib import Path

from hypothesis import HealthCheck, settings
import pytest

ROOT = Path(__file__).resolve().parent.parent

# Machines are slow and shared: no deadlines. CI draws the same examples every time.
_CHECKS = [HealthCheck.too_slow]
settings.register_profile('dev', deadline=None, suppress_health_check=_CHECKS)
settings.register_profile(
    'ci', deadline=None, derandomize=True, suppress_health_check=_CHECKS, print_blob=True
)
settings.load_profile('ci' if os.environ.get('CI') else 'dev')


@pytest.fixture(scope='session')
def shared_data() -> Path:
    """Root of the recordings that tests and evaluation read; skips where there are none."""
    root = Path(os.environ.get('ST_MEMORY_DATA') or ROOT.parent / 'shared' / 'data')
    if not root.is_dir():
        pytest.skip(f'needs the recordings in {root} (set ST_MEMORY_DATA)')
    return root


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests by what they need, and tell the report the groups that CI counts."""
    for item in items:
        folder = item.path.relative_to(ROOT / 'test').parts[0]
        if folder in ('ros', 'launch'):
            item.add_marker(folder)
        if 'shared_data' in getattr(item, 'fixturenames', ()):
            item.add_marker('data')
        groups = {mark.name for mark in item.iter_markers()} & {'ros', 'launch', 'data'}
        groups |= {'core'} & {folder}
        item.user_properties += [('group', name) for name in sorted(groups)]
