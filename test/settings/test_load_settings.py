"""One YAML file gives all settings."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from st_memory.conversions import AssemblerSettings
from st_memory.conversions.assembly_settings import PosePolicy, ReleasePolicy
from st_memory.conversions.roles import TopicKind, TopicRole
from st_memory.core.errors import ConfigError
from st_memory.core.memory import MemorySettings
from st_memory.core.visibility import preset_named, PRESETS
from st_memory.settings import (
    effective,
    load_settings,
    read_record,
    read_yaml,
    Settings,
    StoreSettings,
    template,
)

CONFIG = Path(__file__).parents[2] / 'config'


def load(tmp_path: Path, text: str) -> Settings:
    """Write a file and load it."""
    path = tmp_path / 'my.yaml'
    path.write_text(text, encoding='utf-8')
    return load_settings(path)


@pytest.mark.parametrize('text', ['', '# nothing\n', 'memory:\n', 'store: {}\n'])
def test_empty_file_is_the_defaults(tmp_path: Path, text: str) -> None:
    """As is no file at all."""
    assert load(tmp_path, text) == load_settings(None) == Settings()


def test_sections_reach_their_classes(tmp_path: Path) -> None:
    """One value of each section."""
    found = load(
        tmp_path,
        'memory: {move_distance_m: 0.5, confirm_hits: 2}\n'
        'visibility: beyond3d_track_v5\n'
        'assembler:\n'
        '  fixed_frame: odom\n'
        '  pose_policy: static_rig\n'
        '  roles: [{kind: depth, camera_id: head}]\n'
        '  role_by_topic: {/odd/topic: {kind: movements}}\n'
        'store: {synchronous: full}\n',
    )

    assert found == Settings(
        MemorySettings(visibility_preset='beyond3d_track_v5', move_distance_m=0.5, confirm_hits=2),
        preset_named('beyond3d_track_v5'),
        AssemblerSettings(
            fixed_frame='odom',
            pose_policy=PosePolicy.STATIC_RIG,
            roles=(TopicRole(TopicKind.DEPTH, 'head'),),
            role_by_topic={'/odd/topic': TopicRole(TopicKind.MOVEMENTS)},
        ),
        StoreSettings('full'),
    )


def test_preset_of_the_memory_section_is_the_visibility(tmp_path: Path) -> None:
    """There is one preset, wherever it is named."""
    found = load(tmp_path, 'memory: {visibility_preset: beyond3d_questions_v1}\n')

    assert found.visibility == PRESETS['beyond3d_questions_v1']


def test_visibility_section_changes_a_preset(tmp_path: Path) -> None:
    """What is not named is the preset's."""
    text = 'visibility: {preset: beyond3d_track_v5, name: mine, max_range_m: 8}\n'

    found = load(tmp_path, text)

    expected = replace(PRESETS['beyond3d_track_v5'], name='mine', max_range_m=8.0)
    assert found.visibility == expected
    assert found.memory.visibility_preset == 'beyond3d_track_v5'


