"""Registry: which language a file is in, and the compiled grammar and queries of each language."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from tree_sitter import Language as TreeSitterLanguage
from tree_sitter import Parser, Query
from tree_sitter_language_pack import get_language

from codecompass.languages.spec import LanguageSpec, load_spec

DATA = Path(__file__).parent / "data"


@dataclass
class Language:
    """A spec with its parser and query; both are made on first use, because a query takes milliseconds to compile."""

    spec: LanguageSpec

    @cached_property
    def parser(self) -> Parser:
        return Parser(_grammar(self.spec.grammar))

    @cached_property
    def query(self) -> Query:
        wrappers = "".join(f"({name}) @wrapper\n" for name in self.spec.wrappers)
        return Query(_grammar(self.spec.grammar), _query_text(self.spec.directory, "tags.scm") + "\n" + wrappers)

    @cached_property
    def keywords(self) -> frozenset[bytes]:
        """The words the grammar knows by themselves."""
        grammar = _grammar(self.spec.grammar)
        shown = [at for at in range(grammar.node_kind_count) if grammar.node_kind_is_visible(at)]
        kinds = {grammar.node_kind_for_id(at) for at in shown if not grammar.node_kind_is_named(at)}
        return frozenset(kind.encode() for kind in kinds if kind and kind.isidentifier())

    @cached_property
    def item_macros(self) -> Query | None:
        return Query(_grammar(self.spec.grammar), self.spec.item_macros) if self.spec.item_macros else None

    @cached_property
    def names(self) -> Query:
        """Every name in a source, and which of them are bound inside a function."""
        return Query(_grammar(self.spec.grammar), _query_text(self.spec.directory, "names.scm"))


def _grammar(name: str) -> TreeSitterLanguage:
    # The pack types its argument as the literal names it knows; ours come from data and are checked by doctor.
    return get_language(name)  # type: ignore[arg-type]


def _query_text(directory: Path, name: str) -> str:
    """The text of a query file; a first line `; inherits: language` puts another language's text before it."""
    path = directory / name
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    first = text.split("\n", 1)[0]
    if first.startswith("; inherits:"):
        return _query_text(directory.parent / first.removeprefix("; inherits:").strip(), name) + "\n" + text
    return text


class Registry:
    """All languages, looked up by name, extension, file name or shebang."""

    def __init__(self, directory: Path = DATA) -> None:
        specs = [load_spec(child) for child in sorted(directory.iterdir()) if (child / "language.toml").exists()]
        self.languages = {spec.name: Language(spec) for spec in specs}
        self._by_extension = {ext: spec.name for spec in specs for ext in spec.extensions}
        self._by_filename = {name: spec.name for spec in specs for name in spec.filenames}
        self._by_shebang = {word: spec.name for spec in specs for word in spec.shebangs}
        self._by_alias = {alias: spec.name for spec in specs for alias in (*spec.aliases, spec.name)}

    def detect(self, path: str, head: bytes = b"") -> str:
        """The language of a file from its path and first bytes, or an empty string for plain text."""
        name = path.rpartition("/")[2]
        stem, dot, ending = name.rpartition(".")
        found = self._by_filename.get(name) or (self._by_extension.get(dot + ending.lower()) if stem else None)
        if not found and head.startswith(b"#!"):
            words = head.split(b"\n", 1)[0][2:].decode("latin-1").split()
            programs = [word.rsplit("/", 1)[-1].rstrip("0123456789.") for word in words if not word.startswith("-")]
            found = next((self._by_shebang[word] for word in programs if word in self._by_shebang), "")
        return found or ""

    def canonical(self, spelling: str) -> str | None:
        """The name of a language in any accepted spelling (`ts`, `c++`), or None."""
        return self._by_alias.get(spelling.strip().lower())

    def shown_name(self, name: str) -> str:
        """The name under which answers show a language; empty for plain text."""
        language = self.languages.get(name)
        return language.spec.report_as or name if language else ""

    def get(self, name: str) -> Language | None:
        return self.languages.get(name)
