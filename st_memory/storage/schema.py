"""
Tables of the memory file, as ordered, named migrations.

Strings that repeat (ids, labels, causes) are kept once in ``text`` and named by number. What an
object is (``slow_state``) and where it is (``position``) are written only when they change;
``version`` holds the few numbers that change often and points at both. Stamps inside a row are
kept as differences to the row's key, because SQLite stores small integers in few bytes. ``ANY``
columns keep a float bit by bit (a REAL column would turn -0.0 into 0).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from st_memory.storage.called import fill_called
from st_memory.storage.sql import SqlConnection

__all__ = ['APPLICATION_ID', 'MIGRATIONS', 'Migration']

# 'STMM' in the header of the file: tells a memory file from any other database.
APPLICATION_ID = 0x53544D4D


@dataclass(frozen=True)
class Migration:
    """
    One step of the schema; steps are only ever added at the end.

    Parameters
    ----------
    name : str
        Unique; recorded in the file once applied.
    statements : tuple of str
        SQL, run in one transaction together with the record.
    postgres : tuple of str, optional
        The same for PostgreSQL where translating the words is not enough.
    fill : callable, optional
        Fills what SQL alone cannot, after the statements and in their transaction.

    """

    name: str
    statements: tuple[str, ...]
    postgres: tuple[str, ...] | None = None
    fill: Callable[[SqlConnection], None] | None = None


_INITIAL = (
    'CREATE TABLE text (id INTEGER PRIMARY KEY, value TEXT NOT NULL UNIQUE) STRICT',
    """CREATE TABLE frame (
        seq INTEGER PRIMARY KEY, epoch INTEGER NOT NULL, stamp_ns INTEGER NOT NULL) STRICT""",
    """CREATE TABLE epoch (
        epoch INTEGER PRIMARY KEY, first_ns INTEGER NOT NULL,
        first_seq INTEGER NOT NULL) STRICT""",
    # The fold's own words after the newest frame: one row, and one row an object.
    """CREATE TABLE head (
        id INTEGER PRIMARY KEY CHECK (id = 1), fold_json TEXT NOT NULL) STRICT""",
    'CREATE TABLE track (object INTEGER PRIMARY KEY, fold_json TEXT NOT NULL) STRICT',
    """CREATE TABLE known (
        epoch INTEGER NOT NULL, object INTEGER NOT NULL, first_ns INTEGER NOT NULL,
        PRIMARY KEY (epoch, object)) STRICT, WITHOUT ROWID""",
    """CREATE TABLE slow_state (
        id INTEGER PRIMARY KEY, label INTEGER NOT NULL, life_cycle INTEGER NOT NULL,
        aliases TEXT NOT NULL, size_x ANY NOT NULL, size_y ANY NOT NULL, size_z ANY NOT NULL,
        visibility INTEGER NOT NULL, cause INTEGER NOT NULL, occluder INTEGER NOT NULL,
        geometry INTEGER NOT NULL, confirmed INTEGER NOT NULL, first_seen_ns INTEGER,
        last_placed_ns INTEGER, placed_by INTEGER NOT NULL, visibility_since_ns INTEGER,
        fixture INTEGER NOT NULL, fixture_alternatives TEXT NOT NULL,
        container INTEGER NOT NULL, in_motion INTEGER NOT NULL, num_moves INTEGER NOT NULL
        ) STRICT""",
    'CREATE TABLE position (id INTEGER PRIMARY KEY, x ANY, y ANY, z ANY, sigma_m ANY NOT NULL)'
    ' STRICT',
    """CREATE TABLE version (
        object INTEGER NOT NULL, epoch INTEGER NOT NULL, stamp_ns INTEGER NOT NULL,
        slow INTEGER NOT NULL, position INTEGER NOT NULL, since_seen_ns INTEGER,
        since_visible_ns INTEGER, num_observations INTEGER NOT NULL, existence ANY,
        PRIMARY KEY (object, epoch, stamp_ns)) STRICT, WITHOUT ROWID""",
    # One object as one camera sees it in one epoch.
    """CREATE TABLE sightline (
        id INTEGER PRIMARY KEY, object INTEGER NOT NULL, epoch INTEGER NOT NULL,
        camera INTEGER NOT NULL, UNIQUE (object, epoch, camera)) STRICT""",
    # ordinal: how many there were of this sightline (or camera) up to and including the row, so
    # that a count over any stretch of time is two look-ups.
    """CREATE TABLE observation (
        sightline INTEGER NOT NULL, stamp_ns INTEGER NOT NULL, ordinal INTEGER NOT NULL,
        observation_id TEXT NOT NULL, label INTEGER NOT NULL, score ANY NOT NULL,
        source INTEGER NOT NULL, camera_x ANY, camera_y ANY, camera_z ANY, world_x ANY,
        world_y ANY, world_z ANY, box_u ANY, box_v ANY, box_w ANY, box_h ANY,
        PRIMARY KEY (sightline, stamp_ns, ordinal)) STRICT, WITHOUT ROWID""",
    """CREATE TABLE look (
        camera INTEGER NOT NULL, epoch INTEGER NOT NULL, stamp_ns INTEGER NOT NULL,
        ordinal INTEGER NOT NULL, detector_reported INTEGER NOT NULL, pose BLOB,
        PRIMARY KEY (camera, epoch, stamp_ns)) STRICT, WITHOUT ROWID""",
    """CREATE TABLE verdict (
        id INTEGER PRIMARY KEY, state INTEGER NOT NULL, geometry INTEGER NOT NULL,
        cause INTEGER NOT NULL, occluder INTEGER NOT NULL,
        UNIQUE (state, geometry, cause, occluder)) STRICT""",
    # The newest row of an interval. open_late_ns, close_late_ns: from the start (the end) to the
    # frame that appended the open (the closed) row; NULL for zero.
    """CREATE TABLE interval (
        sightline INTEGER NOT NULL, start_ns INTEGER NOT NULL, length_ns INTEGER,
        tail_ns INTEGER, verdict INTEGER NOT NULL, num_frames INTEGER, num_confirmed INTEGER,
        open_late_ns INTEGER, close_late_ns INTEGER,
        PRIMARY KEY (sightline, start_ns)) STRICT, WITHOUT ROWID""",
    # Earlier rows of an interval that its newest row does not tell.
    """CREATE TABLE interval_past (
        sightline INTEGER NOT NULL, start_ns INTEGER NOT NULL, number INTEGER NOT NULL,
        appended_ns INTEGER NOT NULL, end_ns INTEGER, last_frame_ns INTEGER NOT NULL,
        verdict INTEGER NOT NULL, num_frames INTEGER NOT NULL, num_confirmed INTEGER NOT NULL,
        PRIMARY KEY (sightline, start_ns, number)) STRICT, WITHOUT ROWID""",
    """CREATE TABLE placement (
        object INTEGER NOT NULL, epoch INTEGER NOT NULL, start_ns INTEGER NOT NULL,
        number INTEGER NOT NULL, appended_ns INTEGER NOT NULL, end_ns INTEGER,
        recorded_ns INTEGER NOT NULL, x ANY NOT NULL, y ANY NOT NULL, z ANY NOT NULL,
        fixture INTEGER NOT NULL, source INTEGER NOT NULL,
        PRIMARY KEY (object, epoch, start_ns, number)) STRICT, WITHOUT ROWID""",
    """CREATE TABLE event (
        id INTEGER PRIMARY KEY, epoch INTEGER NOT NULL, appended_ns INTEGER NOT NULL,
        event_id TEXT NOT NULL, event_type INTEGER NOT NULL, start_ns INTEGER NOT NULL,
        end_ns INTEGER NOT NULL, recorded_ns INTEGER NOT NULL, roles TEXT NOT NULL,
        source INTEGER NOT NULL, detail TEXT NOT NULL) STRICT""",
    'CREATE INDEX event_by_id ON event (epoch, event_id)',
    'CREATE INDEX event_by_time ON event (epoch, appended_ns)',
    """CREATE TABLE event_role (
        participant INTEGER NOT NULL, event INTEGER NOT NULL,
        PRIMARY KEY (participant, event)) STRICT, WITHOUT ROWID""",
    """CREATE TABLE scene_part (
        name TEXT NOT NULL UNIQUE, fixture_id TEXT NOT NULL, frame_id TEXT NOT NULL,
        vertices BLOB NOT NULL, triangles BLOB NOT NULL, position INTEGER PRIMARY KEY) STRICT""",
    """CREATE TABLE scene_fixture (
        fixture_id TEXT NOT NULL UNIQUE, label TEXT NOT NULL, world_T_box BLOB NOT NULL,
        size_x ANY NOT NULL, size_y ANY NOT NULL, size_z ANY NOT NULL,
        is_container INTEGER NOT NULL, position INTEGER PRIMARY KEY) STRICT""",
)

# Four numbers as JSON; '' for a box along the axes of the fixed frame, the usual case.
_ATTITUDE = ("ALTER TABLE slow_state ADD COLUMN attitude TEXT NOT NULL DEFAULT ''",)

# A confidence and names as JSON; '' for no doubt about which thing it is, the usual case.
_IDENTITY = ("ALTER TABLE slow_state ADD COLUMN identity TEXT NOT NULL DEFAULT ''",)

# boot: a row wherever the origin of the frames changes. thinned: observations that only count.
_ORIGINS = (
    """CREATE TABLE boot (
        first_seq INTEGER PRIMARY KEY, robot_id TEXT NOT NULL, boot_id TEXT NOT NULL) STRICT""",
    """CREATE TABLE thinned (
        sightline INTEGER NOT NULL, stamp_ns INTEGER NOT NULL, ordinal INTEGER NOT NULL,
        PRIMARY KEY (sightline, stamp_ns, ordinal)) STRICT, WITHOUT ROWID""",
)
# Frames that are there already were written by one robot, in one go as far as anybody knows.
_OLD_FRAMES = """
    INSERT INTO boot SELECT 0, lower(hex(randomblob(8))), lower(hex(randomblob(8)))
    WHERE EXISTS (SELECT 1 FROM frame)"""
_HERE = 'CREATE VIRTUAL TABLE here USING rtree(object, x0, x1, y0, y1, z0, z1)'
_FILL_HERE = """
    INSERT INTO here SELECT k.object, p.x, p.x, p.y, p.y, p.z, p.z FROM known k
    CROSS JOIN version v ON v.object = k.object AND v.epoch = k.epoch AND v.stamp_ns = (
        SELECT max(w.stamp_ns) FROM version w WHERE w.object = k.object AND w.epoch = k.epoch)
    CROSS JOIN position p ON p.id = v.position
    WHERE k.epoch = (SELECT epoch FROM frame ORDER BY seq DESC LIMIT 1)
        AND p.x IS NOT NULL"""
_POSTGRES_HERE = (
    """CREATE TABLE here (
        object INTEGER PRIMARY KEY, x0 ANY NOT NULL, x1 ANY NOT NULL, y0 ANY NOT NULL,
        y1 ANY NOT NULL, z0 ANY NOT NULL, z1 ANY NOT NULL)""",
    'CREATE INDEX here_by_place ON here (x0, y0, z0)',
)

# Objects by name: every name an object ever had in an epoch, lower case, and since when.
_CALLED = (
    """CREATE TABLE called (
        name INTEGER NOT NULL, epoch INTEGER NOT NULL, object INTEGER NOT NULL,
        first_ns INTEGER NOT NULL, PRIMARY KEY (name, epoch, object)) STRICT, WITHOUT ROWID""",
)

MIGRATIONS: tuple[Migration, ...] = (
    Migration('0001_initial', _INITIAL),
    Migration('0002_attitude', _ATTITUDE),
    Migration(
        '0003_origins',
        (*_ORIGINS, _OLD_FRAMES, _HERE, _FILL_HERE),
        (*_ORIGINS, *_POSTGRES_HERE),
    ),
    Migration('0004_identity', _IDENTITY),
    Migration('0005_called', _CALLED, fill=fill_called),
)
