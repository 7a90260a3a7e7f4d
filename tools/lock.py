"""
Write ``requirements/lock-pyXY.txt`` for the Python that runs this: versions and file hashes.

``make lock PYTHON=python3.12`` resolves the ranges of ``setup.py`` (core and the light extras) and
of ``requirements/ros.in``. The result names no registry: it is whichever pip is set up for.
"""

from __future__ import annotations

import os
from pathlib import Path
import subprocess
import sys
import tempfile
import venv

ROOT = Path(__file__).resolve().parents[1]
LIGHT_EXTRAS = ('detect', 'fleet', 'parquet', 'sim', 'view', 'dev')


def main() -> int:
    """Resolve; return the exit status."""
    target = ROOT / 'requirements' / f'lock-py{sys.version_info[0]}{sys.version_info[1]}.txt'
    with tempfile.TemporaryDirectory(prefix='st_memory_lock_') as folder:
        venv.create(folder, with_pip=True)
        python = Path(folder) / 'bin' / 'python'
        install = [str(python), '-m', 'pip', 'install', '--quiet', 'pip-tools>=7.4,<8']
        subprocess.run(install, check=True)
        command = [
            str(python),
            *('-m', 'piptools', 'compile', '--quiet', '--generate-hashes', '--allow-unsafe'),
            *('--strip-extras', '--no-emit-index-url', '--no-emit-find-links', '--no-header'),
            *('--no-emit-trusted-host', '--no-annotate'),
            *(word for extra in LIGHT_EXTRAS for word in ('--extra', extra)),
            *('--output-file', str(target), 'setup.py', 'requirements/ros.in'),
        ]
        env = {name: value for name, value in os.environ.items() if name != 'PIP_CONSTRAINT'}
        return subprocess.run(command, cwd=ROOT, env=env, check=False).returncode


if __name__ == '__main__':
    sys.exit(main())
