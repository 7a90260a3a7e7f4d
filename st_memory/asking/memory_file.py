"""A memory file, and its questions as methods."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Any

from st_memory.asking.words import selector_of
from st_memory.core import queries
from st_memory.core.errors import StMemoryError
from st_memory.core.ports import MemoryReader
from st_memory.core.queries import DirectionScheme, ObjectFilter, Selector
from st_memory.core.queries.as_of import no_such_epoch
from st_memory.core.queries.asked_names import check_names
from st_memory.core.records import Event
from st_memory.core.records.detections import Point
from st_memory.core.stamps import Moment, stamp_from_seconds
from st_memory.storage import SqliteMemoryStore
from st_memory.vlm.word_encoder import word_encoder

__all__ = ['MemoryFile']


class MemoryFile:
    """
    A memory file that is asked and never written.

    Every method takes the object as an id, a label, other words or a
    :class:`~st_memory.core.queries.Selector`, and ``at``: as of when, None for now. Every answer
    has ``status``, ``reason``, ``sentence``, ``at`` and ``evidence_ids``; not knowing is an
    answer. A node may write the file meanwhile.

    Parameters
    ----------
    path : Path or str
        The file.

    Raises
    ------
    StoreError
        If it is missing, or no memory of a known version.

    Examples
    --------
    >>> with MemoryFile('kitchen.db') as memory:  # doctest: +SKIP
    ...     print(memory.where('cereal box').sentence)
    ...     print(memory.relative('mug', 'base', scheme='clock').direction)
    ...     print(memory.moves('mug', since=memory.after(60.0)).count)

    """

    def __init__(self, path: Path | str) -> None:
        self._store = SqliteMemoryStore.open(Path(path), read_only=True)

    def __enter__(self) -> MemoryFile:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file; further questions raise :class:`StoreError`."""
        self._store.close()

    @property
    def reader(self) -> MemoryReader:
        """The memory as the functions of :mod:`st_memory.core.queries` take it."""
        return self._store

    def now(self) -> Moment | None:
        """Give the moment of the newest frame; None for an empty memory."""
        return self._store.now()

    def after(self, seconds: float, epoch: int | None = None) -> Moment:
        """
        Give the moment so many seconds after the first frame.

        Parameters
        ----------
        seconds : float
            Rounded to nanoseconds.
        epoch : int, optional
            Of this epoch; None for the newest.

        Raises
        ------
        StMemoryError
            If there is no such epoch, or no frame at all.

        """
        epochs = self._store.epochs()
        chosen = epoch if epoch is not None or not epochs else epochs[-1]
        first = None if chosen is None else self._store.first_moment(chosen)
        if first is None:
            empty = 'the memory is empty: it has no first frame'
            raise StMemoryError(
                no_such_epoch(self._store, chosen) if chosen is not None else empty
            )
        return Moment(first.epoch, first.stamp_ns + stamp_from_seconds(seconds))

    def where(
        self,
        what: str | Selector,
        at: Moment | None = None,
        *,
        persistence: queries.StayPrior | None = None,
    ) -> queries.LocateAnswer:
        """Say where it is, seen or unseen, and with a prior how likely it still is there."""
        return queries.locate(self._store, self._who(what, at), at, persistence)

    def visible(
        self, what: str | Selector, at: Moment | None = None, *, camera: str = ''
    ) -> queries.VisibilityAnswer:
        """Say whether it can be seen, and if not, why not."""
        return queries.get_visibility(self._store, self._who(what, at), at, camera)

    def timeline(
        self,
        what: str | Selector,
        at: Moment | None = None,
        *,
        camera: str = '',
        start_ns: int | None = None,
        end_ns: int | None = None,
        limit: int | None = None,
    ) -> queries.VisibilityAnswer:
        """Say how its visibility has been; the window is half-open, in nanoseconds."""
        window: dict[str, int | None] = {'start_ns': start_ns, 'end_ns': end_ns, 'limit': limit}
        return queries.get_timeline(self._store, self._who(what, at), at, camera, **window)

    def first_seen(self, what: str | Selector, at: Moment | None = None) -> queries.WhenAnswer:
        """Say when it was first seen."""
        return queries.when_first_seen(self._store, self._who(what, at), at)

    def last_seen(
        self, what: str | Selector, at: Moment | None = None, *, camera: str = ''
    ) -> queries.WhenAnswer:
        """Say when it was last visible."""
        return queries.when_last_visible(self._store, self._who(what, at), at, camera)

    def last_detected(self, what: str | Selector, at: Moment | None = None) -> queries.WhenAnswer:
        """Say when a detector last found it."""
        return queries.when_last_detected(self._store, self._who(what, at), at)

    def last_placed(self, what: str | Selector, at: Moment | None = None) -> queries.WhenAnswer:
        """Say when it was last put down."""
        return queries.when_last_placed(self._store, self._who(what, at), at)

    def static_since(self, what: str | Selector, at: Moment | None = None) -> queries.WhenAnswer:
        """Say since when it has rested where it is."""
        return queries.when_static_since(self._store, self._who(what, at), at)

    def moves(
        self, what: str | Selector, at: Moment | None = None, *, since: Moment | None = None
    ) -> queries.CountAnswer:
        """Say how many times it was moved, in all or since then."""
        who = self._who(what, at)
        return queries.count_moves(self._store, who, at, self._since_ns(since))

    def itinerary(self, what: str | Selector, at: Moment | None = None) -> queries.ItineraryAnswer:
        """Say where it has been."""
        return queries.get_itinerary(self._store, self._who(what, at), at)

    def relative(
        self,
        what: str | Selector,
        reference: str = 'camera',
        at: Moment | None = None,
        *,
        scheme: str | DirectionScheme = DirectionScheme.SECTORS,
    ) -> queries.RelativePoseAnswer:
        """Say which way and how far it is from a camera, the base or another object."""
        classes = DirectionScheme(scheme)
        return queries.relative_pose(self._store, self._who(what, at), reference, classes, at)

    def fixture(
        self, what: str | Selector | Point, at: Moment | None = None
    ) -> queries.FixtureAnswer:
        """Say which fixture it, or a place (x, y, z) in metres, is at."""
        if isinstance(what, tuple):
            return queries.nearest_fixture_to_point(self._store, what, self._time(at))
        return queries.nearest_fixture(self._store, self._who(what, at), at)

    def find(
        self, what: str | Selector, at: Moment | None = None, *, start: str = ''
    ) -> queries.RouteAnswer:
        """Say where it was left, and how to walk there."""
        return queries.find_item(self._store, self._who(what, at), at, start)

    def contents(self, container: str, at: Moment | None = None) -> queries.ContentsAnswer:
        """Say what is inside a fixture or an object, or on a table."""
        return queries.list_contents(self._store, container, self._time(at))

    def changes(
        self, since: Moment | None = None, at: Moment | None = None
    ) -> queries.ChangesAnswer:
        """Say what is different from how it was then, or from the beginning."""
        return queries.list_changes(self._store, self._since_ns(since), self._time(at))

    def predict(
        self, actor: str = 'camera', at: Moment | None = None, *, limit: int | None = None
    ) -> queries.PredictionAnswer:
        """Say which fixture is used next."""
        return queries.predict_interaction(self._store, actor, self._time(at), limit=limit)

    def objects(self, at: Moment | None = None, **conditions: Any) -> queries.ListAnswer:
        """List objects; conditions are those of :class:`~st_memory.core.queries.ObjectFilter`."""
        return queries.list_objects(self._store, ObjectFilter(**conditions), self._time(at))

    def events(self, what: str = '', at: Moment | None = None) -> tuple[Event, ...]:
        """
        Give what happened, in all or to the object with this id.

        Raises
        ------
        StMemoryError
            If the moment is of an epoch that is not there.

        """
        check_names(name=what)
        asked = self._time(at)
        if asked is not None and self._store.first_moment(asked.epoch) is None:
            raise StMemoryError(no_such_epoch(self._store, asked.epoch))
        return self._store.events(asked, object_id=what or None)

    def _who(self, what: str | Selector, at: Moment | None) -> Selector:
        self._time(at)
        if not isinstance(what, (str, Selector)):
            raise StMemoryError(f'what: expected an id, a label or other words, got {what!r}')
        if isinstance(what, Selector):
            return what
        return selector_of(self._store, what, at, word_encoder)

    def _since_ns(self, since: Moment | None) -> int | None:
        """Give the stamp of a moment to compare with; its epoch must be there."""
        given = self._time(since, 'since')
        if given is None:
            return None
        if self._store.now() is not None and self._store.first_moment(given.epoch) is None:
            raise StMemoryError(f'since: {no_such_epoch(self._store, given.epoch)}')
        return given.stamp_ns

    @staticmethod
    def _time(at: Moment | None, name: str = 'at') -> Moment | None:
        """Refuse a time that is no moment."""
        if at is not None and not isinstance(at, Moment):
            raise StMemoryError(
                f'{name}: expected a Moment, as after(20.0) gives it, or None, got {at!r}'
            )
        return at
