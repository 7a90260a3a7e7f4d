"""Documents: their commands run, their tables are what the code says."""

from __future__ import annotations

from pathlib import Path
import re

import pytest

from docs import console
from docs.console import commands_in, is_quick, programs_in, run, run_program, scratch_folder
from docs.reference import DOCUMENTS, refreshed
from st_memory.cli.parser import build_parser
from st_memory.cli.registry import COMMANDS

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / 'README.md').read_text(encoding='utf-8')
QUESTIONS = (ROOT / 'docs' / 'questions.md').read_text(encoding='utf-8')
COMMAND_LINES = commands_in(README)


@pytest.mark.parametrize('path', console.DOCUMENTS, ids=lambda p: p.name)
def test_quick_commands_and_programs_of_a_document_run_one_after_the_other(path: Path) -> None:
    if not (ROOT / 'rosbag_fixtures' / 'kitchen_small.mcap').exists():
        pytest.skip('rosbag_fixtures/kitchen_small.mcap is not there')
    text = path.read_text(encoding='utf-8')
    with scratch_folder() as folder:
        quick = [w for w in commands_in(text) if is_quick(w)]
        results = [(' '.join(w), run(w, folder)) for w in quick]
        programs = [(code, run_program(code, folder)) for code, _ in programs_in(text)]

    failed = [(what, done.stderr) for what, done in results + programs if done.returncode != 0]
    assert failed == []
    assert all(done.stdout.strip() for _, done in results + programs)
    for (_, expected), (_, done) in zip(programs_in(text), programs):
        assert done.stdout == expected, 'run python docs/console.py'


def test_questions_document_asks_every_question_in_a_shell_and_by_a_service() -> None:
    from st_memory.cli.query_options import QUESTIONS as NAMES

    table = QUESTIONS.partition('## The families')[2].partition('## ')[0]

    for name in NAMES:
        assert f'`{name} ' in table or f'`{name}`' in table, name
    for name, _ in _offered('listing', 'place', 'time'):
        assert f'`~/{name}`' in table, name


def test_questions_document_names_every_status() -> None:
    from st_memory.core.records import AnswerStatus

    assert [s.name for s in AnswerStatus if f'| `{s.name}` |' not in QUESTIONS] == []


@pytest.mark.parametrize('text', [README, QUESTIONS], ids=['README.md', 'questions.md'])
def test_document_has_a_program_with_its_output(text: str) -> None:
    ((code, output),) = programs_in(text)

    assert 'MemoryFile' in code
    assert output.count('\n') == code.count('print(')


@pytest.mark.parametrize('words', [*COMMAND_LINES, *commands_in(QUESTIONS)], ids=' '.join)
def test_command_in_a_document_is_understood(words: list[str]) -> None:
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


def _offered(*families: str) -> list[tuple[str, str]]:
    """Give the services that the node offers, with their types; of some modules, or of all."""
    folder = ROOT / 'st_memory' / 'ros'
    paths = [folder / f'{name}_services.py' for name in families]
    return [
        (name, kind)
        for path in paths or sorted(folder.glob('*_services.py'))
        for name, kind in re.findall(
            r"^ {12}'([a-z_]+)': \(([A-Z]\w+), self\.",
            path.read_text(encoding='utf-8'),
            flags=re.MULTILINE,
        )
    ]


@pytest.mark.parametrize('name', ['README.md', 'docs/nodes.md'])
def test_documents_name_exactly_the_services_that_are_offered(name: str) -> None:
    text = (ROOT / name).read_text(encoding='utf-8')

    documented = re.findall(r'^\| `~/([a-z_]+)`(?: \(| \| )`([A-Z]\w+)`', text, re.MULTILINE)

    assert len(_offered()) >= 17
    assert sorted(d for d in documented if d[0] not in _TOPICS) == sorted(_offered())


_TOPICS = {'objects', 'visibility_changes', 'events', 'markers', 'processed'}


def test_documents_name_every_published_topic() -> None:
    source = (ROOT / 'st_memory/ros/publications.py').read_text(encoding='utf-8')

    published = set(re.findall(r"create\(\w+, '~/(\w+)'", source))

    assert published == _TOPICS
    for name in ('README.md', 'docs/nodes.md'):
        text = (ROOT / name).read_text(encoding='utf-8')
        assert all(f'`~/{topic}`' in text for topic in published)


def test_readme_lists_services_that_are_defined_and_not_offered() -> None:
    offered = {kind for _, kind in _offered()}
    defined = {p.stem for p in (ROOT / 'st_memory_interfaces/srv').glob('*.srv')}

    unfinished = README.partition('## Not there yet')[2]

    for name in defined:
        assert (name in offered) != (f'`{name}`' in unfinished), name


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
