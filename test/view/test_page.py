"""The page in a headless Chromium: what a person sees, reaches and types."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
import tempfile
from urllib.parse import urlsplit

import pytest

from test.view.browser import Browser
from test.view.memories import EVIL

Open = Callable[..., Browser]


@pytest.fixture
def shown(browser: Browser, addresses: dict[str, str]) -> Open:
    """Give a way to open a page of a memory, anew, and wait until it is drawn."""

    def show(
        name: str, page: str = '#/', *, width: int = 1280, height: int = 900, scheme: str = 'light'
    ) -> Browser:
        browser.shape(width, height, scheme=scheme)
        browser.open('about:blank')
        browser.events.clear()
        browser.open(addresses[name] + page)
        browser.until('document.body && document.body.dataset.shown')
        return browser

    return show


def faults(browser: Browser) -> list[str]:
    """What the console and the policy complained of."""
    found = []
    for event in browser.events:
        if event.get('method') == 'Runtime.exceptionThrown':
            found.append(str(event['params']['exceptionDetails']))
        if event.get('method') == 'Log.entryAdded':
            entry = event['params']['entry']
            found.extend([entry['text']] if entry['level'] == 'error' else [])
    return found


def move_to(browser: Browser, step: int) -> None:
    """Move the slider, of a thousand steps."""
    browser.run(
        'document.body.dataset.shown = "";'
        f'const s = document.getElementById("slider"); s.value = {step};'
        's.dispatchEvent(new Event("input"));'
    )
    browser.until('document.body.dataset.shown')


def texts(browser: Browser, selector: str) -> list[str]:
    found: list[str] = browser.run(
        f'return [...document.querySelectorAll("{selector}")].map((e) => e.textContent)'
    )
    return found


PAGES = ['#/', '#/objects', '#/ask', '#/object/mug_1']


@pytest.mark.parametrize('page', PAGES)
@pytest.mark.parametrize('name', ['story', 'empty', 'evil', 'huge'])
def test_page_of_any_memory_is_drawn_without_a_fault(name: str, page: str, shown: Open) -> None:
    browser = shown(name, page)

    assert faults(browser) == []
    assert browser.run('return document.getElementById("problem").hidden')
    assert browser.run('return document.querySelector("main").textContent.trim().length') > 20


def test_nothing_is_asked_of_another_host(shown: Open, addresses: dict[str, str]) -> None:
    browser = shown('story')
    asked = [
        e['params']['request']['url']
        for e in browser.events
        if e.get('method') == 'Network.requestWillBeSent'
    ]

    assert len(asked) > 5
    hosts = {urlsplit(url).netloc for url in asked} - {''}
    assert hosts == {urlsplit(addresses['story']).netloc}


@pytest.mark.parametrize('page', ['#/', '#/objects', '#/ask', '#/object/'])
def test_names_that_are_markup_are_shown_as_text(page: str, shown: Open) -> None:
    name = EVIL.replace("'", '%27').replace('"', '%22').replace('<', '%3C').replace(' ', '%20')
    browser = shown('evil', page if page != '#/object/' else f'{page}{name}0')

    assert faults(browser) == []
    assert browser.run('return document.title') == 'evil.db · st_memory'
    assert browser.run('return document.querySelectorAll("main img, main script").length') == 0
    if page != '#/ask':
        assert EVIL in browser.run('return document.querySelector("main").textContent')


def test_answer_with_names_that_are_markup_is_text(shown: Open) -> None:
    browser = shown('evil', '#/ask')
    browser.run(
        f'document.querySelector("input[name=what]").value = {EVIL!r};'
        'document.querySelector(".ask button").click();'
    )
    browser.until('document.querySelector(".answer")')

    (sentence,) = texts(browser, '.answer .sentence')
    assert '<img src=x' in sentence
    assert browser.run('return document.title') == 'evil.db · st_memory'
    assert browser.run('return document.images.length') == 0


def test_slider_shows_what_was_known_then(shown: Open) -> None:
    browser = shown('story')
    assert 'spoon_1' in texts(browser, '.map .name')
    late = texts(browser, '.brief li')

    move_to(browser, 200)  # 3.8 s after the first frame: the spoon is seen at 5 s

    assert sorted(texts(browser, '.map .name')) == ['bowl_1', 'mug_1', 'plate_1']
    assert texts(browser, '.brief li') != late
    assert browser.run('return document.getElementById("as-of").textContent').startswith('+3.8 s')
    assert texts(browser, '.timeline .row a') == ['bowl_1', 'mug_1', 'plate_1']


def test_newest_goes_back_to_now(shown: Open) -> None:
    browser = shown('story')
    move_to(browser, 200)
    browser.run('document.body.dataset.shown = ""; document.getElementById("latest").click();')
    browser.until('document.body.dataset.shown')

    assert 'spoon_1' in texts(browser, '.map .name')
    assert browser.run('return document.getElementById("as-of").textContent').startswith('+19.0 s')


def test_search_box_shows_sentence_and_json_as_of_the_slider(shown: Open) -> None:
    browser = shown('story')
    move_to(browser, 500)
    browser.run(
        'document.querySelector("input[name=what]").value = "cup";'
        'document.querySelector(".ask button").click();'
    )
    browser.until('document.querySelector(".answer")')

    (sentence,) = texts(browser, '.answer .sentence')
    assert 'drawer_1' in sentence
    (given,) = texts(browser, '.answer pre')
    assert '"status_name": "KNOWN"' in given


def test_what_is_wrong_is_one_line(shown: Open) -> None:
    browser = shown('story', '#/ask')
    browser.run('document.querySelector(".ask button").click()')
    browser.until('!document.getElementById("problem").hidden')

    (line,) = texts(browser, '#problem')
    assert line == 'where: name the object: an id, a label or other words'


def test_filter_narrows_the_list_and_keeps_what_is_typed(shown: Open) -> None:
    browser = shown('huge', '#/objects')
    assert len(texts(browser, 'tbody tr')) == 50
    browser.run(
        'const field = document.querySelector("input[type=search]"); field.focus();'
        'document.body.dataset.shown = ""; field.value = "thing_09";'
        'field.dispatchEvent(new Event("input"));'
    )
    browser.until('document.body.dataset.shown')

    assert texts(browser, '[role=status]') == ['100 objects']
    assert browser.run('return document.activeElement.value') == 'thing_09'


def test_huge_memory_is_paged(shown: Open) -> None:
    browser = shown('huge')
    assert len(texts(browser, '.timeline .row a')) == 50
    browser.run(
        'document.body.dataset.shown = "";'
        '[...document.querySelectorAll("button")].find((b) => b.textContent === "Next").click();'
    )
    browser.until('document.body.dataset.shown')

    assert texts(browser, '.timeline .row a')[0] == 'thing_0050'
    assert browser.run('return document.querySelectorAll(".map .object").length') == 1000
    assert texts(browser, '.map .name') == []
    titles = texts(browser, '.map .object title')
    assert titles[7].startswith('thing_0007 (thing of class 7): absent')
    assert browser.run('return document.querySelectorAll("*").length') < 15000


def test_empty_memory_says_so(shown: Open) -> None:
    browser = shown('empty')

    assert texts(browser, '#as-of') == ['the memory is empty']
    assert 'Nothing has a place yet.' in texts(browser, 'main p')
    assert browser.run('return document.getElementById("slider").disabled')


def test_keyboard_reaches_the_page_and_opens_an_object(shown: Open) -> None:
    browser = shown('story')
    browser.press('Tab')
    assert browser.run('return document.activeElement.className') == 'skip'
    names = []
    for _ in range(60):
        browser.press('Tab')
        names.append(
            browser.run(
                'const e = document.activeElement;'
                'return e.id || e.name || e.getAttribute("href") || e.tagName;'
            )
        )
        if names[-1] == '#/object/mug_1':
            break

    assert {'slider', 'latest', '#/objects'} <= set(names)
    assert browser.run('return getComputedStyle(document.activeElement).outlineStyle') in (
        'solid', 'none',
    )  # fmt: skip
    browser.run('document.body.dataset.shown = ""')
    browser.press('Enter')
    browser.until('document.body.dataset.shown')
    assert browser.run('return location.hash') == '#/object/mug_1'
    assert texts(browser, 'h2')[0].startswith('mug')


def test_arrow_moves_time(shown: Open) -> None:
    browser = shown('story')
    browser.run('document.getElementById("slider").focus(); document.body.dataset.shown = "";')
    browser.press('Home')
    browser.until('document.body.dataset.shown')

    assert browser.run('return document.getElementById("as-of").textContent').startswith('+0.0 s')


def test_link_beside_a_long_name_keeps_its_room(shown: Open) -> None:
    browser = shown('evil')
    widths = browser.run(
        'return [...document.querySelectorAll(".brief a")].map((e) => e.clientWidth'
        ' || e.getBoundingClientRect().width)'
    )

    assert len(widths) == 3
    assert min(widths) > 60


@pytest.mark.parametrize('page', PAGES)
@pytest.mark.parametrize('width', [360, 768, 1600])
def test_page_is_never_wider_than_the_window(width: int, page: str, shown: Open) -> None:
    for name in ('story', 'evil'):
        browser = shown(name, page, width=width)
        assert browser.run('return document.documentElement.scrollWidth') <= width


@pytest.mark.parametrize('scheme', ['light', 'dark'])
def test_text_can_be_read_on_what_lies_behind_it(scheme: str, shown: Open) -> None:
    """Contrast of 4.5 or more, by the formula of WCAG 2."""
    browser = shown('story', '#/', scheme=scheme)
    contrasts = browser.run("""
      const style = getComputedStyle(document.documentElement);
      const pixel = document.createElement('canvas').getContext('2d');
      const light = (name) => {
        pixel.fillStyle = style.getPropertyValue(name); pixel.fillRect(0, 0, 1, 1);
        const part = [...pixel.getImageData(0, 0, 1, 1).data].slice(0, 3).map((v) => v / 255)
          .map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
        return 0.2126 * part[0] + 0.7152 * part[1] + 0.0722 * part[2];
      };
      const ratio = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
      return ['--ink', '--quiet', '--link'].flatMap((ink) =>
        ['--back', '--card'].map((back) => ratio(light(ink), light(back))))
        .concat([['--bad', '--bad-back'], ['--ink', '--stay']].map(
          ([ink, back]) => ratio(light(ink), light(back))));
    """)

    assert len(contrasts) == 8
    assert min(contrasts) >= 4.5


def test_picture_of_the_page_is_no_blank(shown: Open) -> None:
    browser = shown('story')
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / 'page.png'
        browser.picture(path)

        assert path.read_bytes().startswith(b'\x89PNG')
        assert path.stat().st_size > 20_000
