"""What is wrong with what a running memory is given, from what it has received so far."""

from __future__ import annotations

from collections.abc import Iterator

from st_memory.core.memory.rebase import unanchored_epoch
from st_memory.core.ports import MemoryReader
from st_memory.doctor.findings import Finding, LiveInputs, Severity
from st_memory.doctor.live_clock import clock_findings
from st_memory.doctor.live_inputs import input_findings
from st_memory.doctor.live_pairs import pair_findings
from st_memory.doctor.objects import object_findings
from st_memory.doctor.remedies import REMEDIES

__all__ = ['live_findings', 'received_findings']

_LEAST_SAID_S = 1.0
# What is told beside an object, since it is a reason not to see it.
_WHY_UNSEEN = frozenset(
    (
        'no_detections',
        'detections_stopped',
        'missing_detections',
        'no_depth',
        'depth_stopped',
        'below_min_score',
        'no_position',
        'id_in_doubt',
    )
)


def live_findings(
    inputs: LiveInputs, reader: MemoryReader, subject: str = ''
) -> tuple[Finding, ...]:
    """
    Say what is wrong, the worst first.

    Parameters
    ----------
    inputs : LiveInputs
        What is received.
    reader : MemoryReader
        What is remembered.
    subject : str
        Object id, label, topic, camera or frame; '' for everything. What concerns everything is
        told of every subject, too.

    """
    found = [*received_findings(inputs), *_epochs(reader)]
    if subject:
        about = [f for f in found if _is_about(f, subject)]
        told = object_findings(reader, subject)
        if told[0].code == 'never_seen' and subject in inputs.on_probation:
            told = (_on_probation(subject, inputs.on_probation[subject]),)
        if told[0].code == 'never_seen' and (about or _is_received(inputs, subject)):
            told = ()  # it is no object
        if told:
            about += [f for f in found if f.code in _WHY_UNSEEN and f not in about]
        found = [f for f in found if f.severity is Severity.ERROR or f in about]
        found += told
    return tuple(sorted(found, key=lambda f: -f.severity))


def received_findings(inputs: LiveInputs) -> tuple[Finding, ...]:
    """Say what is wrong with what is received, without a look at what is remembered."""
    missing = (*clock_findings(inputs), *_missing(inputs))
    return (*(_since(finding, inputs) for finding in missing), *_counted(inputs))


def _missing(inputs: LiveInputs) -> Iterator[Finding]:
    yield from input_findings(inputs)
    if inputs.is_active:
        yield from pair_findings(inputs)


def _since(finding: Finding, inputs: LiveInputs) -> Finding:
    """Say for how long it has been so."""
    since_s = inputs.since_s.get((finding.code, finding.subject), 0.0)
    if since_s < _LEAST_SAID_S:
        return finding
    return finding._replace(message=f'{finding.message} (for {since_s:.0f} s)')


def _on_probation(label: str, num_matches: int) -> Finding:
    matches = 'once' if num_matches == 1 else f'{num_matches} times'
    return Finding(
        Severity.WARNING,
        'on_probation',
        label,
        f'{label} was matched {matches}, too seldom to be believed in yet',
        'Let the detector see it longer; memory.confirm_hits says how often is enough.',
    )


def _is_received(inputs: LiveInputs, subject: str) -> bool:
    """Whether it is a topic or a camera."""
    name = subject.strip('/')
    return any(name in (r.topic.strip('/'), r.camera_id.strip('/')) for r in inputs.received)


def _is_about(finding: Finding, subject: str) -> bool:
    return subject.strip('/') in (finding.subject.strip('/'), *finding.message.split())


def _counted(inputs: LiveInputs) -> Iterator[Finding]:
    """Tell what was left out."""
    for name, number in sorted(inputs.counters.items()):
        reason, _, subject = name.partition(' ')
        if number:
            what, remedy = REMEDIES.get(reason, ('', 'See the log of the node.'))
            yield Finding(
                Severity.WARNING,
                reason,
                subject or reason,
                f'{number} times {name}' + (f': {what}' if what else '') + _when(inputs, name),
                remedy,
            )


def _when(inputs: LiveInputs, name: str) -> str:
    """Say when something was counted first and last."""
    reason, _, subject = name.partition(' ')
    first_s = inputs.since_s.get((reason, subject or reason))
    last_s = inputs.counted_s.get(name)
    if first_s is None or last_s is None:
        return ''
    return f' (first {first_s:.0f} s ago, last {last_s:.0f} s ago)'


def _epochs(reader: MemoryReader) -> Iterator[Finding]:
    epoch = unanchored_epoch(reader)
    if epoch is not None:
        yield Finding(
            Severity.WARNING,
            'unanchored',
            f'epoch {epoch}',
            f'objects of epoch {epoch} are not in this map: where they are in it is not known',
            'Call ~/rebase with the transform between the maps; the identity says it is the same.',
        )
