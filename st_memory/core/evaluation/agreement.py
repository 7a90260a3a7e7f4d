"""How far several people who judged the same things agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import combinations

__all__ = ['cohen_kappa', 'krippendorff_alpha', 'pairwise_kappa', 'unanimous_share']


def krippendorff_alpha(units: Iterable[Sequence[Hashable]]) -> float | None:
    """
    Krippendorff's alpha for names without an order.

    Parameters
    ----------
    units : iterable of sequence
        Per thing judged the values that it was given, in any order; things with fewer than two
        say nothing about agreement and do not count.

    Returns
    -------
    float or None
        1 for perfect agreement, 0 for that of chance; None where all values are the same, or
        there are none, so that chance cannot be told from agreement.

    References
    ----------
    .. [1] Krippendorff (2011), Computing Krippendorff's alpha-reliability, section C.

    """
    totals: Counter[Hashable] = Counter()
    disagreement = 0.0
    for values in units:
        if len(values) < 2:
            continue
        counts = Counter(values)
        totals.update(counts)
        differing = len(values) ** 2 - sum(n * n for n in counts.values())
        disagreement += differing / (len(values) - 1)
    num = sum(totals.values())
    expected = num * num - sum(n * n for n in totals.values())
    if not expected:
        return None
    return 1.0 - (num - 1) * disagreement / expected


def cohen_kappa(pairs: Iterable[tuple[Hashable, Hashable]]) -> float | None:
    """
    Cohen's kappa of two judges.

    Parameters
    ----------
    pairs : iterable of (value, value)
        Per thing that both judged what the first and the second said.

    Returns
    -------
    float or None
        1 for perfect agreement, 0 for that of chance; None where chance alone explains
        everything, or there is no thing.

    """
    counts = Counter(pairs)
    num = sum(counts.values())
    first, second = Counter[Hashable](), Counter[Hashable]()
    for (one, other), n in counts.items():
        first[one] += n
        second[other] += n
    # Whole numbers up to the last division: exact for any counts.
    agreed = num * sum(n for (one, other), n in counts.items() if one == other)
    by_chance = sum(n * second[value] for value, n in first.items())
    if num * num == by_chance:
        return None
    return (agreed - by_chance) / (num * num - by_chance)


def pairwise_kappa(
    units: Iterable[Mapping[str, Hashable]],
) -> dict[tuple[str, str], tuple[float | None, int]]:
    """
    Cohen's kappa of every two judges that have judged something together.

    Parameters
    ----------
    units : iterable of mapping
        Per thing judged what each judge said.

    Returns
    -------
    dict
        By the two judges in the order of their names: kappa, and the things that both judged.

    """
    shared: dict[tuple[str, str], list[tuple[Hashable, Hashable]]] = {}
    for said in units:
        for one, other in combinations(sorted(said), 2):
            shared.setdefault((one, other), []).append((said[one], said[other]))
    return {names: (cohen_kappa(pairs), len(pairs)) for names, pairs in sorted(shared.items())}


def unanimous_share(units: Iterable[Sequence[Hashable]]) -> float | None:
    """Share of the things judged more than once on which all agree; None without any."""
    agreed = [len(set(values)) == 1 for values in units if len(values) > 1]
    return sum(agreed) / len(agreed) if agreed else None
