"""Caret-commented repositories: what each marked name means, through imports, scopes and types.

`cases/<language>/` is one repository. Comment lines that hold a caret speak of the last code line above and are removed
before indexing. Forms after the caret:

    -> [PATH] NAME      the name means this definition, and no other; without a path one of the same file; the places of
                        one thing, such as a declaration and its definition, stand with commas between
    ambiguous N         it may mean N definitions
    external            it is known to mean nothing of this repository
    unresolved          nothing is known of what stands before it
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from codecompass.languages.registry import Registry
from tests.engine.support import Desk, desk_on
from tests.repo.gitrepo import make_repo

CASES = Path(__file__).parent / "cases"
MARK = re.compile(r"^\s*(?:#|//|--|/\*|\(\*|<!--)\s*\^\s*(?P<rest>.*?)\s*(?:\*/|\*\)|-->)?\s*$")
SEPARATORS = re.compile(r"::|[ .#/\\]")
LANGUAGES = sorted(path.name for path in CASES.iterdir())
MINIMUM_MARKS = 20


@dataclass(frozen=True)
class Mark:
    path: str
    line: int
    column: int
    said: str


def read_marks(root: Path) -> tuple[dict[str, str], list[Mark]]:
    """The files without their marks, and the marks."""
    files: dict[str, str] = {}
    marks: list[Mark] = []
    for path in sorted(item for item in root.rglob("*") if item.is_file()):
        name = path.relative_to(root).as_posix()
        code: list[str] = []
        for raw in path.read_text(encoding="utf-8").splitlines():
            found = MARK.match(raw)
            if found:
                marks.append(Mark(name, len(code), raw.index("^"), found["rest"]))
            else:
                code.append(raw)
        files[name] = "\n".join(code) + "\n"
    return files, marks


@pytest.fixture(scope="module", params=LANGUAGES)
def repository(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Desk, str]]:
    root = tmp_path_factory.mktemp(request.param)
    repo = make_repo(root / "repo", read_marks(CASES / request.param)[0])
    with desk_on(repo, root / "data") as desk:
        desk.index()
        yield desk, request.param


def ends_with(qualified: str, name: str) -> bool:
    own, wanted = ([part for part in SEPARATORS.split(text) if part] for text in (qualified, name))
    return own[-len(wanted) :] == wanted


def wrong(desk: Desk, mark: Mark) -> str:
    """What was found instead, or an empty string."""
    status, nodes = desk.engine.definition_at(None, mark.path, mark.line, mark.column)
    names = [(node.path, node.qualified_name) for node in nodes]
    found = f"{mark.path}:{mark.line}:{mark.column} {mark.said!r}: {status} {names}"
    if not mark.said.startswith("->"):
        word, _, count = mark.said.partition(" ")
        return "" if status == word and (not count or len(nodes) == int(count)) else found
    said = [words if len(words) > 1 else [mark.path, *words] for words in map(str.split, mark.said[2:].split(","))]
    met = [
        [at for at, (path, name) in enumerate(said) if where == path and ends_with(own, name)] for where, own in names
    ]
    fits = all(met) and {at for places in met for at in places} == set(range(len(said)))
    return "" if fits and status == "resolved" else found


def test_every_marked_name_means_what_it_says(repository: tuple[Desk, str]) -> None:
    """NAV-RESOLVE: names are followed through imports, scopes and types to their definitions, and never guessed."""
    desk, language = repository
    failures = [said for mark in read_marks(CASES / language)[1] if (said := wrong(desk, mark))]
    assert not failures, "\n".join(failures)


@pytest.mark.parametrize("language", LANGUAGES)
def test_enough_marks(language: str) -> None:
    """NAV-LANGUAGES: every language whose names are followed proves its cross-file resolution."""
    assert len(read_marks(CASES / language)[1]) >= MINIMUM_MARKS


def test_no_language_is_left_out() -> None:
    """NAV-LANGUAGES: what sees names of other files, or knows what names stand for, has its marks."""
    registry = Registry()
    followed = {
        registry.display_name(name)
        for name, language in registry.languages.items()
        if language.spec.resolve.reach != "file" or "@binding." in language.read_query("tags.scm")
    }
    assert followed <= set(LANGUAGES), sorted(followed - set(LANGUAGES))
