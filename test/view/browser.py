"""A headless Chromium, driven over two pipes by its own protocol, without a driver."""

from __future__ import annotations

import base64
import fcntl
import itertools
import json
import os
from pathlib import Path
import selectors
import shutil
import subprocess
from types import TracebackType
from typing import Any

__all__ = ['Browser', 'BrowserError', 'chromium_path']

_NAMES = ('chromium', 'chromium-browser', 'google-chrome', 'headless_shell')
_ANSWER_S = 60.0
_END_S = 10.0


def chromium_path() -> str | None:
    """Find a Chromium on this machine; None where there is none."""
    return next((path for name in _NAMES if (path := shutil.which(name))), None)


class BrowserError(RuntimeError):
    """The browser refused something, or a script in the page failed."""


class Browser:
    """
    One page of a headless Chromium.

    Parameters
    ----------
    path : str
        The program.
    profile : Path
        An empty folder for what it keeps.

    """

    def __init__(self, path: str, profile: Path) -> None:
        to_child, self._out = os.pipe()
        self._in, from_child = os.pipe()
        ends = [fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 20) for fd in (to_child, from_child)]

        def place() -> None:  # the protocol speaks on 3 and 4
            os.dup2(ends[0], 3)
            os.dup2(ends[1], 4)

        command = [
            path,
            *('--headless=new', '--remote-debugging-pipe', f'--user-data-dir={profile}'),
            *('--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run'),
            *('--hide-scrollbars', '--disable-background-networking', '--disable-sync'),
            'about:blank',
        ]
        self._process = subprocess.Popen(
            command,
            close_fds=False,
            preexec_fn=place,  # noqa: PLW1509  it only moves two descriptors
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for fd in (to_child, from_child, *ends):
            os.close(fd)
        self._numbers = itertools.count(1)
        self._rest = b''
        self.events: list[dict[str, Any]] = []
        self._session = ''
        target = self.call('Target.createTarget', url='about:blank')['targetId']
        attached = self.call('Target.attachToTarget', targetId=target, flatten=True)
        self._session = attached['sessionId']
        for domain in ('Page', 'Runtime', 'Network', 'Log'):
            self.call(f'{domain}.enable')

    def __enter__(self) -> Browser:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        os.close(self._out)  # its end of the pipe: it goes by itself
        try:
            self._process.wait(_END_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._in)

    def call(self, method: str, **parameters: Any) -> Any:
        """Call a method of the protocol and give its result; events meanwhile are kept."""
        number = next(self._numbers)
        message: dict[str, Any] = {'id': number, 'method': method, 'params': parameters}
        if self._session:
            message['sessionId'] = self._session
        os.write(self._out, json.dumps(message).encode() + b'\0')
        while True:
            answer = self._next()
            if answer.get('id') == number:
                if 'error' in answer:
                    raise BrowserError(f'{method}: {answer["error"]["message"]}')
                return answer['result']
            self.events.append(answer)

    def open(self, address: str) -> None:
        """Go to an address."""
        self.call('Page.navigate', url=address)

    def run(self, script: str) -> Any:
        """Run a script, which may await, and give its value."""
        result = self.call(
            'Runtime.evaluate',
            expression=f'(async () => {{ {script} }})()',
            awaitPromise=True,
            returnByValue=True,
        )
        if 'exceptionDetails' in result:
            details = result['exceptionDetails']
            raise BrowserError(details.get('exception', {}).get('description', str(details)))
        return result['result'].get('value')

    def until(self, condition: str) -> None:
        """Wait until a condition of the page holds, looking at it anew for every frame drawn."""
        self.run(
            'const end = Date.now() + 20000;'
            f'while (!({condition})) {{'
            f'  if (Date.now() > end) throw new Error({json.dumps(condition)} + ": never held, " +'
            '    (document.getElementById("problem")?.textContent || "no problem told"));'
            '  await new Promise((done) => setTimeout(done, 20));'
            '}'
        )

    def shape(self, width: int, height: int, *, scheme: str = 'light') -> None:
        """Set the size of the window and the colours that are preferred."""
        self.call(
            'Emulation.setDeviceMetricsOverride',
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        features = [{'name': 'prefers-color-scheme', 'value': scheme}]
        self.call('Emulation.setEmulatedMedia', features=features)

    def press(self, key: str) -> None:
        """Press and release a key."""
        codes = {'Tab': 9, 'Enter': 13, 'ArrowLeft': 37, 'Home': 36, 'End': 35}
        text = {'text': '\r'} if key == 'Enter' else {}
        for kind in ('keyDown', 'keyUp'):
            self.call(
                'Input.dispatchKeyEvent',
                type=kind,
                key=key,
                code=key,
                windowsVirtualKeyCode=codes[key],
                **(text if kind == 'keyDown' else {}),
            )

    def picture(self, path: Path) -> None:
        """Write what the whole page looks like as a PNG."""
        shot = self.call('Page.captureScreenshot', format='png', captureBeyondViewport=True)
        path.write_bytes(base64.b64decode(shot['data']))

    def _next(self) -> dict[str, Any]:
        """Give the next message."""
        with selectors.DefaultSelector() as ready:
            ready.register(self._in, selectors.EVENT_READ)
            while b'\0' not in self._rest:
                if not ready.select(_ANSWER_S):
                    raise BrowserError(f'no answer in {_ANSWER_S:.0f} s')
                got = os.read(self._in, 1 << 16)
                if not got:
                    raise BrowserError('the browser has ended')
                self._rest += got
        message, _, self._rest = self._rest.partition(b'\0')
        loaded: dict[str, Any] = json.loads(message)
        return loaded
