"""Open a memory file with bare SQLite and read the newest row of an object; run as a script."""

from __future__ import annotations

import json
import sqlite3
import sys


def main(path: str, name: str) -> None:
    """Print the row."""
    connection = sqlite3.connect(path)
    row = connection.execute(
        'SELECT p.x, p.y, p.z FROM version v JOIN position p ON p.id = v.position '
        'WHERE v.object = (SELECT id FROM text WHERE value = ?) AND v.epoch = 0 '
        'ORDER BY v.stamp_ns DESC LIMIT 1',
        (name,),
    ).fetchone()
    json.dump(row, sys.stdout)


if __name__ == '__main__':
    main(*sys.argv[1:])
