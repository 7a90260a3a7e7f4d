"""Kitchens that several tests look at; skipped with the reason where nothing can render."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from st_memory.core.errors import MissingExtraError
from st_memory.sim import KitchenReport, KitchenSpec, render_kitchen, RenderingUnavailableError
from test.contracts.list_sink import ListSink
from test.sim.tables import read_table


@dataclass(frozen=True)
class Rendered:
    """A rendered kitchen: what was asked for, what was written, where the truth is."""

    spec: KitchenSpec
    sink: ListSink
    folder: Path
    report: KitchenReport

    def truth(self) -> list[dict[str, str]]:
        """Rows of truth.csv."""
        return read_table(self.folder / 'truth.csv')


def render(spec: KitchenSpec, folder: Path) -> Rendered:
    """Render into a list, or skip the test."""
    sink = ListSink()
    try:
        report = render_kitchen(spec, sink, folder)
    except (MissingExtraError, RenderingUnavailableError) as error:
        pytest.skip(str(error))
    return Rendered(spec, sink, folder, report)


@pytest.fixture(scope='session')
def clean_kitchen(tmp_path_factory: pytest.TempPathFactory) -> Rendered:
    """Give half a minute without noise, small images."""
    spec = KitchenSpec(
        7,
        duration_s=24.0,
        image_rate_hz=3.0,
        width=160,
        height=120,
        noise='clean',
        min_detection_px=12,
    )
    return render(spec, tmp_path_factory.mktemp('clean'))


@pytest.fixture(scope='session')
def noisy_kitchen(tmp_path_factory: pytest.TempPathFactory) -> Rendered:
    """Give the start of the same kitchen with standard noise."""
    spec = KitchenSpec(
        7,
        duration_s=6.0,
        image_rate_hz=3.0,
        width=160,
        height=120,
        noise='standard',
        min_detection_px=12,
    )
    return render(spec, tmp_path_factory.mktemp('noisy'))
