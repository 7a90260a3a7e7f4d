"""The addresses of the page: its files, and what it asks of the memory as JSON."""

from __future__ import annotations

from collections.abc import Callable
import logging
from pathlib import Path
from typing import Any, NamedTuple

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from st_memory.asking import MemoryFile
from st_memory.core.errors import StMemoryError, StoreError
from st_memory.view.asked import Asked
from st_memory.view.clock import epochs_fields
from st_memory.view.floor import map_page
from st_memory.view.guard import Guard
from st_memory.view.objects import FILTERS, list_page, timeline_page
from st_memory.view.questions import ask, OPTIONS, questions_fields
from st_memory.view.story import object_page

__all__ = ['build_app']

_logger = logging.getLogger(__name__)
_STATIC = Path(__file__).with_name('static')


class _Page(NamedTuple):
    """What answers an address, and the parameters it takes beside the moment."""

    answer: Callable[[Asked], dict[str, Any]]
    parameters: tuple[str, ...] = ()


def build_app(memory: MemoryFile, name: str, frame: str) -> ASGIApp:
    """
    Put the page together.

    Parameters
    ----------
    memory : MemoryFile
        The memory; it is never written.
    name : str
        What the page calls it.
    frame : str
        Name of the fixed frame.

    """
    pages = {
        'summary': _Page(lambda asked: _summary(memory, asked, name, frame)),
        'objects': _Page(lambda asked: list_page(memory, asked), FILTERS),
        'timeline': _Page(lambda asked: timeline_page(memory, asked), FILTERS),
        'map': _Page(lambda asked: map_page(memory, asked)),
        'object': _Page(lambda asked: object_page(memory, asked, frame), ('id',)),
        'ask': _Page(lambda asked: ask(memory, asked, frame), OPTIONS),
    }
    routes = [
        Route('/', _index),
        *(Route(f'/api/{key}', _endpoint(page)) for key, page in pages.items()),
        Mount('/static', StaticFiles(directory=_STATIC)),
    ]
    app = Starlette(routes=routes, exception_handlers={HTTPException: _refusal})
    return Guard(app)


def _summary(memory: MemoryFile, asked: Asked, name: str, frame: str) -> dict[str, Any]:
    """Say what the memory is: what the page needs before it can ask for more."""
    reader = memory.reader
    at = asked.moment(reader)
    fixtures = sorted(f.fixture_id for f in reader.scene().fixtures)
    names = sorted({n for s in memory.objects(at).objects for n in (s.object_id, s.label)})
    return {
        'name': name,
        'frame': frame,
        'epochs': epochs_fields(reader),
        'fixtures': fixtures,
        'names': names,
        'questions': questions_fields(),
    }


def _index(_request: Request) -> Response:
    return FileResponse(_STATIC / 'index.html', media_type='text/html; charset=utf-8')


def _endpoint(page: _Page) -> Callable[[Request], Response]:
    def answer(request: Request) -> Response:
        try:
            asked = Asked(request.query_params.multi_items(), page.parameters)
            return JSONResponse(page.answer(asked))
        except StoreError as error:
            return _line(503, str(error))
        except StMemoryError as error:
            return _line(400, str(error))
        except Exception as error:
            _logger.exception('%s', request.url.path)
            return _line(500, f'a fault in st_memory: {type(error).__name__}; see the terminal')

    return answer


def _refusal(request: Request, error: Exception) -> Response:
    """Say in one line that there is no such page."""
    code = error.status_code if isinstance(error, HTTPException) else 500
    return _line(code, f'{request.url.path[:80]}: no such page')


def _line(code: int, text: str) -> Response:
    return JSONResponse({'error': ' '.join(text.split())}, code)
