"""That an object may be another one."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ['Doubt']

# More names than this help nobody who asks which one it is.
_MAX_ALTERNATIVES = 5


@dataclass
class Doubt:
    """Who else an object may be, with likelihoods relative to its own, which is 1."""

    since_ns: int
    rivals: dict[str, float]
    is_of_place: bool = False  # two lie so near that one sight fits both

    @property
    def confidence(self) -> float:
        """Chance that it is what it was taken for."""
        return 1.0 / (1.0 + sum(self.rivals[name] for name in sorted(self.rivals)))

    @property
    def alternatives(self) -> tuple[str, ...]:
        """The likeliest others, the likeliest first."""
        ranked = sorted(self.rivals, key=lambda name: (-self.rivals[name], name))
        return tuple(ranked[:_MAX_ALTERNATIVES])
