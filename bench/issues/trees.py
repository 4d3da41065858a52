"""Trees: the commit that all questions of one repository are asked on, checked out and indexed once."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.copies import git
from bench.issues.labels import Label, clean, is_source, name_of, read_labels
from bench.ours import engine_on
from codecompass.engine.engine import Engine
from codecompass.engine.index.blob_parser import ParserContext, parse_blob
from codecompass.engine.index.parse_task import ParseTask
from codecompass.languages.registry import Registry
from codecompass.model.call import Call
from codecompass.model.code.kinds import CALLABLE
from codecompass.store.fact_codec import unpack_facts

TUNE = ("rails/rails", "python/mypy", "astral-sh/uv", "curl/curl", "nestjs/nest", "golang/tools")
"""Repositories that ranking may be changed with; the others are held out."""


@dataclass(frozen=True, slots=True)
class Place:
    """One function of a tree."""

    path: str
    name: str
    first: int
    last: int
    text: str

    @property
    def key(self) -> str:
        return f"{self.path}#{self.name}"


@dataclass(frozen=True, slots=True)
class Issue:
    """One question: its text, the files to find, and the functions that this tree has of those to find."""

    text: str
    files: frozenset[str]
    functions: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class Tree:
    """One repository at one commit: its sources by path, their functions, and what is asked."""

    name: str
    texts: dict[str, str]
    functions: dict[str, Place]
    issues: tuple[Issue, ...]


def choose(half: str) -> dict[str, list[Label]]:
    """The labels of one half by repository."""
    found: dict[str, list[Label]] = {}
    for label in read_labels():
        if half == "all" or (label.repo in TUNE) == (half == "tune"):
            found.setdefault(label.repo, []).append(label)
    return found


def check_out(mirror: Path, base: str, root: Path) -> None:
    if not (root / ".git").exists():
        git(root.parent, "clone", "--quiet", "--shared", "--no-checkout", str(mirror.resolve()), str(root))
        git(root, "checkout", "--quiet", "--detach", base)


def read_tree(name: str, root: Path, mirror: Path, labels: list[Label]) -> Tree:
    """Parse the source files of a tree; tests and documents are dropped."""
    registry = Registry()
    parser = ParserContext(registry)
    texts: dict[str, str] = {}
    functions: dict[str, Place] = {}
    for path in git(root, "ls-files").split("\n"):
        language, file = registry.detect(path), root / path
        if not language or not is_source(path) or file.is_symlink() or not file.is_file():
            continue
        data = file.read_bytes()
        if len(data) > 1_000_000:
            continue
        texts[path] = data.decode("utf-8", "replace")
        lines = texts[path].split("\n")
        for one in unpack_facts(parse_blob(parser, ParseTask(language, path, (), data)).packs[0]).definitions:
            if one.kind in CALLABLE:
                body = "\n".join(lines[one.line_start - 1 : one.line_end])
                place = Place(path, name_of(one), one.line_start, one.line_end, body)
                functions.setdefault(place.key, place)
    issues = []
    for label in labels:
        text = clean(git(mirror, "log", "-1", "--format=%B", label.commit))
        known = tuple(functions[key] for key in label.functions if key in functions)
        issues.append(Issue(text, frozenset(label.files), known))
    return Tree(name, texts, functions, tuple(issues))


@contextmanager
def open_tree(root: Path, data: Path, model: str) -> Iterator[Engine]:
    """An engine on a checked out tree; it is indexed when it is opened first."""
    with engine_on(root, data / model, watch=False, model=model) as engine:
        engine.index(None, None, force=False, call=Call())
        yield engine
