"""The scene descriptions in the documentation are read as they stand."""

from __future__ import annotations

from pathlib import Path
import re

import pytest

from st_memory.conversions.assembly_settings import AssemblerSettings
from st_memory.scene import SCENE_SUFFIXES
from st_memory.scene.description import read_description

DOCUMENT = Path(__file__).parents[2] / 'docs' / 'scenes.md'
TEXT = DOCUMENT.read_text(encoding='utf-8')
BLOCKS = re.findall(r'^```yaml\n(.*?)^```$', TEXT, re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize('block', BLOCKS)
def test_a_description_of_the_documentation_is_read(block: str, tmp_path: Path) -> None:
    path = tmp_path / 'scene.yaml'
    path.write_text(block, encoding='utf-8')

    assert read_description(path).base is not None


def test_the_descriptions_of_the_documentation_use_every_key(tmp_path: Path) -> None:
    path = tmp_path / 'scene.yaml'
    path.write_text(BLOCKS[0], encoding='utf-8')
    first = read_description(path)
    path.write_text(BLOCKS[1], encoding='utf-8')
    second = read_description(path)

    assert len(BLOCKS) == 2
    assert (len(first.joints), len(first.parts), len(first.fixtures)) == (1, 3, 2)
    assert first.joints[0].joint.child == 'left_door'
    assert first.mesh_topics['/arm/tray_mesh'].frame_id == 'tray_link'
    assert (second.geometry, second.root_frame) == ('collision', 'base_link')


def test_the_documentation_names_every_kind_of_file_and_setting() -> None:
    assert [suffix for suffix in SCENE_SUFFIXES if f'`{suffix}`' not in TEXT] == []
    assert '`joint_hold_ns`' in TEXT
    assert hasattr(AssemblerSettings(), 'joint_hold_ns')
