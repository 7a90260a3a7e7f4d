"""Free text as vectors, from the weights of an installed wheel."""

from __future__ import annotations

from collections.abc import Iterator
import importlib.util
import json
from pathlib import Path
import socket

import numpy as np
import pytest

from st_memory.core.errors import ConfigError
from st_memory.core.ports.text_encoder import TextEncoder
from st_memory.core.queries import locate, Selector
from st_memory.core.records import AnswerStatus, ObjectState
from st_memory.storage import InMemoryStore
from st_memory.vlm import word_encoder as module
from st_memory.vlm.word_encoder import MAX_CHARS, word_encoder, WordEncoder
from test.core.queries.conftest import commit, S

NAMES = ['mug', 'cup', 'bowl', 'plate', 'frying pan', 'scissors', 'laptop', 'sofa', 'sponge']


@pytest.fixture(scope='module')
def encoder() -> WordEncoder:
    found = word_encoder()
    if found is None:
        pytest.skip('needs the extra words (wordllama, tokenizers, safetensors)')
    return found


def test_word_encoder_is_a_text_encoder(encoder: WordEncoder) -> None:
    assert isinstance(encoder, TextEncoder)
    assert encoder.dimension == 256


def test_vectors_are_of_length_one(encoder: WordEncoder) -> None:
    rows = encoder.encode(NAMES)

    assert (rows.shape, rows.dtype) == ((9, 256), np.float32)
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-6)


@pytest.mark.parametrize('text', ['', ' ', chr(0xD800)])
def test_text_without_tokens_is_zero(text: str, encoder: WordEncoder) -> None:
    assert not encoder.encode([text]).any()


def test_vector_does_not_depend_on_company_or_case(encoder: WordEncoder) -> None:
    together = encoder.encode(['a red mug', 'sofa', 'A RED MUG'])

    np.testing.assert_array_equal(together[0], encoder.encode(['a red mug'])[0])
    np.testing.assert_array_equal(together[0], together[2])


def test_of_a_long_text_the_beginning_counts(encoder: WordEncoder) -> None:
    long = 'mug ' * (MAX_CHARS // 4)

    np.testing.assert_array_equal(
        encoder.encode([long])[0], encoder.encode([long + 'sofa' * 2_500_000])[0]
    )


@pytest.mark.parametrize('text', ['дом 茶碗 ☕', "'; DROP TABLE object; --", '../../etc/passwd'])
def test_any_script_and_any_trick_is_a_vector(text: str, encoder: WordEncoder) -> None:
    assert np.isfinite(encoder.encode([text])).all()


@pytest.mark.parametrize(
    ('text', 'name'),
    [('skillet', 'frying pan'), ('couch', 'sofa'), ('computer', 'laptop'), ('coffee cup', 'cup')],
)
def test_closest_name_is_what_people_mean(text: str, name: str, encoder: WordEncoder) -> None:
    found, cosines = encoder.closest(encoder.encode(NAMES), encoder.encode([text])[0], 2)

    assert NAMES[found[0]] == name
    assert cosines[0] > cosines[1]


@pytest.mark.parametrize(
    ('text', 'object_id'), [('skillet', 'pan_1'), ('couch', 'sofa_1'), ('democracy', None)]
)
def test_question_in_other_words_finds_the_object(
    text: str, object_id: str | None, encoder: WordEncoder
) -> None:
    pan = ObjectState('pan_1', 'frying pan', 0, world_p=(1.0, 0.0, 0.0), last_seen_ns=S)
    sofa = ObjectState('sofa_1', 'sofa', 0, world_p=(1.0, 0.0, 0.0), last_seen_ns=S)
    store = commit(InMemoryStore(), 1, pan, sofa)

    answer = locate(store, Selector(text=text, encoder=encoder))

    assert (answer.object and answer.object.object_id) == object_id
    expected = AnswerStatus.NOT_YET_SEEN if object_id is None else AnswerStatus.AMBIGUOUS
    assert answer.status is expected  # other words are a guess, however good


def test_encoder_fetches_nothing(encoder: WordEncoder, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*given: object) -> None:
        raise AssertionError(f'the network was asked for {given}')

    monkeypatch.setattr(socket.socket, 'connect', refused)
    found = importlib.util.find_spec('wordllama')
    assert found is not None
    assert found.submodule_search_locations

    WordEncoder(Path(found.submodule_search_locations[0])).encode(['mug'])


# Where it is not installed, or is something else.


@pytest.fixture
def asked_anew() -> Iterator[None]:
    """Let the package be looked for again, here and after the test."""
    word_encoder.cache_clear()
    yield
    word_encoder.cache_clear()


@pytest.mark.usefixtures('asked_anew')
def test_without_the_package_there_is_no_encoder(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(module.importlib.util, 'find_spec', lambda name: None)

    assert word_encoder() is None
    assert caplog.messages == []  # it is an extra: nothing is wrong


@pytest.mark.usefixtures('asked_anew')
@pytest.mark.parametrize('damage', ['missing', 'weights', 'tokenizer'])
def test_damaged_package_is_said_once_and_words_must_occur(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    damage: str,
) -> None:
    pytest.importorskip('tokenizers', reason='needs the extra words')
    if damage != 'missing':
        for name in (module._WEIGHTS, module._TOKENIZER):
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_bytes(b'cut short')
    if damage == 'tokenizer':
        from safetensors.numpy import save_file

        rows = np.zeros((4, 8), dtype=np.float32)
        save_file({'embedding.weight': rows}, str(tmp_path / module._WEIGHTS))
    spec = importlib.util.spec_from_file_location('wordllama', tmp_path / '__init__.py')
    assert spec is not None
    spec.submodule_search_locations = [str(tmp_path)]
    monkeypatch.setattr(module.importlib.util, 'find_spec', lambda name: spec)

    assert word_encoder() is None
    assert word_encoder() is None

    (line,) = caplog.messages
    assert line.startswith(f'free text is compared by its words, not by meaning: {tmp_path}')
    store = commit(InMemoryStore(), 1, ObjectState('cup_1', 'tea cup', 0, world_p=(1.0, 0.0, 0.0)))
    found = locate(store, Selector(text='cups', encoder=word_encoder()))
    assert found.object is not None
    assert found.object.object_id == 'cup_1'


def test_folder_without_the_files_names_the_one_that_is_missing(tmp_path: Path) -> None:
    pytest.importorskip('tokenizers', reason='needs the extra words')
    with pytest.raises(ConfigError, match=r'l2_supercat_256\.safetensors: expected a file'):
        WordEncoder(tmp_path)


def test_files_that_are_something_else_are_an_error(tmp_path: Path) -> None:
    pytest.importorskip('tokenizers', reason='needs the extra words')
    for name in (
        'weights/l2_supercat_256.safetensors',
        'tokenizers/l2_supercat_tokenizer_config.json',
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(json.dumps({'no': 'weights'}), encoding='utf-8')
    with pytest.raises(ConfigError, match='not the files of wordllama'):
        WordEncoder(tmp_path)


def test_missing_library_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, 'tokenizers', None)
    with pytest.raises(ConfigError, match='install the extra words'):
        WordEncoder(tmp_path)
