"""What the track says of samples that are published as behind closed doors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from st_memory.benchmark.beyond3d_truth import CLOSED_FIXTURE
from st_memory.core.records import Visibility

__all__ = ['closed_fixtures', 'published_samples']


def closed_fixtures(
    preset_name: str,
    tracks: Mapping[str, Mapping[str, Any]],
    plain: Mapping[tuple[str, int], Mapping[str, str]],
    ruled: Mapping[tuple[str, int], Mapping[str, str]],
) -> dict[str, Any]:
    """
    Say of the samples that are published as behind closed doors what we give.

    Parameters
    ----------
    preset_name : str
        Rules of ``ruled``.
    tracks : mapping
        The published track.
    plain, ruled : mapping of (str, int) to mapping
        Rows of the per-item files by object and second: by the track's own rules, and by those
        with the fixture rule.

    Returns
    -------
    dict
        ``by_geometry_alone`` counts the states of the track's own rules, ``blocked_by`` the
        parts that block the rays of those which are hidden. ``with_fixture_rule`` is another
        run: what is hidden by the very fixture that it is in becomes AMBIGUOUS_FIXTURE. No
        annotation in this data says which fixture an object is in, nor which doors are open:
        the rule takes the nearest box, and ``ambiguous_elsewhere`` counts what it makes
        ambiguous among samples that are published under other statuses.

    """
    alone, blocked_by, with_rule = Counter[str](), Counter[str](), Counter[str]()
    by_fixture, elsewhere = Counter[str](), Counter[str]()
    for key, status, _ in published_samples(tracks):
        row = ruled.get(key)
        is_ambiguous = row is not None and row['state'] == Visibility.AMBIGUOUS_FIXTURE.name
        if status == CLOSED_FIXTURE:
            seen = plain.get(key, {})
            alone[seen.get('state', 'missing')] += 1
            if seen.get('occluder'):
                blocked_by[seen['occluder']] += 1
            with_rule[row['state'] if row else 'missing'] += 1
            if row is not None and is_ambiguous:
                by_fixture[row['occluder']] += 1
        elif is_ambiguous:
            elsewhere[status] += 1
    return {
        'by_geometry_alone': dict(sorted(alone.items())),
        'blocked_by': dict(sorted(blocked_by.items())),
        'with_fixture_rule': {
            'preset': preset_name,
            'containing_fixture': 'nearest box; annotated nowhere in this data',
            'states': dict(sorted(with_rule.items())),
            'ambiguous_by_fixture': dict(sorted(by_fixture.items())),
            'ambiguous_elsewhere': dict(sorted(elsewhere.items())),
        },
    }


def published_samples(
    tracks: Mapping[str, Mapping[str, Any]],
) -> Iterator[tuple[tuple[str, int], str, list[float] | None]]:
    """Give (object, second), status and pixel of each published sample."""
    for object_id, track in tracks.items():
        for t_sec, status in enumerate(track['status_samples']):
            yield (object_id, t_sec), status, track['projected_pixel_samples'][t_sec]
