"""Masks of the own body in bags: for each image, and one for all of them."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from st_memory.bags import BagFrameSource, survey
from st_memory.conversions import AssemblerSettings, TopicKind, TopicRole
from st_memory.core.errors import ConversionError
from st_memory.core.memory import MemorySettings
from st_memory.core.records import Visibility
from st_memory.replay import replay
from st_memory.storage import InMemoryStore
from test.bags.bag_files import START_NS, STEP_NS
from test.bags.mask_bags import LEFT, mask_bag, mask_message, RIGHT

ALL = [1, 1, 1, 1]


def stamp(index: int) -> int:
    return START_NS + index * STEP_NS


def rows(source: BagFrameSource) -> list[list[int] | None]:
    """Give the middle row of each frame's mask."""
    bodies = [frame.cameras[0].own_body for frame in source.frames()]
    return [None if body is None else body[1].astype(int).tolist() for body in bodies]


def test_masks_are_paired_by_stamp(tmp_path: Path) -> None:
    masks = [(i, mask_message(stamp(i), LEFT if i % 2 else RIGHT)) for i in range(8)]
    source = BagFrameSource(mask_bag(tmp_path, masks))

    assert rows(source) == [RIGHT, LEFT] * 4
    assert source.counters() == {}
    assert source.roles['/head/self_mask'] == TopicRole(TopicKind.SELF_MASK, 'head')


@pytest.mark.parametrize('stamp_ns', [0, stamp(4), stamp(0) - 7])
def test_the_only_mask_of_a_bag_holds_from_its_start(stamp_ns: int, tmp_path: Path) -> None:
    source = BagFrameSource(mask_bag(tmp_path, [(4, mask_message(stamp_ns, LEFT))]))

    for _ in range(2):  # each pass alike
        assert rows(source) == [LEFT] * 8
        assert source.counters() == {}
    assert source.roles['/head/self_mask'] == TopicRole(TopicKind.SELF_MASK_FIXED, 'head')


def test_masks_without_a_stamp_hold_until_the_next(tmp_path: Path) -> None:
    # The deadline of a frame is a second after it: all leave after the last message.
    masks = [(4, mask_message(0, LEFT)), (6, mask_message(0, LEFT))]
    source = BagFrameSource(mask_bag(tmp_path, masks))

    assert rows(source) == [LEFT] * 8
    assert source.counters() == {}


def test_mask_that_lacks_at_a_stamp_is_counted(tmp_path: Path) -> None:
    masks = [(i, mask_message(stamp(i), LEFT)) for i in (0, 1)]
    source = BagFrameSource(mask_bag(tmp_path, masks))

    assert rows(source) == [LEFT, LEFT, *[None] * 6]
    assert source.counters() == {'missing_self_mask': 6}


def test_topic_that_the_settings_name_is_a_mask_too(tmp_path: Path) -> None:
    path = mask_bag(tmp_path, [(0, mask_message(0, LEFT))])
    role = TopicRole(TopicKind.SELF_MASK, 'head')
    settings = AssemblerSettings(role_by_topic={'/head/self_mask': role})

    assert rows(BagFrameSource(path, settings)) == [LEFT] * 8


def test_mask_of_an_unknown_encoding_is_one_line(tmp_path: Path) -> None:
    path = mask_bag(tmp_path, [(0, mask_message(0, LEFT, 'rgb8'))])

    with pytest.raises(ConversionError, match="self_mask of head: unknown mask encoding 'rgb8'"):
        list(BagFrameSource(path).frames())
    assert survey(path).warnings == (
        "/head/self_mask: unknown mask encoding 'rgb8'; known are mono8, 8UC1",
    )


def test_survey_has_nothing_against_masks_without_a_stamp(tmp_path: Path) -> None:
    several = [(i, mask_message(0, LEFT)) for i in (0, 1)]
    for masks in (several, several[:1]):
        assert survey(mask_bag(tmp_path, masks, name=f'{len(masks)}.mcap')).warnings == ()


@pytest.mark.parametrize(
    ('mask', 'expected'),
    [(ALL, (Visibility.OCCLUDED, 'self')), (None, (Visibility.VISIBLE, ''))],
)
def test_replay_says_that_the_own_body_hides_the_cup(
    mask: list[int] | None, expected: tuple, tmp_path: Path
) -> None:
    masks = [] if mask is None else [(0, mask_message(0, mask))]
    store = InMemoryStore()

    replay(BagFrameSource(mask_bag(tmp_path, masks)), store, MemorySettings(), None)

    (state,) = store.objects_at()
    assert (state.visibility, state.occluder_id) == expected


def test_mask_of_no_camera_is_told_by_source_and_survey(tmp_path: Path) -> None:
    bag = mask_bag(tmp_path, [])
    assert cv2.imwrite(str(tmp_path / 'mask.png'), np.full((3, 4), 255, dtype=np.uint8))
    path = str(tmp_path / 'mask.png')
    right = AssemblerSettings(self_masks={'head': path})
    wrong = AssemblerSettings(self_masks={'haed': path})

    assert BagFrameSource(bag, right).warnings == survey(bag, right).warnings == ()
    (line,) = BagFrameSource(bag, wrong).warnings
    assert line.startswith("self_masks: expected one of head, got 'haed', which is no camera")
    assert line in survey(bag, wrong).warnings
