"""Names of the files that the process which follows a kitchen writes."""

from __future__ import annotations

__all__ = ['ANSWERS', 'MOVES', 'OBSERVATIONS', 'PLACEMENTS', 'STATIC_ANSWERS']

ANSWERS = 'answers.jsonl'
STATIC_ANSWERS = 'static.jsonl'
OBSERVATIONS = 'observations.csv'
MOVES = 'moves.csv'
PLACEMENTS = 'placements.csv'
