#!/usr/bin/env python3
"""
Make ``kitchen_small.mcap`` and its truth again.

Run from the root of the checkout with the extra ``sim`` installed:
``python rosbag_fixtures/make_fixture.py [FOLDER]``. The recording is what a predictor may read;
``kitchen_small_truth/`` beside it is what really happened. Another OpenGL driver may move a few
pixels; poses, joints and events stay the same.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from st_memory.bags import BagRecorder
from st_memory.sim import KitchenReport, KitchenSpec, render_kitchen

NAME = 'kitchen_small'

# A fast, small kitchen: things go into cupboards, move in the open and change places.
SPEC = KitchenSpec(
    seed=105,
    duration_s=48.0,
    image_rate_hz=2.5,
    width=200,
    height=150,
    noise='standard',
    min_detection_px=12,
)


def make_fixture(folder: Path) -> KitchenReport:
    """Write the recording and its truth into a folder, replacing what is there."""
    folder.mkdir(parents=True, exist_ok=True)
    with BagRecorder(folder / f'{NAME}.mcap', overwrite=True) as recorder:
        return render_kitchen(SPEC, recorder, folder / f'{NAME}_truth')


def main() -> None:
    """Parse the folder and make the fixture."""
    parser = argparse.ArgumentParser(description='Make the small kitchen recording again.')
    parser.add_argument('folder', nargs='?', type=Path, default=Path(__file__).resolve().parent)
    make_fixture(parser.parse_args().folder)


if __name__ == '__main__':
    main()
