"""
Own the questions: one module per family, each with typed answers and a ready-made sentence.

Imports ports, records and geometry. A reader starts with :func:`locate`, :class:`Selector` and
:class:`Answer`.
"""

from __future__ import annotations

from st_memory.core.queries.answers import (
    Answer,
    ListAnswer,
    LocateAnswer,
    RelativePoseAnswer,
    VisibilityAnswer,
    WhenAnswer,
)
from st_memory.core.queries.directions import (
    direction_of,
    DirectionScheme,
    distance_class,
    relation_of,
)
from st_memory.core.queries.formats import (
    DistanceClasses,
    format_named,
    FORMATS,
    QuestionFormat,
)
from st_memory.core.queries.listing import list_objects, ObjectFilter
from st_memory.core.queries.relative import relative_pose
from st_memory.core.queries.selection import Selector
from st_memory.core.queries.timeline import get_timeline
from st_memory.core.queries.visibility import get_visibility
from st_memory.core.queries.when import when_last_placed, when_last_visible
from st_memory.core.queries.where import locate

__all__ = [
    'FORMATS',
    'Answer',
    'DirectionScheme',
    'DistanceClasses',
    'ListAnswer',
    'LocateAnswer',
    'ObjectFilter',
    'QuestionFormat',
    'RelativePoseAnswer',
    'Selector',
    'VisibilityAnswer',
    'WhenAnswer',
    'direction_of',
    'distance_class',
    'format_named',
    'get_timeline',
    'get_visibility',
    'list_objects',
    'locate',
    'relation_of',
    'relative_pose',
    'when_last_placed',
    'when_last_visible',
]
