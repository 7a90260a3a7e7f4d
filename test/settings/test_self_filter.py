"""The own body in settings: within the one file of a replay, and in a file of its own."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
import yaml

from st_memory.conversions import AssemblerSettings
from st_memory.conversions.self_boxes import SelfBox
from st_memory.core.errors import ConfigError
from st_memory.settings import effective, load_settings, with_self_filter

KEYS = """\
self_boxes:
  - {frame: gripper, centre_m: [0, 0, 0.1], size_m: [0.1, 0.1, 0.2]}
  - {frame: elbow, centre_m: [0, 0, 0], size_m: [0.1, 0.1, 0.3], quat_xyzw: [0, 0, 1, 0],
     margin_m: 0.05}
self_masks: {head: masks/rim.png}
"""
BOXES = (
    SelfBox('gripper', (0.0, 0.0, 0.1), (0.1, 0.1, 0.2)),
    SelfBox('elbow', (0.0, 0.0, 0.0), (0.1, 0.1, 0.3), (0.0, 0.0, 1.0, 0.0), 0.05),
)


@pytest.fixture
def rim(tmp_path: Path) -> Path:
    path = tmp_path / 'masks' / 'rim.png'
    path.parent.mkdir()
    path.write_bytes(cv2.imencode('.png', np.zeros((3, 4), np.uint8))[1].tobytes())
    return path


def test_settings_file_names_boxes_and_masks_beside_it(rim: Path, tmp_path: Path) -> None:
    file = tmp_path / 'my.yaml'
    file.write_text('assembler:\n' + ''.join(f'  {line}\n' for line in KEYS.splitlines()))

    settings = load_settings(file).assembler

    assert settings.self_boxes == BOXES
    assert settings.self_masks == {'head': str(rim)}


def test_effective_settings_load_as_the_same_from_anywhere(rim: Path, tmp_path: Path) -> None:
    file, other = tmp_path / 'my.yaml', tmp_path / 'run' / 'effective.yaml'
    file.write_text('assembler:\n' + ''.join(f'  {line}\n' for line in KEYS.splitlines()))
    settings = load_settings(file)

    other.parent.mkdir()
    other.write_text(yaml.safe_dump(effective(settings)))

    assert load_settings(other) == settings


def test_file_of_its_own_has_the_same_keys(rim: Path, tmp_path: Path) -> None:
    file = tmp_path / 'arm.yaml'
    file.write_text(KEYS)
    base = AssemblerSettings(fixed_frame='odom', slop_ns=5)

    settings = with_self_filter(base, str(file))

    assert (settings.fixed_frame, settings.slop_ns) == ('odom', 5)
    assert settings.self_boxes == BOXES
    assert settings.self_masks == {'head': str(rim)}


def test_no_file_leaves_the_settings_as_they_are() -> None:
    base = AssemblerSettings(fixed_frame='odom')

    assert with_self_filter(base, '') is base


@pytest.mark.parametrize(
    ('text', 'message'),
    [
        ('', 'arm.yaml: expected the keys self_boxes and self_masks, got a NoneType'),
        ('- 1\n', 'arm.yaml: expected the keys self_boxes and self_masks, got a list'),
        ('boxes: []\n', "arm.yaml: unknown key 'boxes' (did you mean 'self_boxes'?)"),
        ('self_boxes: arm\n', "arm.yaml: self_boxes: expected a list, got 'arm'"),
        (
            'self_boxes: [{frame: a, centre_m: [0, 0, 0], size_m: [1, 1, 1], margin_m: 2}]\n',
            'arm.yaml: self_boxes[0].margin_m: expected 0.0 to 1.0 m, got 2.0',
        ),
        (
            'self_boxes: [{frame: a, centre_m: [0, 0, 0], size_m: [1, 1, 1], '
            'quat_xyzw: [0, 0, 0, 0]}]\n',
            'arm.yaml: self_boxes[0]: quat_xyzw: expected unit length, got 0',
        ),
        ('self_masks: {head: no.png}\n', 'arm.yaml: self_masks.head: '),
        ('self_masks: {head: arm.yaml}\n', 'arm.yaml: self_masks.head: '),
    ],
)
def test_bad_file_is_refused_in_one_line(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / 'arm.yaml'
    file.write_text(text)

    with pytest.raises(ConfigError) as caught:
        with_self_filter(AssemblerSettings(), str(file))

    assert message in str(caught.value)
    assert '\n' not in str(caught.value)


def test_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r'none\.yaml: No such file'):
        with_self_filter(AssemblerSettings(), str(tmp_path / 'none.yaml'))
