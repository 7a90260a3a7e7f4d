"""What is refused before the memory is asked, and what every answer carries."""

from __future__ import annotations

import pytest

from test.view.client import Client

HOST = ('host', 'localhost:8765')


@pytest.mark.parametrize(
    'host', ['127.0.0.1', '127.0.0.1:8765', 'localhost:9000', 'LOCALHOST', '[::1]:8765', '[::1]']
)
def test_names_of_this_machine_are_served(host: str, story: Client) -> None:
    assert story.send('/api/summary', headers=(('host', host),)).code == 200


@pytest.mark.parametrize(
    'host',
    [
        'evil.example', 'evil.example:8765', '127.0.0.1.evil.example', 'localhost.evil.example',
        '127.0.0.1:8765@evil.example', 'localhost:80:evil', '', '0.0.0.0:8765', '10.0.0.1', '::1',
        'evil\x7f', 'localhost:٣',
    ],
)  # fmt: skip
def test_other_names_are_refused(host: str, story: Client) -> None:
    """A page that makes its own name mean the loopback (DNS rebinding) still sends that name."""
    for path in ('/', '/api/summary', '/static/main.js'):
        reply = story.send(path, headers=(('host', host.encode().decode('latin-1')),))
        assert reply.code == 421
        assert reply.json['error'].startswith('host: expected one of')


@pytest.mark.parametrize('headers', [(), (HOST, ('host', 'evil.example'))])
def test_no_host_and_two_hosts_are_refused(
    headers: tuple[tuple[str, str], ...], story: Client
) -> None:
    assert story.send('/api/summary', headers=headers).code == 421


@pytest.mark.parametrize('method', ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'CONNECT', 'X'])
@pytest.mark.parametrize('path', ['/', '/api/ask', '/static/main.js'])
def test_nothing_can_be_written(method: str, path: str, story: Client) -> None:
    reply = story.send(path, method=method)

    assert reply.code == 405
    assert reply.headers['allow'] == 'GET, HEAD'


@pytest.mark.parametrize('site', ['cross-site', 'same-site'])
def test_script_of_another_site_is_refused_and_a_link_is_not(site: str, story: Client) -> None:
    def sent(mode: str) -> int:
        headers = (HOST, ('sec-fetch-site', site), ('sec-fetch-mode', mode))
        return story.send('/', headers=headers).code

    assert (sent('no-cors'), sent('cors'), sent('navigate')) == (403, 403, 200)


@pytest.mark.parametrize(
    'path', ['/', '/api/summary', '/static/main.js', '/nothing', '/api/objects?x=1', '/api/ask']
)
def test_every_answer_carries_the_policy_and_allows_no_other_origin(
    path: str, story: Client
) -> None:
    path, _, query = path.partition('?')
    headers = (HOST, ('origin', 'http://evil.example'))
    reply = story.send(path, query=query, headers=headers)

    policy = reply.headers['content-security-policy']
    assert "default-src 'none'" in policy
    assert "script-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy
    assert 'unsafe' not in policy
    assert '*' not in policy
    assert reply.headers['x-content-type-options'] == 'nosniff'
    assert reply.headers['cross-origin-resource-policy'] == 'same-origin'
    assert not [name for name in reply.headers if name.startswith('access-control')]


@pytest.mark.parametrize(
    'path', ['/static/../application.py', '/static/%2e%2e/server.py', '/static//etc/passwd',
             '/static/', '/static', '/static/..\\server.py', '/etc/passwd', '/api', '/api/']
)  # fmt: skip
def test_only_the_files_of_the_page_are_served(path: str, story: Client) -> None:
    reply = story.send(path)

    assert reply.code in (307, 404)
    assert b'import' not in reply.body


@pytest.mark.parametrize(
    ('path', 'kind'),
    [
        ('/', 'text/html; charset=utf-8'),
        ('/static/main.js', 'javascript'),
        ('/static/page.css', 'text/css'),
        ('/static/icon.svg', 'image/svg+xml'),
    ],
)
def test_files_of_the_page_come_with_their_kind(path: str, kind: str, story: Client) -> None:
    reply = story.send(path)

    assert reply.code == 200
    assert kind in reply.headers['content-type']
    assert story.send(path, method='HEAD').body == b''


def test_web_sockets_are_not_spoken(story: Client) -> None:
    import asyncio

    from st_memory.view.guard import Guard

    async def never(*_given: object) -> None:
        raise AssertionError('reached')

    asyncio.run(Guard(never)({'type': 'websocket'}, never, never))