@pytest.mark.parametrize(
    ('text', 'message'),
    [
        ('memroy: {}\n', "my.yaml: unknown key 'memroy' (did you mean 'memory'?)"),
        (
            'memory: {move_distnce_m: 1}\n',
            "my.yaml: memory: unknown key 'move_distnce_m' (did you mean 'move_distance_m'?)",
        ),
        (
            'memory: {min_score: 2}\n',
            'my.yaml: memory.min_score: expected 0.0 to 1.0, got 2.0',
        ),
        ('memory: 3\n', 'my.yaml: memory: expected a section with keys, got 3'),
        ('- a\n', 'my.yaml: expected sections with keys, got a list'),
        ('just words\n', 'my.yaml: expected sections with keys, got a str'),
        ('a: b: c\n', 'my.yaml: line 1: mapping values are not allowed here'),
        ('store: {}\nstore: {}\n', "my.yaml: line 2: the key 'store' is given twice"),
        ('store: !!python/object:os.system {}\n', 'my.yaml: line 1: could not determine'),
        ('visibility: 3\n', 'my.yaml: visibility: expected a preset or a section, got 3'),
        ('visibility: livid\n', 'my.yaml: visibility: visibility preset: expected one of'),
        ('visibility: {preset: 3}\n', 'visibility.preset: expected the name of a preset, got 3'),
        ('memory: {visibility_preset: livid}\n', 'memory.visibility_preset: visibility preset:'),
        (
            'visibility: {pixel_bounds: all}\n',
            "my.yaml: visibility: pixel_bounds: expected one of area, zero, got 'all'",
        ),
        (
            'memory: {visibility_preset: live}\nvisibility: beyond3d_track_v5\n',
            'expected the preset of memory.visibility_preset (live), got beyond3d_track_v5',
        ),
        (
            'assembler: {slop_ns: -1}\n',
            'my.yaml: assembler: slop_ns: expected >= 0, got -1',
        ),
        (
            'assembler: {release: soon}\n',
            "assembler.release: expected one of complete, deadline, got 'soon'",
        ),
        (
            'assembler: {self_boxes: [{frame: arm, centre_m: [0, 0], size_m: [1, 1, 1]}]}\n',
            'my.yaml: assembler.self_boxes[0].centre_m: expected 3 values, got 2',
        ),
        (
            'assembler: {self_boxes: [{frame: arm, size_m: [1, 1, 1]}]}\n',
            "my.yaml: assembler.self_boxes[0]: expected the key 'centre_m'",
        ),
        (
            'assembler: {self_boxes: [{frame: a, centre_m: [0, 0, 0], size_m: [1, -1, 1]}]}\n',
            'assembler.self_boxes[0]: size_m: expected edges > 0, got [1.0, -1.0, 1.0]',
        ),
        (
            'assembler: {self_boxes: [{frames: arm}]}\n',
            "my.yaml: assembler.self_boxes[0]: unknown key 'frames' (did you mean 'frame'?)",
        ),
        (
            'assembler: {self_boxes: {frame: arm}}\n',
            'my.yaml: assembler.self_boxes: expected a list, got',
        ),
        (
            'assembler: {self_masks: {head: none.png}}\n',
            'none.png: cannot be read (No such file or directory)',
        ),
        (
            'assembler: {self_masks: {head: my.yaml}}\n',
            'my.yaml: expected a mask as PNG',
        ),
        ('store: {synchronous: off}\n', 'store.synchronous: expected a text, got False'),
        ('store: {synchronous: no}\n', 'store.synchronous: expected a text, got False'),
    ],
)
def test_bad_file_is_refused_in_one_line(tmp_path: Path, text: str, message: str) -> None:
    """The line says where, what was expected and what was found."""
    with pytest.raises(ConfigError, match=r'my\.yaml: ') as caught:
        load(tmp_path, text)

    assert message in str(caught.value)
    assert '\n' not in str(caught.value)


def test_missing_file_is_refused(tmp_path: Path) -> None:
    """The reason is the system's."""
    with pytest.raises(ConfigError, match=r'none\.yaml: No such file or directory'):
        load_settings(tmp_path / 'none.yaml')


def test_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    """A bag is no settings file."""
    path = tmp_path / 'bag.mcap'
    path.write_bytes(b'\x89MCAP0\r\n\xff\xfe')

    with pytest.raises(ConfigError, match='expected UTF-8 text'):
        load_settings(path)


def test_effective_settings_load_as_the_same(tmp_path: Path) -> None:
    """What a manifest holds can be run again."""
    settings = Settings(
        MemorySettings(rest_s=0.1, visibility_preset='beyond3d_track_v5'),
        replace(preset_named('live'), name='mine', use_depth=False),
        AssemblerSettings(
            roles=(TopicRole(TopicKind.DEPTH, 'head'),),
            role_by_topic={'/x': TopicRole(TopicKind.SCENE)},
            release=ReleasePolicy.DEADLINE,
        ),
        StoreSettings('full'),
    )

    assert load(tmp_path, yaml.safe_dump(effective(settings))) == settings


def test_template_loads_as_the_defaults(tmp_path: Path) -> None:
    """The file that explains every setting changes none."""
    text = template()

    assert load(tmp_path, text) == Settings()
    assert '  min_score: 0.2  # weaker detections are ignored; 0 to 1\n' in text


@pytest.mark.parametrize(
    'path', [p for p in sorted(CONFIG.glob('*.yaml')) if p.name != 'memory_node.yaml'],
    ids=lambda path: path.name,
)  # fmt: skip
def test_every_settings_file_loads(path: Path) -> None:
    """Shipped files name no key that is gone; their values are the defaults they claim to be."""
    assert load_settings(path) == Settings()


def test_memory_section_of_the_node_parameters_fits() -> None:
    """The node's parameter file sets what the fold knows, within its ranges."""
    parameters = read_yaml(CONFIG / 'memory_node.yaml')['/**']['ros__parameters']

    found = read_record(MemorySettings, parameters['memory'], 'memory_node.yaml: memory')

    assert found.visibility_preset in PRESETS
