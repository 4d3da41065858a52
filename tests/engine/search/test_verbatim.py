"""Texts that stand in the source as they are: the file that holds one comes first, with its holes filled or not."""

from collections.abc import Iterator

import pytest

from tests.engine.support import Desk, desk_on
from tests.repo.gitrepo import make_repo

RAISING = '''"""Reads the ledger."""


def load_entry(name, row):
    if not name:
        raise LookupError("the ledger has no page for an empty name")
    if row < 0:
        raise ValueError(f"row {row} lies before the first line of {name!r}")
    return open(name)


def merge(one, two):
    if one.kind != two.kind:
        raise TypeError(
            "two ledgers of different kinds"
            " can not be merged into a single one"
        )
    raise RuntimeError("Column %s was seen %d times in the head" % (one, two))
'''
RUST = """pub fn seal(count: usize) {
    if count == 0 {
        panic!("a sealed envelope needs at least {} letters", count);
    }
}
"""


def _noise() -> dict[str, str]:
    """Files whose names and texts are made of the same words, in other orders."""
    files = {}
    for number in range(12):
        files[f"ledger/page_{number}.py"] = (
            f"class LedgerPage{number}:\n    '''A page of the ledger: name, row, column, head and kinds.'''\n\n"
            f"    def first_line(self, name, row):\n        '''The first line of a page by its name.'''\n"
            f"        return self.ledger.merge(name, row)\n\n\ndef merge_ledgers_{number}(ledgers, kinds):\n"
            f"    # different ledgers are merged by their kinds, a single page at a time\n    return ledgers, kinds\n"
        )
        files[f"docs/envelope_{number}.md"] = f"# Envelope {number}\n\nLetters are sealed in it, at least some.\n"
    return files


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    base = tmp_path_factory.mktemp("verbatim")
    files = {"core/reading.py": RAISING, "core/seal.rs": RUST, **_noise()}
    with desk_on(make_repo(base / "repo", files), base / "data") as desk:
        desk.index()
        yield desk


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("the ledger has no page for an empty name", "core/reading.py"),
        ('"the ledger has no page for an empty name"', "core/reading.py"),
        ("LookupError: the ledger has no page for an empty name", "core/reading.py"),
        ("row {row} lies before the first line of {name!r}", "core/reading.py"),
        ("row 7 lies before the first line of 'spring'", "core/reading.py"),
        ("ValueError: row -1 lies before the first line of 'a.txt'", "core/reading.py"),
        ("two ledgers of different kinds can not be merged into a single one", "core/reading.py"),
        ("Column %s was seen %d times in the head", "core/reading.py"),
        ("Column price was seen 3 times in the head", "core/reading.py"),
        ('"Column price was seen 3 times in the head"', "core/reading.py"),
        ("a sealed envelope needs at least {} letters", "core/seal.rs"),
        ("thread 'main' panicked: a sealed envelope needs at least 0 letters", "core/seal.rs"),
    ],
)
def test_a_text_that_stands_somewhere_comes_first(ledger: Desk, text: str, path: str) -> None:
    """SEARCH-VERBATIM: as written, with holes filled, in quotes, behind the name of an exception, over two lines."""
    hits = ledger.search(text, limit=3).hits
    assert hits and hits[0].path == path, [(hit.path, hit.score) for hit in hits]
    assert 0 <= hits[0].score <= 1


@pytest.mark.parametrize("text", ["how are ledgers of different kinds merged", "where is the first line of a page"])
def test_a_question_is_no_quotation(ledger: Desk, text: str) -> None:
    """SEARCH-VERBATIM: what only shares words with a message is ranked as before."""
    found = ledger.search(text, limit=5)
    assert found.intent == "natural_language"
    assert found.hits[0].path != "core/seal.rs"


SPELLED = {
    "paint/colours.py": "def normalise_colour(value):\n    '''Initialise the catalogue of favourite colours.'''\n",
    "paint/other.py": "def four_hours(value):\n    '''Waits for an hour, then for four more.'''\n",
    "paint/plain.py": "def plain(value):\n    return value\n",
}


@pytest.mark.parametrize(
    "text",
    ["normalize color", "how are colors normalized", "initialize the catalog", "favorite color", "normalise colour"],
)
def test_either_spelling_finds_the_other(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    """SEARCH-SPELLING: British and American spelling are one word, and no other words are."""
    base = tmp_path_factory.mktemp("spelling")
    with desk_on(make_repo(base / "repo", SPELLED), base / "data") as desk:
        desk.index()
        assert desk.paths(text)[0] == "paint/colours.py"
        assert "paint/other.py" not in desk.paths("hor")
