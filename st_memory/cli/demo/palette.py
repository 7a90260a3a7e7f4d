"""Colours of the report: one a state, the same in every picture."""

from __future__ import annotations

from st_memory.core.records import Visibility

__all__ = ['INK', 'STATE_COLORS', 'STATE_WORDS']

INK = {
    'text': '#1f2933',
    'muted': '#6b7785',
    'line': '#d5dbe3',
    'panel': '#f6f8fa',
    'fixture': '#e4e9ef',
    'path': '#8fa3b8',
    'right': '#1e8449',
    'wrong': '#c0392b',
    'shown': '#1f2933',
}
STATE_COLORS = {
    Visibility.VISIBLE: '#2e9e5b',
    Visibility.UNCONFIRMED: '#a6d8b9',
    Visibility.OUT_OF_VIEW: '#c7d1dc',
    Visibility.OCCLUDED: '#e5a436',
    Visibility.AMBIGUOUS_FIXTURE: '#b583cf',
    Visibility.IN_MOTION: '#3f7fd6',
    Visibility.ABSENT: '#d4574e',
    Visibility.UNKNOWN: '#eef1f4',
}
STATE_WORDS = {
    Visibility.VISIBLE: 'visible',
    Visibility.UNCONFIRMED: 'in view, not confirmed',
    Visibility.OUT_OF_VIEW: 'out of view',
    Visibility.OCCLUDED: 'hidden',
    Visibility.AMBIGUOUS_FIXTURE: 'maybe behind a door',
    Visibility.IN_MOTION: 'being moved',
    Visibility.ABSENT: 'gone from there',
    Visibility.UNKNOWN: 'cannot tell',
}
