"""Documents: their commands run, their tables are what the code says."""

from __future__ import annotations

from pathlib import Path
import re

import pytest

from docs.console import commands_in, is_quick, run, scratch_folder
from docs.reference import DOCUMENTS, refreshed
from st_memory.cli.parser import build_parser
from st_memory.cli.registry import COMMANDS

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / 'README.md').read_text(encoding='utf-8')
COMMAND_LINES = commands_in(README)


def test_readme_quick_commands_run_one_after_the_other() -> None:
    if not (ROOT / 'rosbag_fixtures' / 'kitchen_small.mcap').exists():
        pytest.skip('rosbag_fixtures/kitchen_small.mcap is not there')
    with scratch_folder() as folder:
        results = [(' '.join(w), run(w, folder)) for w in COMMAND_LINES if is_quick(w)]

    failed = [(line, done.stderr) for line, done in results if done.returncode != 0]
    assert failed == []
    assert all(done.stdout.strip() for line, done in results)


@pytest.mark.parametrize('words', COMMAND_LINES, ids=' '.join)
def test_readme_command_is_understood(words: list[str]) -> None:
    plain = words[1 : words.index('>')] if '>' in words else words[1:]

    parsed = build_parser(plain).parse_args(plain)

    assert callable(parsed.run)


@pytest.mark.parametrize('command', [c.name for c in COMMANDS])
def test_readme_shows_every_command_in_use(command: str) -> None:
    assert command in {words[1] for words in COMMAND_LINES}


@pytest.mark.parametrize('path', DOCUMENTS, ids=lambda p: p.name)
def test_generated_tables_are_up_to_date(path: Path) -> None:
    text = path.read_text(encoding='utf-8')

    assert refreshed(text) == text, 'run python docs/reference.py'


@pytest.mark.parametrize('name', ['README.md', 'docs/nodes.md'])
def test_documents_name_exactly_the_services_that_are_offered(name: str) -> None:
    offered = re.findall(
        r"^ {12}'([a-z_]+)': \(([A-Z]\w+), self\.",
        (ROOT / 'st_memory/ros/services.py').read_text(encoding='utf-8'),
        flags=re.MULTILINE,
    )
    text = (ROOT / name).read_text(encoding='utf-8')

    documented = re.findall(r'^\| `~/([a-z_]+)`(?: \(| \| )`([A-Z]\w+)`', text, re.MULTILINE)

    assert offered
    assert [d for d in documented if d[1] in {o[1] for o in offered}] == offered
    assert {d[0] for d in documented if d[0] not in _TOPICS} == {o[0] for o in offered}


_TOPICS = {'objects', 'visibility_changes', 'events', 'processed'}


def test_documents_name_every_published_topic() -> None:
    source = (ROOT / 'st_memory/ros/publications.py').read_text(encoding='utf-8')

    published = set(re.findall(r"create\(\w+, '~/(\w+)'", source))

    assert published == _TOPICS
    for name in ('README.md', 'docs/nodes.md'):
        text = (ROOT / name).read_text(encoding='utf-8')
        assert all(f'`~/{topic}`' in text for topic in published)


def test_readme_lists_services_that_are_defined_and_not_offered() -> None:
    source = (ROOT / 'st_memory/ros/services.py').read_text(encoding='utf-8')
    defined = {p.stem for p in (ROOT / 'st_memory_interfaces/srv').glob('*.srv')}

    unfinished = README.partition('## Not there yet')[2]

    for name in defined:
        assert (f'({name}, self.' in source) != (f'`{name}`' in unfinished), name


def test_readme_links_lead_somewhere() -> None:
    for target in re.findall(r'\]\(([^)#]+)\)', README):
        if '://' not in target:
            assert (ROOT / target).exists(), target


def test_readme_begins_with_what_it_is_a_transcript_and_two_commands() -> None:
    head = '\n'.join(README.splitlines()[:30])

    assert 'outlives the field of view' in head
    assert 'planner :' in head
    assert 'It is not' in head
    assert 'make setup' in head
    assert 'make demo' in head


def test_architecture_names_every_package() -> None:
    text = (ROOT / 'docs/architecture.md').read_text(encoding='utf-8')

    packages = [p.parent.name for p in (ROOT / 'st_memory').glob('*/__init__.py')]

    assert [p for p in packages if p not in text] == []


@pytest.mark.parametrize('words', ['Visibility', 'AnswerStatus'])
def test_conventions_name_every_state(words: str) -> None:
    from st_memory.core import records

    text = (ROOT / 'docs/conventions.md').read_text(encoding='utf-8')

    assert [s.name for s in getattr(records, words) if f'`{s.name}`' not in text] == []


def test_conventions_name_every_cause() -> None:
    from st_memory.core.visibility import Cause

    text = (ROOT / 'docs/conventions.md').read_text(encoding='utf-8')
    causes = text.partition('### Causes')[2].partition('### ')[0]

    words = [*(cause.text() for cause in Cause), 'not_yet_looked_for']
    assert [word for word in words if f'`{word}' not in causes] == []


def test_architecture_brackets_exactly_the_layers_that_do_not_exist() -> None:
    layers = (ROOT / 'docs/architecture.md').read_text(encoding='utf-8')
    layers = layers.partition('## Layers')[2].partition('| package |')[0]
    planned = set(re.findall(r'\((\w+)\)', layers))

    assert planned
    for name in planned:
        folders = (ROOT / 'st_memory' / name, ROOT / 'st_memory' / 'core' / name)
        assert not any((folder / '__init__.py').exists() for folder in folders), name
