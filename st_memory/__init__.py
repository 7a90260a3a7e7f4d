"""
An object memory for robots and wearers of camera glasses that outlives the field of view.

Start reading at ``st_memory.core.memory`` (the fold that turns frames into state),
``st_memory.core.queries`` (the questions) and ``st_memory.core.ports`` (what a host provides).
This package must import nothing of its own: ``st_memory --help`` pays for every line here.
"""

import logging

__version__ = '0.1.0'

logging.getLogger(__name__).addHandler(logging.NullHandler())
