"""Fixtures of the stores."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count

import pytest

from test.storage.postgres_server import NoServerError, running_server, ServerAtWork


@pytest.fixture(scope='session')
def postgres_server() -> Iterator[ServerAtWork]:
    """Give a server that runs as long as the tests; skips where there is none."""
    try:
        with running_server() as server:
            yield server
    except NoServerError as error:
        pytest.skip(str(error))


@pytest.fixture(scope='session')
def new_memory(postgres_server: ServerAtWork) -> Callable[[], str]:
    """Give what gives the address of a memory that is not there yet."""
    numbers = count()
    return lambda: f'{postgres_server.url}#memory {next(numbers)}'
