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
from st_memory.core.queries.changes import Change, ChangesAnswer, list_changes
from st_memory.core.queries.contents import ContentsAnswer, list_contents
from st_memory.core.queries.directions import (
    direction_of,
    DirectionScheme,
    distance_class,
    relation_of,
)
from st_memory.core.queries.find_item import find_item, RouteAnswer
from st_memory.core.queries.floor_map import FloorMapSettings
from st_memory.core.queries.formats import (
    DistanceClasses,
    format_named,
    FORMATS,
    QuestionFormat,
)
from st_memory.core.queries.itinerary import (
    count_moves,
    CountAnswer,
    get_itinerary,
    ItineraryAnswer,
)
from st_memory.core.queries.listing import list_objects, ObjectFilter
from st_memory.core.queries.nearest import (
    FixtureAnswer,
    nearest_fixture,
    nearest_fixture_to_point,
)
from st_memory.core.queries.persistence import StayChances, StayPrior
from st_memory.core.queries.predict import (
    GuessedFixture,
    predict_interaction,
    PredictionAnswer,
    PredictionSettings,
)
from st_memory.core.queries.relative import relative_pose
from st_memory.core.queries.selection import Selector
from st_memory.core.queries.since import when_first_seen, when_last_detected, when_static_since
from st_memory.core.queries.timeline import get_timeline
from st_memory.core.queries.told import edit_answer, rebase_answer, RebaseAnswer, refused
from st_memory.core.queries.visibility import get_visibility
from st_memory.core.queries.when import when_last_placed, when_last_visible
from st_memory.core.queries.where import locate

__all__ = [
    'FORMATS',
    'Answer',
    'Change',
    'ChangesAnswer',
    'ContentsAnswer',
    'CountAnswer',
    'DirectionScheme',
    'DistanceClasses',
    'FixtureAnswer',
    'FloorMapSettings',
    'GuessedFixture',
    'ItineraryAnswer',
    'ListAnswer',
    'LocateAnswer',
    'ObjectFilter',
    'PredictionAnswer',
    'PredictionSettings',
    'QuestionFormat',
    'RebaseAnswer',
    'RelativePoseAnswer',
    'RouteAnswer',
    'Selector',
    'StayChances',
    'StayPrior',
    'VisibilityAnswer',
    'WhenAnswer',
    'count_moves',
    'direction_of',
    'distance_class',
    'edit_answer',
    'find_item',
    'format_named',
    'get_itinerary',
    'get_timeline',
    'get_visibility',
    'list_changes',
    'list_contents',
    'list_objects',
    'locate',
    'nearest_fixture',
    'nearest_fixture_to_point',
    'predict_interaction',
    'rebase_answer',
    'refused',
    'relation_of',
    'relative_pose',
    'when_first_seen',
    'when_last_detected',
    'when_last_placed',
    'when_last_visible',
    'when_static_since',
]
