"""
Build the wheel, install it into an empty environment, and see that it works there.

Only the core requirements are installed, at the versions of the lock file: no ROS, no extras.
Every module must import, but for ROS and for the one extra that it is known to need, and
``st_memory --help`` must run.
"""

from __future__ import annotations

import json
from pathlib import Path
import subprocess
import sys
import tempfile
import venv
import zipfile

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / 'tools'))

from setup_env import clean_env, locked_pins, PYTHON  # noqa: E402  a script beside this one

IMPORT_ALL = """
import importlib, json, sys
failed = []
extra_of = json.loads(sys.argv[1])
for name in sys.argv[2:]:
    try:
        importlib.import_module(name)
    except ImportError as error:
        if error.name != extra_of.get(name):
            failed.append(f'{name}: {error}')
print('\\n'.join(failed))
sys.exit(bool(failed))
"""
# What cannot be imported without ROS.
NEED_ROS = ('st_memory.ros',)
# What may fail to import for want of one extra, and of nothing else: modules that are imported
# only where they are used. Other extras are imported inside of functions.
NEED_EXTRA = {
    'st_memory.storage.parquet_folder': 'pyarrow',
    'st_memory.storage.parquet_tables': 'pyarrow',
    'st_memory.storage.postgres_connection': 'psycopg',
    'st_memory.storage.postgres_schema': 'psycopg',
    'st_memory.storage.postgres_store': 'psycopg',
    'st_memory.view.application': 'starlette',
    'st_memory.view.guard': 'starlette',
}


def main() -> int:
    """Run the check; return the exit status."""
    with tempfile.TemporaryDirectory(prefix='st_memory_wheel_') as name:
        folder = Path(name)
        wheel = build_wheel(folder)
        modules = modules_in(wheel)
        missing = sorted(files_of_the_package() - files_in(wheel))
        if missing:
            print(f'the wheel lacks {", ".join(missing)}')
            return 1
        python = make_environment(folder / 'venv', wheel)
        wanted = [
            module
            for module in modules
            if not module.startswith(NEED_ROS) and not module.endswith('.__main__')
        ]
        for command in (
            [str(python), '-c', IMPORT_ALL, json.dumps(NEED_EXTRA), *wanted],
            [str(python.parent / 'st_memory'), '--help'],
            [str(python.parent / 'st_memory'), '--version'],
        ):
            result = subprocess.run(
                command, env=clean_env(), cwd=folder, text=True, capture_output=True, check=False
            )
            if result.returncode:
                print(f'{command[1:3]} failed:\n{result.stdout}{result.stderr}')
                return 1
        print(f'{wheel.name}: {len(wanted)} modules import, st_memory --help runs')
    return 0


def build_wheel(folder: Path) -> Path:
    """Build the wheel of this checkout with the environment's own build tools."""
    command = [str(PYTHON), '-m', 'pip', 'wheel', '--quiet', '--no-deps', '--no-build-isolation']
    subprocess.run(
        [*command, '--wheel-dir', str(folder), str(ROOT)], env=clean_env(), cwd=folder, check=True
    )
    return next(folder.glob('*.whl'))


def modules_in(wheel: Path) -> list[str]:
    """Return the dotted names of all modules in a wheel."""
    names = [name for name in files_in(wheel) if name.endswith('.py')]
    return sorted(dotted(Path(name)) for name in names if name.startswith('st_memory/'))


def files_in(wheel: Path) -> set[str]:
    """Return the paths of all files in a wheel; shared ones from the prefix on."""
    with zipfile.ZipFile(wheel) as archive:
        return {name.partition('.data/data/')[2] or name for name in archive.namelist()}


def files_of_the_package() -> set[str]:
    """Return the paths that the wheel must have: sources, data beside them, what ROS looks for."""
    package = {
        str(path.relative_to(ROOT))
        for path in (ROOT / 'st_memory').rglob('*')
        if path.is_file() and '__pycache__' not in path.parts
    }
    shared = [ROOT / 'package.xml', *ROOT.glob('launch/*.launch.py'), *ROOT.glob('config/*')]
    return (
        package
        | {f'share/st_memory/{path.relative_to(ROOT)}' for path in shared}
        | {'share/ament_index/resource_index/packages/st_memory'}
    )


def dotted(path: Path) -> str:
    """Return the module name of a source path."""
    parts = path.with_suffix('').parts
    return '.'.join(parts[:-1] if parts[-1] == '__init__' else parts)


def make_environment(folder: Path, wheel: Path) -> Path:
    """Make an environment with the wheel and its core requirements; return its Python."""
    venv.create(folder, with_pip=True)
    python = folder / 'bin' / 'python'
    constraints = folder / 'constraints.txt'
    constraints.write_text('\n'.join(locked_pins()) + '\n')
    command = [str(python), '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check']
    subprocess.run(
        [*command, '-c', str(constraints), str(wheel)], env=clean_env(), cwd=folder, check=True
    )
    return python


if __name__ == '__main__':
    sys.exit(main())
