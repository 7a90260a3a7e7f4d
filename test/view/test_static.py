"""The files of the page: nothing from elsewhere, nothing that could run what a memory holds."""

from __future__ import annotations

from pathlib import Path
import re

import pytest

import st_memory.view

STATIC = Path(st_memory.view.__file__).with_name('static')
FILES = sorted(STATIC.iterdir())
SCRIPTS = [p for p in FILES if p.suffix == '.js']


@pytest.mark.parametrize('path', FILES, ids=lambda p: p.name)
def test_nothing_is_loaded_from_elsewhere(path: Path) -> None:
    text = path.read_text(encoding='utf-8').replace('http://www.w3.org/2000/svg', '')

    assert re.findall(r'(?:https?:)?//[a-z][\w.]*\.[a-z]', text) == []


@pytest.mark.parametrize('path', SCRIPTS, ids=lambda p: p.name)
def test_no_script_makes_markup_of_text(path: Path) -> None:
    text = path.read_text(encoding='utf-8')
    ways = r'innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function|DOMParser'

    assert re.findall(ways, text) == []
    assert re.findall(r'style\s*[:=]', text) == []  # the policy allows no inline style


def test_markup_has_no_script_or_style_of_its_own() -> None:
    page = (STATIC / 'index.html').read_text(encoding='utf-8')

    assert re.findall(r'<script(?![^>]*\bsrc=)', page) == []
    assert re.findall(r'<style|\sstyle=|\son\w+=', page) == []
    assert re.findall(r'(?:src|href)="([^"#]+)"', page) == [
        '/static/icon.svg', '/static/page.css', '/static/main.js',
    ]  # fmt: skip


def test_every_import_is_there() -> None:
    for path in SCRIPTS:
        for name in re.findall(r"from '\./([\w.]+)'", path.read_text(encoding='utf-8')):
            assert (STATIC / name).is_file(), (path.name, name)


def test_every_state_has_a_colour_and_a_mark() -> None:
    from st_memory.core.records import Visibility

    states = (STATIC / 'states.js').read_text(encoding='utf-8')
    colours = (STATIC / 'page.css').read_text(encoding='utf-8')
    marks = dict(re.findall(r"^  ([A-Z_]+): \{ words: '[^']+', mark: '(\w+)' \}", states, re.M))

    assert set(marks) == {state.name for state in Visibility}
    assert len(set(marks.values())) == len(marks)
    for state in Visibility:
        assert f'.s-{state.name} ' in colours
