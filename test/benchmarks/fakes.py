"""Figures that cost nothing, and count how often they were measured."""

from __future__ import annotations

from benchmarks.figure import Figure, Goal, Measured, MeasuringError

__all__ = ['FakeFigures']


class FakeFigures(dict[str, Figure]):
    """Three figures: one that meets its goal, one that does not, one that cannot be measured."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.values = {'quick': Measured(2.0, 4.0), 'slow': Measured(9.0, 3.0)}
        super().__init__(
            quick=self._figure('quick', Goal('ratio', '<=', 0.5)),
            slow=self._figure('slow', Goal('value', '>=', 10.0)),
            broken=Figure('broken', 'ms', 'nothing', self._fail),
        )

    def _figure(self, name: str, goal: Goal) -> Figure:
        def measure() -> Measured:
            self.calls.append(name)
            return self.values[name]

        return Figure(name, 'ms', f'the plain {name}', measure, goal)

    def _fail(self) -> Measured:
        self.calls.append('broken')
        raise MeasuringError('the rig is not here')
