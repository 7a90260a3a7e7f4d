"""The demonstration as text."""

from __future__ import annotations

from collections.abc import Sequence
import textwrap

from st_memory.cli.demo.marking import MarkedAnswer

__all__ = ['transcript']

_WIDTH = 96
_INDENT = ' ' * 12


def transcript(marked: Sequence[MarkedAnswer], name: str) -> str:
    """
    Put questions, answers and truth in lines.

    Parameters
    ----------
    marked : sequence of MarkedAnswer
        In the order in which they were asked.
    name : str
        What was replayed.

    """
    num_unseen = sum(item.out_of_sight for item in marked)
    lines = [
        f'{name} through memory_node; {num_unseen} of {len(marked)} questions are about things '
        'out of sight.'
    ]
    moment = -1.0
    for item in marked:
        if abs(item.at_s - moment) > 0.9:
            moment = item.at_s
            lines.append(f'\n{moment:.1f} s')
        lines.append(f'  planner : {item.question}')
        lines.extend(_wrapped('  memory  : ', item.answer or '(no answer)'))
        lines.extend(
            _wrapped('  truth   : ', f'{item.truth}. {"ok" if item.correct else "WRONG"}')
        )
    return '\n'.join(lines)


def _wrapped(start: str, text: str) -> list[str]:
    return textwrap.wrap(
        text, _WIDTH, initial_indent=start, subsequent_indent=_INDENT, break_on_hyphens=False
    )
