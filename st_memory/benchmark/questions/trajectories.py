"""From anchors to trajectories: the steps of each, with balanced answers."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from st_memory.benchmark.questions.anchors import Anchor, find_anchors, find_controls
from st_memory.benchmark.questions.balance import choose_balanced, choose_controls
from st_memory.benchmark.questions.drafts import Draft, draft_of, Reference
from st_memory.benchmark.questions.options import fixture_options, Options, time_options
from st_memory.benchmark.questions.referents import mark_before, NameBook
from st_memory.benchmark.questions.rules import WritingRules
from st_memory.benchmark.questions.templates import (
    CLASSES,
    direction_text,
    DISTANCES,
    StepKind,
    STEPS,
    wording,
)
from st_memory.benchmark.questions.tracks import Mark, SceneTracks
from st_memory.benchmark.questions.trajectory_record import Step, Trajectory
from st_memory.core.queries import format_named
from st_memory.core.stamps import seconds_from_stamp

__all__ = ['write_trajectories']

_DIRECTIONS = ('front-left', 'front-right', 'back-left', 'back-right')


def write_trajectories(
    tracks: SceneTracks,
    count: int,
    rules: WritingRules,
    seed: int,
    answers: Counter[str] | None = None,
) -> list[Trajectory]:
    """
    Write out-of-sight trajectories and as many visible controls.

    Parameters
    ----------
    tracks : SceneTracks
        What there is to ask about.
    count : int
        How many of each at most; fewer when there are too few anchors.
    rules : WritingRules
        Format, horizons, margins.
    seed : int
        Of all that is drawn.
    answers : Counter of str, optional
        Spatial answers of recordings that were asked about before, and now of this one too.

    Returns
    -------
    list of Trajectory
        The out-of-sight ones first.

    References
    ----------
    .. [1] Beyond3D (2026), sections 3.2, 4.2 and 8.

    """
    rng = np.random.default_rng(seed)
    names = NameBook(tracks, may_point_out=rules.may_point_out)
    writer = _Writer(tracks, rules, rng, names)
    drafts, controls = [], []
    for track in sorted(tracks.objects, key=lambda t: t.object_id):
        for anchor in find_anchors(tracks, track, rules, rng):
            draft = draft_of(tracks, anchor, rules)
            if draft is not None and names.can_tell(anchor):
                drafts.append(draft)
        controls += [
            anchor for anchor in find_controls(tracks, track, rules, rng) if names.can_tell(anchor)
        ]
    out = choose_balanced(tracks, drafts, count, rules, rng, writer.trajectory, answers)
    few = choose_controls(tracks, controls, len(out), rules, rng)
    return [*out, *(writer.control(anchor, i) for i, anchor in enumerate(few))]


class _Writer:
    """Writes the steps, and keeps count of the ranks of right times."""

    def __init__(
        self,
        tracks: SceneTracks,
        rules: WritingRules,
        rng: np.random.Generator,
        names: NameBook,
    ) -> None:
        self._tracks, self._rules, self._rng, self._names = tracks, rules, rng, names
        self._form = format_named(rules.format)
        num = len(rules.bins_s) + 1
        self._ranks = {kind: [0] * num for kind in ('last_visible', 'last_placed')}

    def trajectory(self, draft: Draft, reference: Reference, number: int) -> Trajectory | None:
        """Write all steps of a draft; None when one of them cannot be asked."""
        anchor = draft.anchor
        mark = self._mark(anchor)
        steps: list[Step] = []
        taken: list[tuple[str, int]] = []
        for named in STEPS[self._rules.format]:
            step = self._step(named, draft, reference, taken)
            if step is None:
                return None
            steps.append(step)
        for kind, rank in taken:
            self._ranks[kind][rank] += 1
        horizon = f'{anchor.horizon_s:.1f}'.replace('.', 'p')
        return Trajectory(
            trajectory_id=f'{self._tracks.video_id}__oos_staged_h{horizon}_{number}',
            anchor=anchor,
            horizon=self._rules.horizon_of(anchor.horizon_s),
            query_stamp_ns=int(self._tracks.stamps_ns[anchor.query]),
            target_mark=mark,
            reference=reference,
            steps=tuple(steps),
        )

    def control(self, anchor: Anchor, number: int) -> Trajectory:
        """Write a visible control: the first step alone."""
        return Trajectory(
            trajectory_id=f'{self._tracks.video_id}__visible_staged_{number}',
            anchor=anchor,
            horizon='',
            query_stamp_ns=int(self._tracks.stamps_ns[anchor.query]),
            target_mark=self._mark(anchor),
            reference=None,
            steps=(self._chosen(STEPS[self._rules.format][0], anchor, 'Yes', ('No', 'Yes')),),
        )

    def _mark(self, anchor: Anchor) -> Mark | None:
        if self._names.is_unique(anchor.track):
            return None
        return mark_before(self._tracks, anchor)

    def _step(
        self,
        named: StepKind,
        draft: Draft,
        reference: Reference,
        taken: list[tuple[str, int]],
    ) -> Step | None:
        anchor, form = draft.anchor, self._rules.format
        kind = named.kind
        if kind == 'visibility':
            return self._chosen(named, anchor, 'No', ('No', 'Yes'))
        if kind in self._ranks:
            return self._when(named, anchor, taken)
        if kind == 'fixture':
            return self._fixture(named, anchor)
        if kind == 'direction':
            texts = tuple(direction_text(form, kind, name) for name in _DIRECTIONS)
            return self._chosen(named, anchor, direction_text(form, kind, draft.direction), texts)
        if kind == 'relation':
            texts = tuple(direction_text(form, kind, n) for n in self._form.relations.names)
            text = direction_text(form, kind, reference.relation)
            return self._chosen(named, anchor, text, texts, reference)
        texts = tuple(DISTANCES[form].values())
        if kind == 'camera_distance':
            text = DISTANCES[form][self._form.distances.name_of(draft.distance_m)]
            return self._chosen(named, anchor, text, texts, distance_m=draft.distance_m)
        text = DISTANCES[form][self._form.distances.name_of(reference.distance_m)]
        return self._chosen(named, anchor, text, texts, reference, distance_m=reference.distance_m)

    def _when(self, named: StepKind, anchor: Anchor, taken: list[tuple[str, int]]) -> Step | None:
        tracks = self._tracks
        stamp_ns = until_ns = anchor.movement.end_ns
        if named.kind == 'last_visible':
            stamp_ns, until_ns = anchor.last_visible_ns, anchor.unseen_from_ns
        truth_s = tracks.seconds(stamp_ns)
        query_s = tracks.seconds(int(tracks.stamps_ns[anchor.query]))
        if self._rules.format == 'beyond3d_legacy':  # open questions
            return self._asked(named, anchor, Options((), 0), time_sec=truth_s)
        ranked = time_options(
            truth_s,
            query_s,
            self._rules,
            self._ranks[named.kind],
            self._rng,
            tracks.seconds(until_ns),
        )
        if ranked is None:
            return None
        rank, options = ranked
        taken.append((named.kind, rank))
        return self._asked(named, anchor, options, time_sec=truth_s)

    def _fixture(self, named: StepKind, anchor: Anchor) -> Step | None:
        fixture_id = anchor.track.fixture_ids[anchor.query]
        options = fixture_options(self._tracks.scene, fixture_id, self._rules, self._rng)
        if options is None:
            return None
        is_area = options.choices[options.correct_idx] == fixture_id
        what = f'{self._rules.area_label} area' if is_area else 'fixture type'
        return self._asked(named, anchor, options, what=what, raw_correct_fixture=fixture_id)

    def _chosen(
        self,
        named: StepKind,
        anchor: Anchor,
        text: str,
        choices: tuple[str, ...],
        reference: Reference | None = None,
        **answer: Any,
    ) -> Step:
        options = Options(choices, choices.index(text))
        name = reference.track.name if reference is not None else ''
        return self._asked(named, anchor, options, reference=name, correct_label=text, **answer)

    def _asked(
        self,
        named: StepKind,
        anchor: Anchor,
        options: Options,
        *,
        what: str = '',
        reference: str = '',
        **answer: Any,
    ) -> Step:
        query_s = seconds_from_stamp(
            int(self._tracks.stamps_ns[anchor.query]) - self._tracks.base_stamp_ns
        )
        words = wording(
            self._rules.format,
            named.kind,
            query_s=query_s,
            target=anchor.track.name,
            reference=reference,
            what=what,
        )
        correct = options.correct_idx if options.choices else None
        return Step(
            step=named.step,
            question_class=CLASSES[named.kind],
            kind=named.kind,
            question=words,
            choices=options.choices,
            correct_idx=correct,
            acceptable_idxs=() if correct is None else (correct,),
            answer=answer,
        )
