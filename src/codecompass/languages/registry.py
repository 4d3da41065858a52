"""Language registry: detection, and the compiled grammar and queries of each language."""

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from tree_sitter import Language as TreeSitterLanguage
from tree_sitter import Parser, Query
from tree_sitter_language_pack import get_language

from codecompass.languages.detection import LanguageDetector
from codecompass.languages.formats.line_formats import LineReader
from codecompass.languages.language_catalog import read_catalog
from codecompass.languages.language_spec import LanguageSpec, load_spec
from codecompass.languages.taint.risk_rules import RiskRules
from codecompass.text.documents import is_document

DATA = Path(__file__).parent / "data"


@dataclass
class Language:
    """A language with its parser and queries, each built on first use because that takes milliseconds."""

    directory: Path
    rules: RiskRules | None = None

    @cached_property
    def spec(self) -> LanguageSpec:
        return load_spec(self.directory)

    def read_query(self, name: str) -> str:
        """Return the text of a query file with inherited files; empty if there is none."""
        return _read_query(self.directory, name)

    @cached_property
    def line_reader(self) -> LineReader | None:
        """The reader for a format without a grammar."""
        return LineReader(self.spec) if self.spec.lines else None

    @cached_property
    def parser(self) -> Parser:
        return Parser(_load_grammar(self.spec.grammar))

    @cached_property
    def query(self) -> Query:
        wrappers = "".join(f"({name}) @wrapper\n" for name in self.spec.wrappers)
        texts = [_read_query(self.spec.directory, name) for name in ("tags.scm", "embed.scm")]
        return Query(_load_grammar(self.spec.grammar), "\n".join([*texts, wrappers]))

    @cached_property
    def keywords(self) -> frozenset[bytes]:
        """The keywords of the grammar."""
        grammar = _load_grammar(self.spec.grammar)
        shown = [at for at in range(grammar.node_kind_count) if grammar.node_kind_is_visible(at)]
        kinds = {grammar.node_kind_for_id(at) for at in shown if not grammar.node_kind_is_named(at)}
        return frozenset(kind.encode() for kind in kinds if kind and kind.isidentifier())

    @cached_property
    def chain_patterns(self) -> tuple[re.Pattern[bytes], re.Pattern[bytes]]:
        """Patterns for a chain of names that ends with a joint, and for a joint."""
        joints = self.spec.joints
        joint = "|".join(re.escape(sign) + ("+" if sign == "::" else "") for sign in joints)
        name = r"[A-Za-z_][\w']*" if "." in joints else r"[A-Za-z_.][\w.]*"
        run = re.compile(f"({name}(?:(?:{joint}){name})*)(?:{joint})\\Z".encode())
        return run, re.compile(joint.encode())

    @cached_property
    def statements(self) -> tuple[tuple[re.Pattern[bytes], re.Pattern[bytes]], ...]:
        """Compiled `statements` of the spec."""
        return tuple((_compile_pattern(when), _compile_pattern(split)) for when, split in self.spec.statements)

    @cached_property
    def statement_heads(self) -> tuple[tuple[re.Pattern[bytes], str], ...]:
        return tuple((_compile_pattern(text), kind) for text, kind in self.spec.statement_heads)

    @cached_property
    def statement_uses(self) -> tuple[tuple[re.Pattern[bytes], str], ...]:
        return tuple((_compile_pattern(text), role) for text, role in self.spec.statement_uses)

    @cached_property
    def statement_member(self) -> re.Pattern[bytes]:
        return _compile_pattern(self.spec.statement_member)

    @cached_property
    def statement_blocks(self) -> re.Pattern[bytes]:
        return _compile_pattern(self.spec.statement_blocks)

    @cached_property
    def statement_body(self) -> re.Pattern[bytes]:
        return _compile_pattern(self.spec.statement_body)

    @cached_property
    def mends(self) -> tuple[tuple[re.Pattern[bytes], bytes], ...]:
        """Compiled `mends` of the spec."""
        return tuple((re.compile(text.encode(), re.MULTILINE), fill.encode()) for text, fill in self.spec.mends)

    @cached_property
    def misread(self) -> tuple[tuple[re.Pattern[bytes], bytes], ...]:
        """Compiled `misread` of the spec."""
        return tuple((re.compile(text.encode(), re.MULTILINE), fill.encode()) for text, fill in self.spec.misread)

    @cached_property
    def links(self) -> re.Pattern[bytes]:
        """Pattern for links; its first non-empty group is the target."""
        return re.compile(self.spec.links.encode())

    @cached_property
    def hazard(self) -> re.Pattern[bytes] | None:
        return re.compile(self.spec.hazard.encode(), re.MULTILINE) if self.spec.hazard else None

    @cached_property
    def magic(self) -> re.Pattern[bytes]:
        """Compiled `cell_magic` of the spec; matches nothing if it is empty."""
        return re.compile(self.spec.cell_magic.encode() or rb"(?!)")

    @cached_property
    def is_host(self) -> bool:
        """Whether it may contain text in other languages: see `embedded_languages.py`."""
        return self.spec.cells or bool(_read_query(self.spec.directory, "embed.scm"))

    @cached_property
    def flows_query(self) -> Query | None:
        """Query for value flows, if the language has one: see `value_flows.py`."""
        text = _read_query(self.spec.directory, "flows.scm")
        return Query(_load_grammar(self.spec.grammar), text) if text else None

    @cached_property
    def item_macros(self) -> Query | None:
        return Query(_load_grammar(self.spec.grammar), self.spec.item_macros) if self.spec.item_macros else None

    @cached_property
    def names_query(self) -> Query | None:
        """Query for all names, the names bound inside functions, and the traits of definitions."""
        text = "\n".join(_read_query(self.spec.directory, name) for name in ("names.scm", "facts.scm"))
        return Query(_load_grammar(self.spec.grammar), text) if text.strip() else None


