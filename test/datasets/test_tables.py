"""Values of documents: what passes, and what is said of the rest."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from st_memory.core.errors import DatasetError
from st_memory.datasets.tables import read_json, read_table, sound_seconds, sound_text


@pytest.mark.parametrize('text', ['', 'mug', 'mυγ 😀', 'a\x00b', "'; DROP TABLE x;--"])
def test_text_that_can_be_written_passes(text: str) -> None:
    assert sound_text(text, 'name') == text


@pytest.mark.parametrize(
    ('value', 'error', 'found'),
    [
        (7, TypeError, 'name 7'),
        (None, TypeError, 'name None'),
        (['mug'], TypeError, r"name \['mug'\]"),
        ('\ud83d', UnicodeEncodeError, 'surrogates not allowed'),
        ('mug\udc00', UnicodeEncodeError, 'surrogates not allowed'),
    ],
    ids=ascii,
)
def test_other_values_are_no_text(value: Any, error: type[Exception], found: str) -> None:
    with pytest.raises(error, match=found):
        sound_text(value, 'name')


@pytest.mark.parametrize(
    ('value', 'seconds'), [(0, 0.0), (1.5, 1.5), ('2.25', 2.25), (1e9, 1e9), (-0.0, 0.0)]
)
def test_time_of_a_recording_passes(value: Any, seconds: float) -> None:
    assert sound_seconds(value) == seconds


@pytest.mark.parametrize(
    ('value', 'found'),
    [
        (-1e-9, 'a time of -1e-09 s'),
        (1.0000001e9, r'a time of 1000000100\.0 s'),
        (float('nan'), 'a time of nan s'),
        (float('inf'), 'a time of inf s'),
        ('noon', 'could not convert'),
    ],
)
def test_times_that_no_recording_has_are_refused(value: Any, found: str) -> None:
    with pytest.raises(ValueError, match=found):
        sound_seconds(value)


def test_value_that_is_no_number_is_no_time() -> None:
    with pytest.raises(TypeError):
        sound_seconds(None)


@pytest.mark.parametrize('data', [b'', b'{', b'\xff', b'[1,]'])
def test_file_that_is_no_json_is_one_line(data: bytes, tmp_path: Path) -> None:
    (tmp_path / 'a.json').write_bytes(data)

    with pytest.raises(DatasetError, match=r'a\.json: expected JSON, found') as caught:
        read_json(tmp_path / 'a.json')

    assert '\n' not in str(caught.value)


@pytest.mark.parametrize(
    ('data', 'found'),
    [
        (b'', r't\.csv: expected a column a, found an empty file'),
        (b'b\n1\n', r't\.csv: expected a column a, found b'),
        (b'x,a\n1\n', r't\.csv: expected a value for a in line 2, found the end of the line'),
        (b'a\n\xff\n', r't\.csv: expected a table of text, found'),
        (b'a\n' + b'1' * 200_000 + b'\n', r't\.csv: expected a table of text, found field larger'),
    ],
    ids=['empty', 'column', 'short', 'bytes', 'long'],
)
def test_file_that_is_no_table_is_one_line(data: bytes, found: str, tmp_path: Path) -> None:
    (tmp_path / 't.csv').write_bytes(data)

    with pytest.raises(DatasetError, match=found):
        list(read_table(tmp_path / 't.csv', ['a']))
