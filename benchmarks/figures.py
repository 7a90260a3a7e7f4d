"""The figures, in the order of the results file."""

from __future__ import annotations

from benchmarks.classify import CLASSIFY
from benchmarks.cli_import import CLI_IMPORT
from benchmarks.figure import Figure
from benchmarks.integrate_frame import INTEGRATE_FRAME
from benchmarks.replay_fixture import REPLAY_FIXTURE
from benchmarks.service_roundtrip import SERVICE_ROUNDTRIP

__all__ = ['FIGURES']

FIGURES: dict[str, Figure] = {
    figure.name: figure
    for figure in (
        CLI_IMPORT,
        REPLAY_FIXTURE,
        SERVICE_ROUNDTRIP,
        *CLASSIFY,
        INTEGRATE_FRAME,
    )
}
