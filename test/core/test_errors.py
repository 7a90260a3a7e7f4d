"""Errors: one base class, one clear line."""

from __future__ import annotations

import pytest

from st_memory.core import errors
from st_memory.core.errors import (
    MissingExtraError,
    SchemaVersionError,
    StMemoryError,
    StoreError,
    TransformFailure,
    TransformUnavailableError,
)

ERROR_NAMES = [name for name in errors.__all__ if name.endswith('Error')]


@pytest.mark.parametrize('name', ERROR_NAMES)
def test_every_error_derives_from_the_base(name: str) -> None:
    """A caller can catch all of them at once."""
    assert issubclass(getattr(errors, name), StMemoryError)


def test_schema_version_error_is_a_store_error() -> None:
    """Whoever handles a broken store handles an unknown version too."""
    assert issubclass(SchemaVersionError, StoreError)


def test_missing_extra_says_how_to_install_it() -> None:
    """The message holds the command."""
    error = MissingExtraError('mujoco', 'sim', 'the rendered kitchen')

    assert str(error) == (
        "the rendered kitchen needs the package 'mujoco': install it with "
        "pip install 'st_memory[sim]'"
    )
    assert (error.package, error.extra) == ('mujoco', 'sim')


def test_transform_unavailable_names_frames_stamp_class_and_gap() -> None:
    """All that is needed to find the missing link is in one line."""
    error = TransformUnavailableError(
        'map', 'camera', 5_000, TransformFailure.TOO_NEW, 'link map -> base', 250_000_000
    )

    assert str(error) == (
        'no transform map <- camera at 5000 ns: too_new by 0.250 s (link map -> base)'
    )
    assert (error.failure, error.gap_ns) == (TransformFailure.TOO_NEW, 250_000_000)
    assert (error.target_frame, error.source_frame, error.stamp_ns) == ('map', 'camera', 5_000)


def test_transform_unavailable_without_stamp_says_any() -> None:
    """A question for any stamp does not print None."""
    error = TransformUnavailableError(
        'map', 'camera', None, TransformFailure.UNKNOWN_FRAME, "frame 'camera' was never seen"
    )

    assert str(error) == (
        "no transform map <- camera at any stamp: unknown_frame (frame 'camera' was never seen)"
    )
