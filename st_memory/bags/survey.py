"""What a bag holds and what it lacks: the first thing to look at when nothing is remembered."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from st_memory.bags.reader import BagMessage, BagReader, open_bag, TopicSummary
from st_memory.bags.source import roles_of
from st_memory.conversions.assembly_settings import AssemblerSettings
from st_memory.conversions.camera_info import camera_from_info
from st_memory.conversions.images import check_depth_encoding
from st_memory.conversions.misspelt import masks_of_no_camera
from st_memory.conversions.roles import TopicKind, TopicRole
from st_memory.conversions.self_masks import check_mask_encoding
from st_memory.conversions.stamps import frame_name, header_stamp
from st_memory.core.errors import ConversionError
from st_memory.core.stamps import seconds_from_stamp

__all__ = ['BagSurvey', 'TopicSurvey', 'survey']

# Enough to see an offset or a wrong encoding, little enough to be quick on long bags.
_SAMPLES = 20
# A receiver that is this far from its sender has another clock.
_LARGE_OFFSET_S = 1.0
_MESH_TYPE = 'shape_msgs/msg/Mesh'


@dataclass(frozen=True)
class TopicSurvey:
    """
    One topic of a bag.

    Parameters
    ----------
    topic, type_name : str
        Its name and message type.
    num_messages : int
        How many messages it has.
    rate_hz : float, optional
        Messages a second over the first messages of a used topic, otherwise over the time of
        the bag; None for fewer than two.
    role : TopicRole, optional
        What it is used for; None when it is not.
    stamp_offset_s : float, optional
        Median of time of recording minus stamp over the first messages; None without stamps.
    zero_stamps : int
        How many of the first messages have no stamp.
    encoding : str
        Of the first image: the encoding of a raw one, the format of a compressed one.
    frame_id : str
        Frame of the first message, without leading slash.
    problems : tuple of str
        What makes its first messages unusable, one line each.

    """

    topic: str
    type_name: str
    num_messages: int
    rate_hz: float | None
    role: TopicRole | None
    stamp_offset_s: float | None = None
    zero_stamps: int = 0
    encoding: str = ''
    frame_id: str = ''
    problems: tuple[str, ...] = ()


@dataclass(frozen=True)
class BagSurvey:
    """
    A bag seen from outside.

    Parameters
    ----------
    name : str
        File or folder name.
    start_ns, end_ns : int
        First and last time of recording, nanoseconds.
    topics : tuple of TopicSurvey
        By name.
    missing : tuple of str
        What a memory needs and the bag does not have, one line each; empty when nothing lacks.
    warnings : tuple of str
        What is there and looks wrong, one line each.

    """

    name: str
    start_ns: int
    end_ns: int
    topics: tuple[TopicSurvey, ...]
    missing: tuple[str, ...]
    warnings: tuple[str, ...]

    @property
    def cameras(self) -> tuple[str, ...]:
        """Names of the cameras, sorted."""
        return tuple(sorted({t.role.camera_id for t in self.topics if t.role} - {''}))


def survey(path: str | Path, settings: AssemblerSettings | None = None) -> BagSurvey:
    """
    Look at a bag without making frames of it.

    Parameters
    ----------
    path : str or Path
        As for :func:`st_memory.bags.open_bag`.
    settings : AssemblerSettings, optional
        Whose topic roles count.

    Raises
    ------
    BagError
        If the bag cannot be opened.

    """
    chosen = settings or AssemblerSettings()
    with open_bag(path) as reader:
        roles = roles_of(reader, chosen)
        cameras = {role.camera_id for role in roles.values()} - {''}
        start_ns, end_ns = reader.start_ns, reader.end_ns
        duration_s = seconds_from_stamp(end_ns - start_ns)
        samples = _sample(reader, roles)
        topics = tuple(
            _topic_survey(
                topic,
                summary,
                duration_s,
                roles.get(topic),
                samples.get(topic, []),
            )
            for topic, summary in reader.topics.items()
        )
    return BagSurvey(
        name=Path(path).name,
        start_ns=start_ns,
        end_ns=end_ns,
        topics=topics,
        missing=_missing(roles.values(), chosen.camera_info),
        warnings=(*_warnings(topics), *masks_of_no_camera(chosen, cameras)),
    )


def _sample(reader: BagReader, roles: Mapping[str, TopicRole]) -> dict[str, list[tuple[int, Any]]]:
    """Read the first messages of each used topic, one topic at a time: long bags are indexed."""
    samples: dict[str, list[tuple[int, Any]]] = {}
    for topic in roles:
        of_topic = samples.setdefault(topic, [])
        message: BagMessage
        for message in reader.messages([topic]):
            of_topic.append((message.log_ns, message.read()))
            if len(of_topic) == _SAMPLES:
                break
    return samples


def _topic_survey(
    topic: str,
    summary: TopicSummary,
    duration_s: float,
    role: TopicRole | None,
    samples: list[tuple[int, Any]],
) -> TopicSurvey:
    stamps = [(log_ns, _stamp_of(message)) for log_ns, message in samples if _has_stamp(message)]
    offsets = [seconds_from_stamp(log_ns - ns) for log_ns, ns in stamps if ns is not None]
    is_static = role is not None and role.kind in (
        TopicKind.TF_STATIC,
        TopicKind.SCENE,
        TopicKind.MESH,
        TopicKind.SELF_MASK_FIXED,
    )
    return TopicSurvey(
        topic=topic,
        type_name=summary.type_name,
        num_messages=summary.num_messages,
        rate_hz=_rate(samples, summary.num_messages, duration_s),
        role=role,
        stamp_offset_s=median(offsets) if offsets and not is_static else None,
        zero_stamps=0 if is_static or _is_mask(role) else sum(ns is None for _, ns in stamps),
        encoding=_encoding(samples),
        frame_id=_frame_id(samples),
        problems=_problems(topic, role, samples),
    )


def _rate(samples: list[tuple[int, Any]], num_messages: int, duration_s: float) -> float | None:
    if len(samples) > 1:
        sampled_s = seconds_from_stamp(samples[-1][0] - samples[0][0])
        return (len(samples) - 1) / sampled_s if sampled_s > 0 else None
    return num_messages / duration_s if num_messages > 1 and duration_s > 0 else None


def _encoding(samples: list[tuple[int, Any]]) -> str:
    first = samples[0][1] if samples else None
    return str(getattr(first, 'encoding', '') or getattr(first, 'format', ''))


def _frame_id(samples: list[tuple[int, Any]]) -> str:
    header = getattr(samples[0][1], 'header', None) if samples else None
    return frame_name(header.frame_id) if header is not None else ''


def _has_stamp(message: Any) -> bool:
    return hasattr(message, 'header') or bool(getattr(message, 'transforms', None))


def _stamp_of(message: Any) -> int | None:
    return header_stamp(
        message.header if hasattr(message, 'header') else message.transforms[0].header
    )


def _is_mask(role: TopicRole | None) -> bool:
    """Whether it is a mask, which without a stamp holds for all images."""
    kinds = (TopicKind.SELF_MASK, TopicKind.SELF_MASK_FIXED)
    return role is not None and role.kind in kinds


def _problems(
    topic: str, role: TopicRole | None, samples: list[tuple[int, Any]]
) -> tuple[str, ...]:
    """Try what the assembler will refuse."""
    found: dict[str, None] = {}
    for _, message in samples:
        try:
            if role is not None and role.kind in (TopicKind.CAMERA_INFO, TopicKind.DEPTH_INFO):
                camera_from_info(message, topic)
            elif role is not None and role.kind is TopicKind.DEPTH:
                check_depth_encoding(message, topic)
            elif _is_mask(role):
                check_mask_encoding(message, topic)
        except ConversionError as error:
            found[str(error)] = None
    return tuple(found)


def _missing(roles: Any, given: Collection[str]) -> tuple[str, ...]:
    """Name what is needed and not there."""
    kinds = {role.kind for role in roles}
    cameras = sorted({role.camera_id for role in roles} - {''})
    lines = []
    if not kinds & {TopicKind.TF, TopicKind.TF_STATIC}:
        lines.append('no /tf and no /tf_static: no camera can be placed')
    elif TopicKind.TF not in kinds:
        lines.append('no /tf: only cameras on static transforms can be placed')
    has_world = TopicKind.WORLD_DETECTIONS in kinds
    if not cameras and not has_world:
        lines.append('no camera: no topic with camera_info, depth or detections')
    for camera_id in cameras:
        own = {role.kind for role in roles if role.camera_id == camera_id}
        if TopicKind.CAMERA_INFO not in own and camera_id not in given:
            lines.append(f'no /{camera_id}/camera_info: its images have no intrinsics')
        if TopicKind.DETECTIONS not in own and not has_world:
            lines.append(f'no /{camera_id}/detections: nothing to remember (st_memory detect)')
        if TopicKind.DEPTH not in own and TopicKind.DETECTIONS in own:
            lines.append(f'no /{camera_id}/depth: boxes give a direction and no position')
    return tuple(lines)


def _warnings(topics: tuple[TopicSurvey, ...]) -> list[str]:
    lines: list[str] = []
    for topic in topics:
        lines.extend(topic.problems)
        if topic.role is None and topic.type_name == _MESH_TYPE:
            lines.append(
                f'{topic.topic}: nothing says which part of the scene its meshes are '
                '(mesh_topics of a scene description)'
            )
        if topic.zero_stamps:
            lines.append(f'{topic.topic}: {topic.zero_stamps} of the first messages have stamp 0')
        if topic.stamp_offset_s is not None and abs(topic.stamp_offset_s) > _LARGE_OFFSET_S:
            lines.append(
                f'{topic.topic}: recorded {topic.stamp_offset_s:+.3f} s from its stamps; '
                f'stamps count, not the time of recording'
            )
    return lines
