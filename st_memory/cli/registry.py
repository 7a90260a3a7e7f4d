"""The list of commands: the one place where a command is registered."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ['COMMANDS', 'Command']


class Command(NamedTuple):
    """
    A command by name.

    Parameters
    ----------
    name : str
        What is typed after ``st_memory``.
    module : str
        Module with ``configure(parser)`` and ``run(arguments) -> exit code``, imported only when
        the command is used.
    summary : str
        One line for ``st_memory --help``.

    """

    name: str
    module: str
    summary: str


COMMANDS = (
    Command('demo', 'st_memory.cli.commands.demo', 'replay a bag through the nodes and ask'),
    Command('replay', 'st_memory.cli.commands.replay', 'turn a bag into a memory'),
    Command('query', 'st_memory.cli.commands.query', 'ask a memory'),
    Command('convert', 'st_memory.cli.commands.convert', 'make a bag from a dataset'),
    Command('detect', 'st_memory.cli.commands.detect', 'run a detector over a bag'),
    Command('scene', 'st_memory.cli.commands.scene', 'look at a scene file, or build a mesh'),
    Command('edit', 'st_memory.cli.commands.edit', 'tell a memory what sensors cannot know'),
    Command('rebase', 'st_memory.cli.commands.rebase', 'bring a memory into a corrected map'),
    Command('inspect', 'st_memory.cli.commands.inspection', 'say what a memory file holds'),
    Command('view', 'st_memory.cli.commands.view', 'show a memory as a web page'),
    Command('export', 'st_memory.cli.commands.export', 'write a memory as JSON lines or Parquet'),
    Command('import', 'st_memory.cli.commands.importing', 'make a memory of an export'),
    Command('feed', 'st_memory.cli.commands.feed', 'bring a copy of a memory up to date'),
    Command('compact', 'st_memory.cli.commands.compact', 'thin out old observations'),
    Command('doctor', 'st_memory.cli.commands.doctor', 'say what a bag, or a running node, lacks'),
    Command('bench', 'st_memory.cli.commands.bench', 'predict and score benchmarks'),
    Command('questions', 'st_memory.cli.commands.questions', 'write out-of-sight questions'),
    Command('completion', 'st_memory.cli.commands.completion', 'print a shell completion script'),
)
