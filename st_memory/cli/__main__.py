"""``python -m st_memory.cli`` is ``st_memory``."""

from __future__ import annotations

import sys

from st_memory.cli.main import main

sys.exit(main())
