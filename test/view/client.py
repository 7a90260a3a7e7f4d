"""Requests to the application in this process, without a socket."""

from __future__ import annotations

import asyncio
import json
from typing import Any, NamedTuple
from urllib.parse import urlencode

__all__ = ['Client', 'Reply']


class Reply(NamedTuple):
    """What came back."""

    code: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body as JSON, strict: no NaN."""
        return json.loads(self.body, parse_constant=lambda word: f'not JSON: {word}')


class Client:
    """
    Ask an ASGI application.

    Parameters
    ----------
    app : ASGI application
        The one to be asked.

    """

    def __init__(self, app: Any) -> None:
        self._app = app

    def get(self, path: str, **parameters: object) -> Any:
        """Give the JSON of a good answer."""
        reply = self.send(path, query=urlencode({k: str(v) for k, v in parameters.items()}))
        assert reply.code == 200, reply.body
        return reply.json

    def refusal(self, path: str, **parameters: object) -> tuple[int, str]:
        """Give code and line of a refusal."""
        reply = self.send(path, query=urlencode({k: str(v) for k, v in parameters.items()}))
        line: str = reply.json['error']
        assert line
        assert '\n' not in line
        return reply.code, line

    def send(
        self,
        path: str,
        *,
        query: str = '',
        method: str = 'GET',
        headers: tuple[tuple[str, str], ...] = (('host', '127.0.0.1:8765'),),
    ) -> Reply:
        """Send one request."""
        scope = {
            'type': 'http',
            'asgi': {'version': '3.0'},
            'http_version': '1.1',
            'method': method,
            'path': path,
            'raw_path': path.encode(),
            'root_path': '',
            'scheme': 'http',
            'query_string': query.encode(),
            'headers': [(k.encode(), v.encode('latin-1')) for k, v in headers],
            'client': ('127.0.0.1', 40000),
            'server': ('127.0.0.1', 8765),
        }
        return asyncio.run(self._send(scope))

    async def _send(self, scope: dict[str, Any]) -> Reply:
        sent: list[dict[str, Any]] = []
        done = asyncio.Event()
        asked = False

        async def receive() -> dict[str, Any]:
            nonlocal asked
            if asked:
                await done.wait()
                return {'type': 'http.disconnect'}
            asked = True
            return {'type': 'http.request', 'body': b'', 'more_body': False}

        async def send(message: dict[str, Any]) -> None:
            sent.append(message)

        await self._app(scope, receive, send)
        done.set()
        start = next(m for m in sent if m['type'] == 'http.response.start')
        body = b''.join(m.get('body', b'') for m in sent if m['type'] == 'http.response.body')
        headers = {k.decode(): v.decode() for k, v in start['headers']}
        return Reply(start['status'], headers, body)
