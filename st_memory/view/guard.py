"""What stands before the page: only this machine's own browser, only reading."""

from __future__ import annotations

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ['HEADERS', 'Guard']

# Nothing is loaded, sent or framed but what this server gives; no inline script or style runs.
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    'content-security-policy': _POLICY,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
}
# A page of another site reaches the loopback through a name of its own (DNS rebinding): it is
# told by the name. The port may be another one, at the other end of a tunnel.
_NAMES = ('127.0.0.1', 'localhost', '[::1]')
_READING = ('GET', 'HEAD')


class Guard:
    """
    Refuse requests that name another host, write, or come from a page of another site.

    Parameters
    ----------
    app : ASGI application
        What answers the others.

    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope['type'] != 'http':
            return

        async def with_headers(message: Message) -> None:
            if message['type'] == 'http.response.start':
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
            await send(message)

        code, problem = _problem(scope['method'], Headers(scope=scope))
        if problem:
            allow = {'allow': ', '.join(_READING)} if code == 405 else None
            response = JSONResponse({'error': problem}, code, headers=allow)
            await response(scope, receive, with_headers)
            return
        await self._app(scope, receive, with_headers)


def _problem(method: str, headers: Headers) -> tuple[int, str]:
    """Say with which code and why a request is refused; '' for one that is not."""
    hosts = headers.getlist('host')
    if len(hosts) != 1 or _name(hosts[0]) not in _NAMES:
        given = ', '.join(hosts)[:80] or 'none'
        return 421, f'host: expected one of {", ".join(_NAMES)}, got {given!r}'
    if method not in _READING:
        return 405, f'method: expected GET or HEAD, got {method[:20]}: the page only reads'
    # A link from elsewhere may lead here; a script there may not ask.
    site, mode = headers.get('sec-fetch-site', ''), headers.get('sec-fetch-mode', '')
    if site in ('cross-site', 'same-site') and mode != 'navigate':
        return 403, f'sec-fetch-site: expected same-origin, got {site}'
    return 200, ''


def _name(host: str) -> str:
    """Give the name of a host without its port, in lower case."""
    name, colon, port = host.rpartition(':')
    is_port = bool(colon) and (port == '' or (port.isascii() and port.isdigit()))
    return (name if is_port else host).lower()
