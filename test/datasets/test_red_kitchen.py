"""
The red kitchen end to end: convert, detect, replay, ask.

Truth is worked out here from the published poses and depth. The scene is static and holds two
mugs, for which the detector's class is ``cup``; colour and depth are not registered to each
other, so a position measured from a box is off by 2-3 cm, at worst by 15 cm.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from st_memory.bags import BagFrameSource
from st_memory.cli.main import main
from st_memory.core.queries import DirectionScheme, locate, relative_pose, Selector
from st_memory.core.records import AnswerStatus, Visibility
from st_memory.core.stamps import Moment
from st_memory.storage import SqliteMemoryStore

pytestmark = pytest.mark.data

# Boxes drawn by hand round the mugs: frame, x, y, width, height in pixels.
WHITE = [(40, 412, 152, 40, 43), (280, 107, 264, 45, 48)]
PATTERNED = [(280, 527, 320, 43, 50)]
SCATTER_M = 0.15
# Frames at which the white mug lies well outside the image, by pose and depth.
OUT_OF_SIGHT = (120, 400, 860)


@pytest.fixture(scope='module')
def folder(shared_data: Path) -> Path:
    return shared_data / 'rgbd_7scenes_redkitchen'


@pytest.fixture(scope='module')
def bag(folder: Path, shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The recording with a real detector's output."""
    out = tmp_path_factory.mktemp('red_kitchen')
    plain, detected = out / 'plain.mcap', out / 'detected.mcap'
    model = shared_data / 'models' / 'centernet_mb3.onnx'
    assert main(['convert', 'rgbd', str(folder), str(plain)]) == 0
    assert main(['detect', str(plain), '--model', str(model), '--out', str(detected)]) == 0
    return detected


@pytest.fixture(scope='module')
def database(bag: Path) -> Path:
    """Its memory."""
    path = bag.with_suffix('.db')
    assert main(['replay', str(bag), '--db', str(path)]) == 0
    return path


def pose(folder: Path, frame: int) -> np.ndarray:
    return np.loadtxt(folder / f'frame-{frame:06d}.pose.txt')


def place(folder: Path, boxes: list[tuple[int, int, int, int, int]]) -> np.ndarray:
    """Mean of the places that the depth in the middle of each box gives, fixed frame."""
    places = []
    for frame, x, y, w, h in boxes:
        depth = cv2.imread(str(folder / f'frame-{frame:06d}.depth.png'), cv2.IMREAD_UNCHANGED)
        core = depth[y + h // 4 : y + 3 * h // 4, x + w // 4 : x + 3 * w // 4]
        z = float(np.median(core[(core > 0) & (core < 65535)])) / 1000
        u, v = x + w / 2, y + h / 2
        camera_p = np.array([(u - 320) / 585 * z, (v - 240) / 585 * z, z, 1.0])
        places.append((pose(folder, frame) @ camera_p)[:3])
    return np.mean(places, axis=0)


def in_camera(folder: Path, frame: int, world_p: np.ndarray) -> np.ndarray:
    return (np.linalg.inv(pose(folder, frame)) @ np.append(world_p, 1.0))[:3]


def moments(bag: Path) -> dict[int, Moment]:
    """Moment of each frame index: frame k is taken at k / 30 s."""
    frames = BagFrameSource(bag).frames()
    return {round(f.stamp_ns * 30 / 1e9): Moment(f.epoch, f.stamp_ns) for f in frames}


def last_detection(bag: Path, folder: Path, world_p: np.ndarray, until: int) -> int:
    """Stamp of the last detection up to a frame whose box holds the mug's true place."""
    stamp_ns = -1
    for frame in BagFrameSource(bag).frames():
        index = round(frame.stamp_ns * 30 / 1e9)
        x, y, z = in_camera(folder, index, world_p)
        u, v = 320 + 585 * x / z, 240 + 585 * y / z
        for d in frame.cameras[0].detections or ():
            left, top, w, h = d.box_px
            # The mugs are 95 cm apart, so the worst of the registration tells them apart.
            slack = SCATTER_M * 585 / z
            hit = abs(left + w / 2 - u) < slack and abs(top + h / 2 - v) < slack
            if d.label == 'cup' and index <= until and z > 0 and hit:
                stamp_ns = frame.stamp_ns
    return stamp_ns


def cups(database: Path, capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    assert main(['query', str(database), 'list', '--label', 'cup', '--json']) == 0
    found: list[dict[str, Any]] = json.loads(capsys.readouterr().out)['objects']
    return found


def white_mug(store: SqliteMemoryStore, folder: Path) -> Selector:
    """The remembered cup nearest to the white mug."""
    truth = place(folder, WHITE)
    states = [s for s in store.objects_at() if s.label == 'cup' and s.world_p is not None]
    nearest = min(states, key=lambda s: float(np.linalg.norm(np.array(s.world_p) - truth)))
    return Selector(object_id=nearest.object_id)


def test_there_are_two_cups_and_neither_moved(
    database: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = cups(database, capsys)

    assert len(found) == 2
    assert [cup['num_moves'] for cup in found] == [0, 0]


def test_cups_are_where_the_mugs_are(database: Path, folder: Path) -> None:
    with SqliteMemoryStore.open(database, read_only=True) as store:
        remembered = [np.array(s.world_p) for s in store.objects_at() if s.label == 'cup']

    for truth in (place(folder, WHITE), place(folder, PATTERNED)):
        assert min(float(np.linalg.norm(p - truth)) for p in remembered) < SCATTER_M


@pytest.mark.parametrize('frame', OUT_OF_SIGHT)
def test_mug_out_of_sight_is_known_to_be_out_of_view(
    database: Path, bag: Path, folder: Path, frame: int
) -> None:
    x, y, z = in_camera(folder, frame, place(folder, WHITE))
    assert z <= 0 or abs(x / z) * 585 > 360 or abs(y / z) * 585 > 280  # the truth of the test

    with SqliteMemoryStore.open(database, read_only=True) as store:
        mug, at = white_mug(store, folder), moments(bag)[frame]
        answer = locate(store, mug, at)

    assert answer.status is AnswerStatus.KNOWN
    assert answer.object.visibility is Visibility.OUT_OF_VIEW


@pytest.mark.parametrize('frame', OUT_OF_SIGHT)
def test_direction_and_distance_are_right(
    database: Path, bag: Path, folder: Path, frame: int
) -> None:
    truth = in_camera(folder, frame, place(folder, WHITE))

    with SqliteMemoryStore.open(database, read_only=True) as store:
        mug, at = white_mug(store, folder), moments(bag)[frame]
        answer = relative_pose(store, mug, scheme=DirectionScheme.QUADRANTS, at=at)

    expected = f'{"front" if truth[2] > 0 else "back"}-{"right" if truth[0] > 0 else "left"}'
    assert min(abs(truth[0]), abs(truth[2])) > SCATTER_M  # far enough from a boundary to ask
    assert answer.direction == expected
    assert answer.distance_m == pytest.approx(float(np.linalg.norm(truth)), abs=SCATTER_M)


@pytest.mark.parametrize('frame', OUT_OF_SIGHT)
def test_last_seen_agrees_with_the_bag(
    database: Path, bag: Path, folder: Path, frame: int
) -> None:
    expected = last_detection(bag, folder, place(folder, WHITE), frame)

    with SqliteMemoryStore.open(database, read_only=True) as store:
        answer = locate(store, white_mug(store, folder), moments(bag)[frame])

    assert answer.object.last_seen_ns == expected