def _compile_pattern(text: str) -> re.Pattern[bytes]:
    return re.compile(text.encode(), re.MULTILINE | re.DOTALL | re.IGNORECASE)


def _load_grammar(name: str) -> TreeSitterLanguage:
    # get_language accepts only literal names for the type checker; ours come from data and are checked by doctor.
    return get_language(name)  # type: ignore[arg-type]


def _read_query(directory: Path, name: str) -> str:
    """Read a query file; a first line `; inherits: language, other` prepends the files of these languages."""
    path = directory / name
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    first = text.split("\n", 1)[0]
    if first.startswith("; inherits:"):
        others = [other.strip() for other in first.removeprefix("; inherits:").split(",")]
        return "\n".join([*(_read_query(directory.parent / other, name) for other in others), text])
    return text


class Registry:
    """All languages by name, with language detection."""

    def __init__(self, directory: Path = DATA, rules: RiskRules | None = None) -> None:
        rules = rules or RiskRules()
        rows = read_catalog(directory)
        self.languages = {row.name: Language(directory / row.directory, rules) for row in rows}
        self._shown = {row.name: row.report_as or row.name for row in rows}
        self.linted_languages = frozenset(row.name for row in rows if row.linted)
        detection = LanguageDetector(rows)
        self.detect = detection.detect
        self._canonical = detection.resolve_name
        self.is_contested = detection.is_contested

    def resolve_name(self, spelling: str) -> str | None:
        """Return the language for any accepted spelling (`ts`, `c++`), or None."""
        word = spelling.strip().lower()
        return word if is_document(word) else self._canonical(spelling)

    def display_name(self, name: str) -> str:
        """Return the name of a language in answers; empty for plain text."""
        return name if is_document(name) else self._shown.get(name, "")

    def is_linted(self, name: str) -> bool:
        return name in self.linted_languages

    def get(self, name: str) -> Language | None:
        return self.languages.get(name)
