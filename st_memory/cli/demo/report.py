"""The demonstration as one HTML page that needs nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path
from statistics import median
from string import Template

import numpy as np

from st_memory.cli.demo.map_svg import map_svg
from st_memory.cli.demo.marking import MarkedAnswer
from st_memory.cli.demo.palette import INK, STATE_COLORS, STATE_WORDS
from st_memory.cli.demo.report_rows import ObjectRow, rows_of
from st_memory.cli.demo.timeline_svg import legend_html, timeline_svg
from st_memory.cli.demo.truth import Truth
from st_memory.cli.output import write_text
from st_memory.storage import SqliteMemoryStore

__all__ = ['moments_of', 'write_report']

_SAME_MOMENT_S = 0.9
_PAGE = Template("""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>st_memory demo</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
body{font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;
 color:$text;margin:0 auto;max-width:1120px;padding:28px 20px 60px;background:#fff}
h1{font-size:25px;margin:0 0 2px}h2{font-size:17px;margin:34px 0 8px}
p{margin:4px 0}.muted{color:$muted}svg{width:100%;height:auto;display:block}
.panel{background:$panel;border:1px solid $line;border-radius:8px;padding:12px 14px}
.two{display:grid;grid-template-columns:minmax(0,640px) 1fr;gap:18px;align-items:start}
.legend span{margin-right:16px;white-space:nowrap;font-size:13px;color:$muted}
.legend i{display:inline-block;width:22px;height:10px;border-radius:2px;margin-right:6px}
.legend i.thin{height:3px;vertical-align:middle}
table{border-collapse:collapse;width:100%;font-size:13.5px}
th{font-weight:600;text-align:left;color:$muted;border-bottom:1px solid $line;padding:4px 8px}
td{border-bottom:1px solid $line;padding:5px 8px;vertical-align:top}
td.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.chip{display:inline-block;min-width:18px;border-radius:9px;padding:0 4px;text-align:center;
 font-size:12px;font-weight:600;color:#fff}
.moment{margin:16px 0 6px;font-weight:600}
.qa{display:grid;grid-template-columns:64px 1fr;gap:2px 12px;border-left:4px solid;
 padding:6px 0 6px 14px;margin:8px 0}
.qa b{grid-column:1/3;font-weight:600}.qa b small{font-weight:400;color:$muted;margin-left:8px}
.qa .k{color:$muted}
text{font-family:inherit}.name{text-anchor:end;font-size:12.5px;fill:$text}
.tick{text-anchor:middle;font-size:11px;fill:$muted}
.fixture{text-anchor:middle;font-size:9.5px;fill:$muted}
.dot{text-anchor:middle;font-size:10px;font-weight:700;fill:#fff}.dark{fill:$text}
@media(max-width:800px){.two{grid-template-columns:1fr}}
</style></head><body>
<h1>Where is the thing I can no longer see?</h1>
<p class="muted">$bag, replayed through <code>replay_node</code> and <code>memory_node</code>. A
client asked over ROS 2 services while the things were out of sight: $score of $count answers are
right, median call $latency ms. The memory got the recording alone; the truth beside it chose the
moments and marked the answers.</p>
<h2>Visibility over time</h2><div class="panel">$timeline$legend</div>
<h2>What is remembered, from above</h2><div class="two"><div class="panel">$map
<p class="muted" style="font-size:13px">Filled: where it is remembered at the end, in the colour
of its state. Ring: where it really is. Black: where the camera was when the questions came.
</p></div>
<table><thead><tr><th></th><th>object</th><th>state at the end</th><th>off by</th></tr></thead>
<tbody>$objects</tbody></table></div>
<h2>Questions and answers</h2>$answers
</body></html>
""")


def moments_of(marked: Sequence[MarkedAnswer]) -> list[float]:
    """Give the distinct moments of the answers, seconds after the first image."""
    moments: list[float] = []
    for item in marked:
        if not moments or item.at_s - moments[-1] > _SAME_MOMENT_S:
            moments.append(item.at_s)
    return moments


def write_report(
    path: Path, bag: str, database: Path, marked: Sequence[MarkedAnswer], truth: Truth
) -> None:
    """
    Write the page.

    Parameters
    ----------
    path : Path
        Where it goes; replaced.
    bag : str
        Name of the recording.
    database : Path
        The memory that the nodes left.
    marked : sequence of MarkedAnswer
        The answers.
    truth : Truth
        What really happened.

    """
    moments = moments_of(marked)
    with SqliteMemoryStore.open(database, read_only=True) as store:
        rows, scene = rows_of(store, truth), store.scene()
    first_ns, last_ns = int(truth.stamps_ns[0]), int(truth.stamps_ns[-1])
    page = _PAGE.substitute(
        INK,
        bag=escape(bag),
        score=sum(item.correct for item in marked),
        count=len(marked),
        latency=f'{median(item.latency_ms for item in marked):.1f}',
        timeline=timeline_svg(rows, first_ns, last_ns, moments),
        legend=legend_html(),
        map=map_svg(scene, rows, truth, moments),
        objects=''.join(_object(n, row) for n, row in enumerate(rows, start=1)),
        answers=_answers(marked, moments),
    )
    write_text(path, page)


def _object(number: int, row: ObjectRow) -> str:
    state, track = row.state, row.track
    if track is None:
        off = 'no match'
    elif not track.is_present[-1]:
        off = 'taken away'
    elif state.world_p is None:
        off = '-'
    else:
        off = f'{np.linalg.norm(np.array(state.world_p) - track.position[-1]):.2f} m'
    color = STATE_COLORS[state.visibility]
    return (
        f'<tr><td><span class="chip" style="background:{color};color:{INK["text"]}">{number}'
        f'</span></td><td>{escape(state.object_id)}</td>'
        f'<td>{STATE_WORDS[state.visibility]}</td><td class="n">{off}</td></tr>'
    )


def _answers(marked: Sequence[MarkedAnswer], moments: Sequence[float]) -> str:
    parts: list[str] = []
    shown = 0
    for item in marked:
        if shown < len(moments) and item.at_s >= moments[shown]:
            shown += 1
            parts.append(
                f'<p class="moment"><span class="chip" style="background:{INK["text"]}">{shown}'
                f'</span> after {item.at_s:.1f} s</p>'
            )
        word, color = ('ok', INK['right']) if item.correct else ('wrong', INK['wrong'])
        parts.append(
            f'<div class="qa" style="border-color:{color}"><b>{escape(item.question)}'
            f'<small>{item.service} &middot; {item.status} &middot; {item.latency_ms:.1f} ms'
            f'</small></b>'
            f'<span class="k">memory</span><span>{escape(item.answer)}</span>'
            f'<span class="k">truth</span><span>{escape(item.truth)} '
            f'<strong style="color:{color}">{word}</strong></span></div>'
        )
    return '\n'.join(parts)
