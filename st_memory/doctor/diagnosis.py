"""Whether a replay of a bag would remember anything, and if not, what is missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from st_memory.bags import BagFrameSource, BagSurvey, survey
from st_memory.conversions import AssemblerSettings
from st_memory.core.errors import ConversionError
from st_memory.core.records import CameraFrame
from st_memory.doctor.transform_links import reachable_frames, read_links, TransformLink

__all__ = ['CameraFindings', 'Diagnosis', 'diagnose']

# Counters of the frame assembly, as a person would put them.
_REASONS = {
    'zero_stamp': 'messages with stamp 0',
    'missing_camera_info': 'looks without camera_info',
}
# A mask that fills more of the image than this is likely the wrong way round.
_LARGE_BODY_SHARE = 0.5


@dataclass
class CameraFindings:
    """
    What the looks of one camera amount to.

    Parameters
    ----------
    camera_id : str
        Its name.
    width, height : int
        Image size, pixels.
    num_looks, num_posed, num_depth, num_reports : int
        Looks; and of them those with a pose, with depth, and with a result of the detector.
    num_detections, num_located : int
        Detections, and those of them that get a position: with a pose, and with depth or a
        position of their own.
    own_body_share : float
        Share of the image that the own body fills, on average.
    pose_problems : Counter of str
        Why looks have no pose.

    """

    camera_id: str
    width: int = 0
    height: int = 0
    num_looks: int = 0
    num_posed: int = 0
    num_depth: int = 0
    num_reports: int = 0
    num_detections: int = 0
    num_located: int = 0
    own_body_share: float = 0.0
    pose_problems: Counter[str] = field(default_factory=Counter)

    def add(self, look: CameraFrame) -> None:
        """Count one look."""
        self.width, self.height = look.model.width, look.model.height
        is_posed = look.world_T_camera is not None
        self.num_looks += 1
        self.num_posed += is_posed
        self.num_depth += look.depth_m is not None
        self.num_reports += look.detections is not None
        filled = 0.0 if look.own_body is None else float(look.own_body.mean())
        self.own_body_share += (filled - self.own_body_share) / self.num_looks
        if look.pose_problem:
            self.pose_problems[look.pose_problem] += 1
        for detection in look.detections or ():
            self.num_detections += 1
            has_range = detection.camera_p is not None or look.depth_m is not None
            self.num_located += is_posed and has_range


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
    counted = _count(path, chosen)
    blocking = tuple(_blocking(counted, links, chosen.fixed_frame))
    missing = (*blocking, *surveyed.missing) if blocking else ()
    lesser = () if blocking else surveyed.missing
    return Diagnosis(
        path=str(path),
        survey=surveyed,
        links=links,
        fixed_frame=chosen.fixed_frame,
        cameras=tuple(counted.cameras[name] for name in sorted(counted.cameras)),
        num_frames=counted.num_frames,
        num_world_detections=counted.num_world_detections,
        counters=counted.counters,
        missing=missing,
        warnings=tuple(dict.fromkeys((*lesser, *surveyed.warnings, *_partial(counted)))),
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
