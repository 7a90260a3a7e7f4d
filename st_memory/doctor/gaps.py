"""Where a bag is silent: the longest time between two messages of a topic."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import median

from st_memory.bags import BagSurvey, open_bag
from st_memory.conversions import TopicKind
from st_memory.core.stamps import seconds_from_stamp

__all__ = ['TopicGap', 'read_gaps']

# Kinds that come all the time; silence of another says nothing.
_STEADY = (
    TopicKind.TF,
    TopicKind.CAMERA_INFO,
    TopicKind.IMAGE,
    TopicKind.DEPTH,
    TopicKind.DETECTIONS,
    TopicKind.JOINTS,
)
_LEAST_GAP_S = 0.5
_TIMES_USUAL = 5.0


@dataclass(frozen=True)
class TopicGap:
    """
    The longest silence of a topic.

    Parameters
    ----------
    topic : str
        Which.
    longest_s : float
        Between two messages, by the time of recording, seconds.
    after_s : float
        When it began, seconds after the first message of the bag.
    usual_s : float
        Median time between two messages, seconds.

    """

    topic: str
    longest_s: float
    after_s: float
    usual_s: float

    @property
    def is_a_pause(self) -> bool:
        """Whether the topic was silent, and not just slow."""
        return self.longest_s >= max(_LEAST_GAP_S, _TIMES_USUAL * self.usual_s)

    def __str__(self) -> str:
        """Say it in one line."""
        return (
            f'{self.topic}: silent for {self.longest_s:.2f} s from {self.after_s:.2f} s after the '
            f'start (usually a message each {self.usual_s:.3f} s)'
        )


def read_gaps(path: Path, surveyed: BagSurvey) -> tuple[TopicGap, ...]:
    """
    Find the longest silence of each topic that comes all the time.

    Raises
    ------
    BagError
        If the bag is damaged within.

    """
    steady = {t.topic for t in surveyed.topics if t.role and t.role.kind in _STEADY}
    times: dict[str, list[int]] = {}
    with open_bag(path) as reader:
        for message in reader.messages(steady):
            times.setdefault(message.topic, []).append(message.log_ns)
    gaps = []
    for topic, log_ns in sorted(times.items()):
        steps = [b - a for a, b in pairwise(log_ns)]
        if steps:
            longest = max(range(len(steps)), key=steps.__getitem__)
            gaps.append(
                TopicGap(
                    topic=topic,
                    longest_s=seconds_from_stamp(steps[longest]),
                    after_s=seconds_from_stamp(log_ns[longest] - surveyed.start_ns),
                    usual_s=seconds_from_stamp(int(median(steps))),
                )
            )
    return tuple(gaps)
