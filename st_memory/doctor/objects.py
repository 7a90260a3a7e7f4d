"""Why an object is not seen, not believed in, or told of with doubts."""

from __future__ import annotations

from collections.abc import Iterator

from st_memory.core.ports import MemoryReader
from st_memory.core.queries import get_visibility, locate, LocateAnswer, Selector, VisibilityAnswer
from st_memory.core.queries.references import cameras_that_looked
from st_memory.core.queries.wording import is_gone, join_names, name_first
from st_memory.core.records import AnswerStatus, LifeCycle, ObjectState, Visibility
from st_memory.core.stamps import Moment
from st_memory.doctor.findings import Finding, Severity

__all__ = ['object_findings']

_INFO, _WARNING = Severity.INFO, Severity.WARNING
_MAX_CAMERAS = 8
# Verdict -> how bad, the code, and what to do; {by} is what is in the way.
_SIGHTS: dict[Visibility, tuple[Severity, str, str]] = {
    Visibility.UNCONFIRMED: (
        _WARNING,
        'unconfirmed',
        'Look whether the detector runs and knows it by that label; memory.min_score leaves weak '
        'detections out.',
    ),
    Visibility.ABSENT: (
        _WARNING,
        'absent',
        'Let a camera see where it is now, or say it: ~/edit_object with action MARK.',
    ),
    Visibility.AMBIGUOUS_FIXTURE: (
        _WARNING,
        'fixture_state_unknown',
        'Publish the transform or the joint state of {by}.',
    ),
    Visibility.OCCLUDED: (_INFO, 'occluded', 'Look from elsewhere, or open or move {by}.'),
    Visibility.OUT_OF_VIEW: (_INFO, 'out_of_view', 'Turn the camera to it, or go nearer.'),
    Visibility.IN_MOTION: (_INFO, 'in_motion', 'Wait until it is put down.'),
}
_BY_CAUSE = {
    'no_pose': 'Publish all transforms of the camera up to the stamps of its images.',
    'invalid_depth': 'Publish depth registered to the colour image.',
}


def object_findings(
    reader: MemoryReader, subject: str, at: Moment | None = None
) -> tuple[Finding, ...]:
    """
    Say what is known of an object, and why it is not seen or may not be where it was.

    Parameters
    ----------
    reader : MemoryReader
        What is remembered.
    subject : str
        Id or label.
    at : Moment, optional
        As of when; None for now.

    """
    known = _known(reader, subject, at)
    if known is None or known.object is None:
        return (_unknown(reader, subject, at, known),)
    is_sure = known.status is AnswerStatus.KNOWN
    told = Finding(
        _INFO if is_sure else _WARNING,
        'known_object',
        subject,
        known.sentence.rstrip('.'),
        known.reason or 'Ask ~/locate_object for its pose.',
    )
    return (told, *_doubts(known, known.object), *_sights(reader, known.object, at))


def _known(reader: MemoryReader, subject: str, at: Moment | None) -> LocateAnswer | None:
    """Find what is meant: by id, else by label; where it is in no map, the answer without it."""
    answers = [locate(reader, s, at) for s in (Selector(subject), Selector(label=subject))]
    named = [a for a in answers if a.object is not None or a.status is AnswerStatus.NO_POSE]
    return named[0] if named else None


def _unknown(
    reader: MemoryReader, subject: str, at: Moment | None, known: LocateAnswer | None
) -> Finding:
    """Say whether it was met at all."""
    if known is not None:
        return Finding(
            _WARNING,
            'unanchored_object',
            subject,
            known.reason,
            'Call ~/rebase with the transform between the maps; the identity says it is the same.',
        )
    reason = locate(reader, Selector(label=subject), at).reason
    forgotten = [
        s.object_id
        for s in reader.objects_at(at)
        if subject in (s.object_id, s.label) and s.life_cycle is LifeCycle.RETIRED
    ]
    if forgotten:
        return Finding(
            _WARNING,
            'forgotten',
            forgotten[-1],
            f'{join_names(forgotten[:_MAX_CAMERAS])} was forgotten by a person',
            'Take it back with ~/edit_object, action RESTORE; what is seen there is a new object.',
        )
    return Finding(
        _INFO,
        'never_seen',
        subject,
        reason or f'nothing called {subject} has been seen',
        'Look whether the detector knows the name; an object is believed in after '
        'memory.confirm_hits matches.',
    )


def _doubts(known: LocateAnswer, state: ObjectState) -> Iterator[Finding]:
    if known.alternatives:
        others = join_names([s.object_id for s in known.alternatives[:_MAX_CAMERAS]])
        yield Finding(
            _INFO,
            'others_fit',
            state.object_id,
            f'{others} fit, too; what follows is of {state.object_id}',
            'Ask by id.',
        )
    if state.identity_alternatives:
        yield Finding(
            _WARNING,
            'identity_in_doubt',
            state.object_id,
            f'{state.object_id} may be {" or ".join(state.identity_alternatives)} '
            f'(confidence {state.identity_confidence:.2f})',
            'Show all of them, send ids or embeddings with the detections, or say which it is: '
            '~/edit_object with action MERGE or SPLIT.',
        )
    if state.world_p is None:
        yield Finding(
            _WARNING,
            'never_located',
            state.object_id,
            f'{state.object_id} was reported, and its position was never measured',
            'Publish depth, or send positions with the detections.',
        )


def _sights(reader: MemoryReader, state: ObjectState, at: Moment | None) -> Iterator[Finding]:
    """Say of each camera why it does not see it; what is gone or carried is so for all."""
    if state.in_motion or is_gone(state):
        answer = get_visibility(reader, Selector(state.object_id), at)
        if answer.intervals:
            yield _sight(state, '', answer)
        return
    for camera in cameras_that_looked(reader, at)[:_MAX_CAMERAS]:
        answer = get_visibility(reader, Selector(state.object_id), at, camera)
        if answer.intervals and answer.state is not Visibility.VISIBLE:
            yield _sight(state, camera, answer)
        elif answer.status is AnswerStatus.STALE:
            yield _stopped(state, camera, answer.reason)


def _sight(state: ObjectState, camera: str, answer: VisibilityAnswer) -> Finding:
    severity, code, remedy = _SIGHTS.get(
        answer.state,
        (
            _WARNING,
            'sight_unknown',
            _BY_CAUSE.get(answer.cause, 'Look there again, with depth and a detector.'),
        ),
    )
    text = f'{camera}: ' if camera else ''
    text += f'{answer.sentence.rstrip(".")}'
    row = answer.intervals[0]
    if answer.state is Visibility.UNCONFIRMED:
        text += f' (found in {row.num_confirmed} of {row.num_frames} images)'
    by = answer.occluder_id or 'what is in the way'
    return Finding(severity, code, state.object_id, text, remedy.format(by=by))


def _stopped(state: ObjectState, camera: str, reason: str) -> Finding:
    return Finding(
        _WARNING,
        'stale',
        state.object_id,
        f'{camera}: {name_first(state)} was visible, but {reason}',
        f'Look whether all topics of {camera} still come.',
    )
