"""Run a script without rendering anything."""

from __future__ import annotations

from collections.abc import Iterator

from st_memory.sim.director import Director
from st_memory.sim.happenings import Happening
from st_memory.sim.layout import make_layout
from st_memory.sim.noise import stream
from st_memory.sim.spec import KitchenSpec
from st_memory.sim.stage import Stage


def act(seed: int, seconds: float) -> Iterator[tuple[Stage, list[Happening]]]:
    """Yield the stage and the events that just ended, after every tick."""
    spec = KitchenSpec(seed, duration_s=seconds)
    script = stream(seed, 'script')
    stage = Stage(make_layout(spec, stream(seed, 'layout')), script)
    director = Director(spec, stage, script)
    for _ in range(spec.num_ticks):
        director.step()
        yield stage, stage.log.take_done()
