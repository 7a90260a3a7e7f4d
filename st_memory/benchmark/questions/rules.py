"""Every number of the writer, in one place."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ['HORIZONS', 'WritingRules']

HORIZONS = ('short', 'medium', 'long')


@dataclass(frozen=True)
class WritingRules:
    """
    How anchors are chosen and options made.

    Parameters
    ----------
    format : str
        ``beyond3d_final`` or ``beyond3d_legacy``, as in :mod:`st_memory.core.queries.formats`.
    horizons_s : tuple of (float, float)
        Ranges of the time since the target was last visible, seconds, both ends in it.
    query_groups_s : tuple of float
        Limits between groups of query times.
    margin_s : float
        So long before and after a query the target's state is the same, seconds: a query on the
        very edge would ask about the length of a frame.
    known_gap_s : float
        Longest time between the last sample that shows the target and the first that surely
        does not, seconds: in between it is not known whether it could be seen.
    bins_s : tuple of (int, int)
        How far from the truth the times of the distractors are, whole seconds, one from each.
        The published example (1, 3, 6 and 17 s from the truth) has one in each.
    fence_margin_s : float
        No time at which the right answer may have been is nearer than this to the middle between
        two options, seconds: there it would be a matter of rounding which one is closest.
    draws_per_span : int
        Anchors that one span of being out of sight gives for one group of horizons, at most:
        what is asked is chosen from them.
    edge_share : float
        A reference object shows at least this share of the image inside its border.
    num_fixture_options : int
        Options of a question about a type of fixture.
    occluded_share : float
        Share of the targets that are occluded rather than out of view, at most.
    area_label : str
        Type of fixture whose pieces have names of their own in options.
    may_point_out : bool
        A target whose name is not its own is pointed out by where it was seen before; otherwise
        it is not asked about, as in the published questions.

    References
    ----------
    .. [1] Beyond3D (2026), sections 4.2, 8.1 and 8.3.

    """

    format: str = 'beyond3d_final'
    horizons_s: tuple[tuple[float, float], ...] = ((2.0, 10.0), (11.0, 30.0), (30.5, 1e9))
    query_groups_s: tuple[float, ...] = (150.0, 300.0)
    margin_s: float = 1.0
    known_gap_s: float = 1.0
    bins_s: tuple[tuple[int, int], ...] = ((1, 2), (3, 5), (6, 10), (11, 20))
    fence_margin_s: float = 0.25
    draws_per_span: int = 12
    edge_share: float = 0.05
    num_fixture_options: int = 5
    occluded_share: float = 0.1
    area_label: str = 'counter'
    may_point_out: bool = True

    def horizon_of(self, horizon_s: float) -> str:
        """Name the group of a horizon; '' between the groups."""
        for name, (low, high) in zip(HORIZONS, self.horizons_s, strict=True):
            if low <= horizon_s <= high:
                return name
        return ''

    def query_group_of(self, query_s: float) -> int:
        """Give the number of the group of a query time, from 0."""
        return sum(query_s >= limit for limit in self.query_groups_s)
