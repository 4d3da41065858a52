"""Static models: files are checked before they are used, and the same text always gives the same vector."""

from pathlib import Path

import numpy as np
import pytest

from codecompass.embed.static_model import PieceLookup, open_static
from codecompass.embed.weights_file import hash_weights, pack_weights, read_weights
from codecompass.errors import Failure

WORDS = ("parse", "json", "open", "file")


def write_model(directory: Path) -> Path:
    chance = np.random.default_rng(3)
    table = chance.integers(-127, 128, (len(WORDS) + 16, 8)).astype(np.int8)
    path = directory / "tiny.ccvec"
    path.write_bytes(pack_weights("tiny", WORDS, np.full(len(table), 0.01, np.float32), table))
    return path


def test_what_is_packed_is_read(tmp_path: Path) -> None:
    """EMBED-FILE: a file of weights gives back its name, its words and its numbers."""
    path = write_model(tmp_path)
    weights = read_weights(path, hash_weights(path.read_bytes()))
    assert (weights.name, weights.vocabulary, weights.buckets, weights.table.shape) == ("tiny", WORDS, 16, (20, 8))
    model = open_static(path)
    assert (model.name, model.dimensions, model.digest) == ("tiny", 8, hash_weights(path.read_bytes()))


@pytest.mark.parametrize("at", [0, 9, 20, -1])
def test_a_changed_byte_is_refused(tmp_path: Path, at: int) -> None:
    """EMBED-FILE: one wrong byte anywhere is noticed."""
    path = write_model(tmp_path)
    expected = hash_weights(path.read_bytes())
    data = bytearray(path.read_bytes())
    data[at] ^= 1
    path.write_bytes(data)
    with pytest.raises(Failure) as refusal:
        open_static(path, expected)
    assert refusal.value.code == "CAPABILITY_MISSING"
    assert str(tmp_path) not in refusal.value.message


@pytest.mark.parametrize("length", [0, 5, 13, 40, 200])
def test_a_cut_file_is_refused(tmp_path: Path, length: int) -> None:
    """EMBED-FILE: a file that ends too early is refused even when nobody knows its checksum."""
    path = write_model(tmp_path)
    path.write_bytes(path.read_bytes()[:length])
    with pytest.raises(Failure, match="cannot be used"):
        open_static(path)


def test_a_missing_file_is_said_to_be_missing(tmp_path: Path) -> None:
    """EMBED-FILE: no model is a failure with a way out, never made-up vectors."""
    with pytest.raises(Failure, match="Search by words works without it"):
        open_static(tmp_path / "none.ccvec")


def test_vectors_do_not_depend_on_company(tmp_path: Path) -> None:
    """EMBED-SAME: alone or among others, now or later, a text has one vector of length one."""
    texts = ["parseJson(file)", "open_file open_file", "fileOpener unseen words", "def f(x): return 1"]
    together = open_static(write_model(tmp_path)).encode(texts)
    model = open_static(write_model(tmp_path))
    alone = np.concatenate([model.encode([text]) for text in reversed(texts)])[::-1]
    assert np.array_equal(together, alone)
    assert np.allclose(np.linalg.norm(together, axis=1), 1, atol=1e-6)


@pytest.mark.parametrize("text", ["", "  \n", "1 + 2", "日本語", "\x00\ud800", "x" * 5_000])
def test_nothing_known_is_the_zero_vector(tmp_path: Path, text: str) -> None:
    """EMBED-SAME: a text without a word is similar to nothing, and nothing breaks."""
    assert not open_static(write_model(tmp_path)).encode([text]).any()


def test_no_texts_give_no_rows(tmp_path: Path) -> None:
    """EMBED-SAME: an empty batch is an empty answer."""
    assert open_static(write_model(tmp_path)).encode([]).shape == (0, 8)


def test_words_are_cut_as_the_index_cuts_them() -> None:
    """EMBED-PIECES: identifiers fall into their parts; a word said four times counts twice."""
    rows, weights = PieceLookup(WORDS, 16).find_weighted_rows("parseJSON open_file file2 file file file file 17 x")
    counted = sorted(zip(rows, weights, strict=True))
    assert counted == [(0, 1.0), (1, 1.0), (2, 1.0), (3, 1.0), (3, 1.0), (3, 2.0)]
