"""
Create or update ``.venv``: ROS 2 wheels, our dependencies, the interface packages, ourselves.

Run by ``make setup`` with the machine's Python, so it uses the standard library only. Each step
has a key made of the contents it depends on; the key of the last success lies in ``.venv/stamps``,
and a step whose key is unchanged is skipped. Nothing that pip installed is edited.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
import fcntl
import hashlib
import os
from pathlib import Path
import shutil
import subprocess
import sys
import sysconfig

ROOT = Path(__file__).resolve().parents[1]
VENV = ROOT / '.venv'
PYTHON = VENV / 'bin' / 'python'
STAMPS = VENV / 'stamps'
WHEELS = ROOT / 'build' / 'wheels'
VERSION = f'{sys.version_info[0]}.{sys.version_info[1]}'
LOCK = ROOT / 'requirements' / f'lock-py{VERSION.replace(".", "")}.txt'
ORACLES = ROOT / 'requirements' / 'oracles.txt'
WORDS = ROOT / 'requirements' / 'words.txt'

# Built in this order; the import that shows that a package is there already.
INTERFACES = {
    'compat/tf2_msgs': 'tf2_msgs.msg',
    'compat/vision_msgs': 'vision_msgs.msg',
    'st_memory_interfaces': 'st_memory_interfaces.msg',
}
# Extras whose packages pin old versions of what we have; they work without their own requirements.
WITHOUT_DEPENDENCIES = ('aria',)
# What a sourced ROS installation or another environment sets, and would leak into ours.
FOREIGN_VARIABLES = (
    '_ROS_WHEELS_BOOTSTRAP_COMPLETE',
    'AMENT_PREFIX_PATH',
    'CMAKE_PREFIX_PATH',
    'COLCON_PREFIX_PATH',
    'LD_LIBRARY_PATH',
    'PYTHONHOME',
    'PYTHONPATH',
    'VIRTUAL_ENV',
)


def main() -> int:
    """Bring the environment up to date; return the exit status."""
    parser = argparse.ArgumentParser(description='Create or update .venv.')
    parser.add_argument(
        '--extras',
        default='',
        metavar='A,B',
        help='optional dependencies to add, by their name in setup.py (e.g. vlm,view)',
    )
    extras = [name for name in parser.parse_args().extras.split(',') if name]
    (ROOT / 'build').mkdir(exist_ok=True)
    with (ROOT / 'build' / 'setup.lock').open('w') as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two makes in one checkout take turns
        try:
            set_up(extras)
        except SetupError as error:
            print(f'make setup: {error}', file=sys.stderr)
            return 1
    return 0


class SetupError(Exception):
    """The environment cannot be made; the message is one line that says what to do."""


def set_up(extras: list[str]) -> None:
    """Run every step whose inputs changed."""
    require_python()
    venv_key = content_key([], sys.base_prefix, VERSION, str(ROOT))
    step('environment', venv_key, create_environment)
    if not LOCK.exists():
        raise SetupError(f'{LOCK.relative_to(ROOT)} is missing: no lock file for this Python')
    lock_key = content_key([LOCK], venv_key)
    step('dependencies', lock_key, install_pinned, LOCK)
    step('oracles', content_key([ORACLES], venv_key), install_pinned, ORACLES)
    step('words', content_key([WORDS], venv_key), install_pinned, WORDS)
    generators = [pin for pin in locked_pins() if pin.startswith(('ros-', 'numpy=', 'scikit-'))]
    for folder, module in INTERFACES.items():
        sources = [ROOT / folder, ROOT / 'tools' / 'ros_wheels.cmake']
        build = content_key(sources, VERSION, *generators)
        step(Path(folder).name, build + venv_key, install_interfaces, folder, module, build)
    own = [ROOT / 'setup.py', ROOT / 'setup.cfg', ROOT / 'st_memory' / '__init__.py']
    step('st_memory', content_key(own, lock_key), install_editable)
    for extra in extras:
        step(f'extra-{extra}', content_key([ROOT / 'setup.py'], lock_key), install_extra, extra)


def require_python() -> None:
    """Refuse a Python that the ROS wheels do not exist for."""
    if not (3, 10) <= sys.version_info[:2] <= (3, 12):
        raise SetupError(
            f'Python 3.10, 3.11 or 3.12 is needed, {sys.executable} is {VERSION}: '
            'install python3.12 and run "make setup PYTHON=python3.12"'
        )


def require_build_tools() -> None:
    """Refuse to start when a compiler or header is missing, naming the Debian packages."""
    missing = {}
    if not (Path(sysconfig.get_path('include')) / 'Python.h').exists():
        missing['Python.h'] = f'python{VERSION}-dev'
    if shutil.which('g++') is None:
        missing['g++'] = 'g++'
    if missing:
        raise SetupError(
            f'{" and ".join(missing)} not found: install with '
            f'"apt-get install {" ".join(missing.values())}"'
        )


def step(name: str, key: str, action: Callable[..., None], *arguments: str | Path) -> None:
    """Run ``action`` unless it last succeeded with the same key."""
    stamp = STAMPS / name
    if stamp.exists() and stamp.read_text() == key:
        return
    print(f'make setup: {name} ...', flush=True)
    action(*arguments)
    STAMPS.mkdir(exist_ok=True)
    stamp.write_text(key)


def content_key(paths: list[Path], *words: str) -> str:
    """Return a hash over the words and the contents of the files and folders."""
    digest = hashlib.sha256('\n'.join(words).encode())
    for path in paths:
        files = sorted(path.rglob('*')) if path.is_dir() else [path]
        for file in files:
            if file.is_file():
                content = hashlib.sha256(file.read_bytes()).hexdigest()
                digest.update(f'{file.relative_to(ROOT)} {content}\n'.encode())
    return digest.hexdigest()


def create_environment() -> None:
    """Make ``.venv`` anew (its scripts hold paths, so it cannot follow a move or a new Python)."""
    try:
        import ensurepip  # noqa: F401  Debian keeps it in a package of its own
        import venv
    except ImportError:
        raise SetupError(
            f'the venv module is incomplete: install with "apt-get install python{VERSION}-venv"'
        ) from None
    require_build_tools()
    if VENV.exists():
        if not (VENV / 'pyvenv.cfg').exists():
            raise SetupError(f'{VENV} is not a Python environment: move it away')
        shutil.rmtree(VENV)
    venv.create(VENV, with_pip=True, symlinks=True)


def install_pinned(pins: Path) -> None:
    """Install exactly what a file names, checked by hash."""
    pip('install', '--no-deps', '--require-hashes', '-r', str(pins))


def install_interfaces(folder: str, module: str, key: str) -> None:
    """Build one interface package as a wheel (kept in build/wheels) and install it."""
    built_here_before = (STAMPS / Path(folder).name).exists()
    if folder.startswith('compat/') and not built_here_before and importable(module):
        return  # the ROS wheels have learnt to provide it
    target = WHEELS / key[:16]
    if not list(target.glob('*.whl')):
        require_build_tools()
        pip(
            'wheel',
            '--no-deps',
            '--no-build-isolation',
            '--wheel-dir',
            str(target),
            '-Ccmake.build-type=None',
            '-Ccmake.define.PYTHON_ONLY=ON',
            f'-Ccmake.define.CMAKE_PROJECT_INCLUDE={ROOT / "tools" / "ros_wheels.cmake"}',
            f'-Ccmake.define.Python3_EXECUTABLE={PYTHON}',
            str(ROOT / folder),
        )
    wheel = next(target.glob('*.whl'))
    pip('install', '--no-deps', '--no-index', '--force-reinstall', str(wheel))


def install_editable() -> None:
    """Install this checkout itself, without touching what is installed."""
    pip('install', '--no-deps', '--no-build-isolation', '-e', str(ROOT))


def install_extra(extra: str) -> None:
    """Install one of the optional dependency groups, keeping every locked version."""
    wanted = [line for line in requirements_of(extra) if line]
    if not wanted:
        raise SetupError(f'setup.py has no extra "{extra}"')
    if extra in WITHOUT_DEPENDENCIES:
        pip('install', '--no-deps', *wanted)
        return
    constraints = VENV / 'constraints.txt'
    pins = [
        line.split()[0] for line in LOCK.read_text().splitlines() if '==' in line.split(' ')[0]
    ]
    constraints.write_text('\n'.join(pins) + '\n')
    pip('install', '-c', str(constraints), *wanted)


def locked_pins() -> list[str]:
    """Return ``name==version`` for everything in the lock file."""
    words = [line.partition(' ')[0] for line in LOCK.read_text().splitlines()]
    return [word for word in words if '==' in word]


def requirements_of(extra: str) -> list[str]:
    """Return the requirements of one extra, as the installed metadata states them."""
    code = (
        'import sys\n'
        'from importlib.metadata import requires\n'
        'from packaging.requirements import Requirement\n'
        'for text in requires("st_memory"):\n'
        '    r = Requirement(text)\n'
        '    if r.marker and r.marker.evaluate({"extra": sys.argv[1]})'
        ' and not r.marker.evaluate({"extra": ""}):\n'
        '        extras = "[" + ",".join(sorted(r.extras)) + "]" if r.extras else ""\n'
        '        print(f"{r.name}{extras}{r.specifier}")\n'
    )
    result = run([str(PYTHON), '-c', code, extra])
    return result.stdout.splitlines()


def importable(module: str) -> bool:
    """Say whether the environment can import a module."""
    command = [str(PYTHON), '-c', f'import {module}']
    return run(command, cwd=VENV).returncode == 0


def pip(*arguments: str) -> None:
    """Run the environment's pip; its output is shown when it fails."""
    common = ['--quiet', '--disable-pip-version-check', '--no-input']
    result = run([str(PYTHON), '-m', 'pip', arguments[0], *common, *arguments[1:]])
    if result.returncode:
        sys.stderr.write(result.stdout[-8000:] + result.stderr[-8000:])
        raise SetupError(f'"pip {arguments[0]} ... {arguments[-1]}" failed, see above')


def run(command: list[str], *, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """Run a command in the environment, with nothing of a foreign environment in it."""
    return subprocess.run(
        command, env=clean_env(), cwd=cwd, text=True, capture_output=True, check=False
    )


def clean_env() -> dict[str, str]:
    """Return the process environment as the tools inside ``.venv`` should see it."""
    env = {name: value for name, value in os.environ.items() if name not in FOREIGN_VARIABLES}
    env['PATH'] = f'{VENV / "bin"}{os.pathsep}{env.get("PATH", os.defpath)}'
    env['AMENT_PREFIX_PATH'] = env['CMAKE_PREFIX_PATH'] = str(VENV)
    return env


if __name__ == '__main__':
    sys.exit(main())
