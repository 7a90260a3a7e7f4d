"""Read the truth files of a kitchen as a stranger would."""

from __future__ import annotations

import csv
from pathlib import Path


def read_table(path: Path) -> list[dict[str, str]]:
    """Rows of a CSV file with a header."""
    with path.open(encoding='utf-8', newline='') as file:
        return list(csv.DictReader(file))
