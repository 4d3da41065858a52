"""Ranking where files tell little: single functions under numbers, asked for in the words of people."""

from collections.abc import Iterator

import pytest

from tests.engine.search.test_explain import ask
from tests.engine.support import Desk, desk_on
from tests.repo.gitrepo import make_repo

FILES = {
    "00/01.py": "def turn(items):\n    # reversed list, python has a slice for it\n    return items[::-1]\n",
    "00/02.py": "def shown(version):\n    # python of the host\n    return f'python {version} by python'\n",
    "00/03.py": "def lines_of(name):\n    # open the file and read it to its end\n    return open(name).read()\n",
    "00/04.py": "def take(sock):\n    # open the socket and read it to its end\n    return sock.read()\n",
    "00/05.py": "def size(items):\n    # how long a list is\n    return len(items)\n",
    "00/06.py": "def list_length(items):\n    # how long a list is\n    return len(items)\n",
    **{f"01/{at:02}.py": f"def n{at}(box):\n    return box.size() + list_length(box) + {at}\n" for at in range(9)},
}


@pytest.fixture(scope="module")
def snippets(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    base = tmp_path_factory.mktemp("snippets")
    with desk_on(make_repo(base / "repo", FILES), base / "data") as desk:
        desk.index()
        yield desk


def referred(desk: Desk, path: str) -> float:
    said = ask(desk, "explain_ranking", query="how long a list is", path=path, line=1)
    value: float = said["scoring"]["definition_boost"]["parts"]["referred"]["value"]
    return value


def test_a_plain_word_is_mentioned_by_chance(snippets: Desk) -> None:
    """RANK-BARE: who writes `size` may mean any size; who writes `list_length` means that one."""
    assert referred(snippets, "00/05.py") == 0.0 < referred(snippets, "00/06.py")


@pytest.mark.parametrize(("query", "path"), [("read a file", "00/03.py"), ("get the file to read", "00/03.py")])
def test_words_that_code_is_made_of_count(snippets: Desk, query: str, path: str) -> None:
    """RANK-BARE: `file` may be just what tells one place from another."""
    assert snippets.paths(query)[0] == path


@pytest.mark.parametrize("query", ["python reverse a list", "reverse a list in python", "reverse a list py"])
def test_the_language_of_all_files_says_nothing(snippets: Desk, query: str) -> None:
    """RANK-BARE: the name of the language that most files are in tells none of them from the others."""
    assert snippets.paths(query)[:3] == snippets.paths("reverse a list")[:3]
    assert "00/02.py" not in snippets.paths(query)[:2]


def test_the_language_is_asked_for_where_nothing_else_is(snippets: Desk) -> None:
    """RANK-BARE: a question that is nothing but the language's name is answered by the places that say it."""
    assert snippets.paths("the python")[0] == "00/02.py"


def test_other_languages_are_words(tmp_path_factory: pytest.TempPathFactory) -> None:
    """RANK-BARE: where no language has most of the files, the name of one is a word like any other."""
    base = tmp_path_factory.mktemp("mixed")
    files = {f"{at}.go": f"package p{at}\n\nfunc List{at}() int {{ return {at} }}\n" for at in range(len(FILES))}
    with desk_on(make_repo(base / "repo", FILES | files), base / "data") as desk:
        desk.index()
        assert desk.paths("python of a list")[0] == "00/01.py"


def test_a_plain_word_of_a_sentence_asks_for_no_name(snippets: Desk) -> None:
    """RANK-BARE: `size` within a sentence says no more of a function called so than a part of a longer name does."""
    said = ask(snippets, "explain_ranking", query="what size a long list has", path="00/05.py", line=1)
    parts = said["scoring"]["exact_match_boost"]["parts"] | said["scoring"]["definition_boost"]["parts"]
    assert 0.0 < parts["name"]["value"] < 0.5 and parts["definition"]["value"] == 0.5
    said = ask(snippets, "explain_ranking", query="size", path="00/05.py", line=1)
    assert said["scoring"]["exact_match_boost"]["parts"]["name"]["value"] == 1.0
