"""Whether a replay of a bag would remember anything, and if not, what is missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from st_memory.bags import BagFrameSource, BagSurvey, survey
from st_memory.conversions import AssemblerSettings, TopicKind
from st_memory.core.errors import ConversionError
from st_memory.doctor.camera_findings import CameraFindings
from st_memory.doctor.gaps import read_gaps, TopicGap
from st_memory.doctor.transform_links import reachable_frames, read_links, TransformLink

__all__ = ['Diagnosis', 'diagnose']

# Counters of the frame assembly, as a person would put them.
_REASONS = {
    'zero_stamp': 'messages with stamp 0',
    'missing_camera_info': 'looks without camera_info',
}
# A mask that fills more of the image than this is likely the wrong way round.
_LARGE_BODY_SHARE = 0.5


@dataclass(frozen=True)
class Diagnosis:
    """
    What a bag gives a memory.

    Parameters
    ----------
    path : str
        The bag.
    survey : BagSurvey
        Its topics.
    links : tuple of TransformLink
        Its transform tree.
    gaps : tuple of TopicGap
        The longest silence of each topic that comes all the time.
    fixed_frame : str
        Frame that objects would be remembered in.
    cameras : tuple of CameraFindings
        By name.
    num_frames, num_world_detections : int
        Frames that a replay would integrate, and positions in the fixed frame among them.
    counters : dict of str to int
        What the frame assembly left out, by reason.
    missing : tuple of str
        What keeps the bag from being remembered, one line each; empty when it can be.
    warnings : tuple of str
        What is less than it could be, one line each.

    """

    path: str
    survey: BagSurvey
    links: tuple[TransformLink, ...]
    gaps: tuple[TopicGap, ...]
    fixed_frame: str
    cameras: tuple[CameraFindings, ...]
    num_frames: int
    num_world_detections: int
    counters: dict[str, int]
    missing: tuple[str, ...]
    warnings: tuple[str, ...]

    @property
    def is_usable(self) -> bool:
        """Whether a replay would remember something."""
        return not self.missing


@dataclass
class _Pass:
    """What one pass over the frames counted."""

    cameras: dict[str, CameraFindings] = field(default_factory=dict)
    num_frames: int = 0
    num_world_detections: int = 0
    counters: dict[str, int] = field(default_factory=dict)
    failure: str = ''


def diagnose(path: str | Path, settings: AssemblerSettings | None = None) -> Diagnosis:
    """
    Go through a bag as a replay would, without remembering anything.

    Parameters
    ----------
    path : str or Path
        As for :func:`st_memory.bags.open_bag`.
    settings : AssemblerSettings, optional
        As for the replay.

    Raises
    ------
    BagError
        If it is no bag, or damaged.

    """
    chosen = settings or AssemblerSettings()
    surveyed = survey(path, chosen)
    links = read_links(Path(path), surveyed)
    gaps = read_gaps(Path(path), surveyed)
    counted = _count(path, chosen)
    blocking = tuple(_blocking(counted, links, chosen.fixed_frame))
    missing = (*blocking, *surveyed.missing) if blocking else ()
    lesser = () if blocking else surveyed.missing
    return Diagnosis(
        path=str(path),
        survey=surveyed,
        links=links,
        gaps=gaps,
        fixed_frame=chosen.fixed_frame,
        cameras=tuple(counted.cameras[name] for name in sorted(counted.cameras)),
        num_frames=counted.num_frames,
        num_world_detections=counted.num_world_detections,
        counters=counted.counters,
        missing=missing,
        warnings=tuple(
            dict.fromkeys(
                (
                    *lesser,
                    *surveyed.warnings,
                    *(str(gap) for gap in gaps if gap.is_a_pause),
                    *_partial(counted),
                    *_wrong_axes(counted, surveyed),
                )
            )
        ),
    )


def _count(path: str | Path, settings: AssemblerSettings) -> _Pass:
    counted = _Pass()
    try:
        source = BagFrameSource(path, settings)
        for frame in source.frames():
            counted.num_frames += 1
            counted.num_world_detections += len(frame.world_detections)
            for look in frame.cameras:
                found = counted.cameras.setdefault(look.camera_id, CameraFindings(look.camera_id))
                found.add(look)
        counted.counters = dict(source.counters())
    except ConversionError as error:
        counted.failure = str(error)
    return counted


def _blocking(counted: _Pass, links: tuple[TransformLink, ...], fixed_frame: str) -> Iterator[str]:
    """Say what keeps everything from being remembered."""
    if counted.failure:
        yield counted.failure
        return
    if counted.num_world_detections:
        return
    looks = list(counted.cameras.values())
    if any(c.num_located for c in looks):
        return
    if not looks:
        counts = sorted((-n, name) for name, n in counted.counters.items() if n)
        reasons = [f'{-n} {_REASONS.get(name, name)}' for n, name in counts]
        yield f'no look of any camera came together: {", ".join(reasons) or "no camera topics"}'
        return
    if not any(c.num_posed for c in looks):
        yield _pose_story(looks, links, fixed_frame)
    if not any(c.num_reports for c in looks):
        yield 'no detections: st_memory detect adds them to a bag with images'
    elif not any(c.num_detections for c in looks):
        yield 'the detector ran and found nothing in any image'
    elif any(c.num_posed for c in looks):
        yield 'no detection has a position: neither depth nor a pose comes with them'


def _pose_story(
    looks: list[CameraFindings], links: tuple[TransformLink, ...], fixed_frame: str
) -> str:
    """Name the link that is missing between the fixed frame and the cameras."""
    reasons = sum((c.pose_problems for c in looks), Counter[str]())
    common = reasons.most_common(1)[0][0] if reasons else 'unknown'
    frames = {link.parent for link in links} | {link.child for link in links}
    if not frames:
        return f'no /tf: where the cameras are is not known ({common})'
    if fixed_frame not in frames:
        roots = sorted({link.parent for link in links} - {link.child for link in links})
        return (
            f'no frame {fixed_frame!r} in /tf: name the fixed frame in the settings; '
            f'the roots are: {", ".join(roots)}'
        )
    near = ', '.join(sorted(reachable_frames(links, fixed_frame)))
    return f'no look has a pose ({common}); connected with {fixed_frame!r} are: {near}'


def _partial(counted: _Pass) -> Iterator[str]:
    """Say what some looks lack."""
    for camera_id, c in sorted(counted.cameras.items()):
        if 0 < c.num_posed < c.num_looks:
            reason = c.pose_problems.most_common(1)[0][0]
            yield (
                f'{camera_id}: {c.num_looks - c.num_posed} of {c.num_looks} looks have no pose '
                f'({reason})'
            )
        if 0 < c.num_reports < c.num_looks:
            yield (
                f'{camera_id}: {c.num_looks - c.num_reports} of {c.num_looks} looks have no '
                'result of the detector'
            )
        if c.own_body_share > _LARGE_BODY_SHARE:
            yield (
                f'{camera_id}: its own body fills {100 * c.own_body_share:.0f} % of the image: '
                'what is behind it is never seen (is the mask inverted?)'
            )
    for name, count in sorted(counted.counters.items()):
        if count and not name.startswith('missing_'):
            yield f'{count} messages left out or cut short: {name}'


def _wrong_axes(counted: _Pass, surveyed: BagSurvey) -> Iterator[str]:
    """Find cameras whose images are said to be in the frame of a link: x ahead, z up."""
    for topic in surveyed.topics:
        if topic.role is None or topic.role.kind is not TopicKind.CAMERA_INFO:
            continue
        c = counted.cameras.get(topic.role.camera_id)
        if c and 'optical' not in topic.frame_id and 0 < c.num_posed == c.num_upward:
            yield (
                f'{c.camera_id}: its axis points up in all looks, and its frame '
                f'{topic.frame_id!r} is not called optical: is it the frame of a link (x ahead, '
                'z up)? An optical frame has z ahead and y down (REP 103)'
            )
