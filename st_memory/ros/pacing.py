"""When may a replay send its next message: by an acknowledgement, by the clock, or both."""

from __future__ import annotations

from collections.abc import Collection
import math

from st_memory.core.stamps import NS_PER_S

__all__ = ['Pacer']


class Pacer:
    """
    Keep a replay from running ahead of its consumer.

    The middleware keeps the order of one topic, not that of several. So only messages of one
    topic, or of one time of recording, are on their way together; another one waits until they
    are acknowledged. The consumer gets the moments of the recording in order, and never too much.

    Parameters
    ----------
    rate : float
        Speed as a multiple of the recording; 0 for no limit.
    window : int
        Most messages that may be on their way.

    """

    def __init__(self, rate: float, window: int = 10) -> None:
        self._rate = rate
        self._window = window
        self._acked_topics: frozenset[str] = frozenset()
        self._num_sent = 0
        self._num_acknowledged = 0
        self._num_lost = 0
        self._consumer_total = 0
        self._barriers: frozenset[str] = frozenset()
        self._topics_on_way: set[str] = set()
        self._stamps_on_way: set[int] = set()
        self._first_ns: int | None = None
        self._first_s = 0.0
        self._progress_s = 0.0

    @property
    def num_acknowledged(self) -> int:
        """Messages that the consumer took."""
        return self._num_acknowledged

    @property
    def num_lost(self) -> int:
        """Messages that were given up."""
        return self._num_lost

    @property
    def num_outstanding(self) -> int:
        """Messages sent and neither acknowledged nor given up."""
        return self._num_sent - self._num_acknowledged - self._num_lost

    def expect(
        self, topics: Collection[str], consumer_total: int, barriers: Collection[str] = ()
    ) -> None:
        """
        Say which topics the consumer acknowledges, and how many messages it has taken so far.

        Parameters
        ----------
        topics : collection of str
            Messages of others are sent without waiting.
        consumer_total : int
            Its count before the first message of this replay.
        barriers : collection of str
            Topics whose messages are never on their way together with those of another topic.

        """
        self._barriers = frozenset(barriers)
        self._acked_topics = frozenset(topics)
        self._consumer_total = consumer_total

    def acknowledge(self, consumer_total: int, now_s: float) -> None:
        """Take note of the consumer's count; one that falls is that of a consumer restarted."""
        if consumer_total < self._consumer_total:
            self._num_lost += self.num_outstanding
        else:
            news = consumer_total - self._consumer_total
            self._num_acknowledged += min(news, self.num_outstanding)
        self._consumer_total = consumer_total
        self._progress_s = now_s

    def delay_s(self, topic: str, log_ns: int, now_s: float) -> float:
        """
        Say how long the next message has to wait.

        Parameters
        ----------
        topic : str
            Its topic.
        log_ns : int
            Its time of recording, nanoseconds.
        now_s : float
            Steady time, seconds.

        Returns
        -------
        float
            0 to send it now, infinity while an acknowledgement is missing, else seconds.

        """
        if topic in self._acked_topics and not self._may_join(topic, log_ns):
            return math.inf
        if not self._rate or self._first_ns is None:
            return 0.0
        due_s = self._first_s + (log_ns - self._first_ns) / NS_PER_S / self._rate
        return max(0.0, due_s - now_s)

    def sent(self, topic: str, log_ns: int, now_s: float) -> None:
        """Take note of a message that was sent."""
        if self._first_ns is None:
            self._first_ns, self._first_s = log_ns, now_s
        if topic in self._acked_topics:
            if not self.num_outstanding:
                self._progress_s = now_s
                self._topics_on_way.clear()
                self._stamps_on_way.clear()
            self._num_sent += 1
            self._topics_on_way.add(topic)
            self._stamps_on_way.add(log_ns)

    def restart(self) -> None:
        """Begin anew with the times of recording: the bag starts again."""
        self._first_ns = None

    def give_up(self, timeout_s: float, now_s: float) -> int:
        """Give up what has been on its way without any progress for too long; gives how many."""
        if not self.num_outstanding or now_s - self._progress_s < timeout_s:
            return 0
        lost = self.num_outstanding
        self._num_lost += lost
        return lost

    def _may_join(self, topic: str, log_ns: int) -> bool:
        """Whether a message may be on its way together with those that are."""
        if not self.num_outstanding:
            return True
        if self.num_outstanding >= self._window:
            return False
        topics = self._topics_on_way | {topic}
        return len(topics) == 1 or (
            self._stamps_on_way == {log_ns} and topics.isdisjoint(self._barriers)
        )
