"""Caret-commented case files: expectations stand in the sample, under the code they speak of.

A case file is ordinary source. Comment lines that hold a caret (`^`, or `<-` for column 0) are expectations about the
last code line above and are removed before parsing; `== title` opens a construct. Forms after the caret:

    def KIND [scope=X] [vis=V] [sig="…"] [doc="…"] [end=+N]     a definition whose name starts here
    ref ROLE [owner=NAME] [recv="…"]                            a reference here
    import module="…" [name="…"] [alias="…"]                    an import on this line
    comment | doc                                               prose that starts on this line
    none                                                        nothing here

Every definition of the file must be expected, so an invented symbol fails as surely as a missed one.
"""

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

import pytest

from codecompass.languages.formats.embedded_languages import extract_with_embedded
from codecompass.languages.registry import Registry
from codecompass.model.code.facts import Facts

CASES = Path(__file__).parent / "cases"
OPEN, CLOSE = r"\s*\"?\s*(?:#|//|--|/\*|\(\*|;|<!--)\s*", r"\s*(?:\*/|\*\)|-->)?\s*(?:\\n\",?)?\s*$"
"""What is before and after the words of a comment; a line of a program may stand in a string of its own."""
MARK = re.compile(rf"^(?P<lead>{OPEN})(?:(?P<caret>\^)|<-)\s*(?P<rest>.*?){CLOSE}")
TITLE = re.compile(rf"^{OPEN}==\s*(?P<title>.*?){CLOSE}")
REGISTRY = Registry()
MINIMUM_CONSTRUCTS = 15
FEWER_CONSTRUCTS = {
    "scss": 10, "notebook": 10, "json": 10, "yaml": 10, "toml": 10, "ini": 10, "rst": 10, "asciidoc": 10,
    "dockerfile": 10, "make": 10, "cmake": 10, "hcl": 10, "proto": 10, "graphql": 10,
}  # fmt: skip
"""Languages that hold little of their own beside another that is proved, and formats of few constructs."""


@dataclass(frozen=True)
class Expectation:
    section: str
    line: int
    col: int
    form: str
    words: tuple[str, ...]
    fields: dict[str, str]


def read_case(path: Path) -> tuple[bytes, list[Expectation]]:
    code: list[str] = []
    expected: list[Expectation] = []
    section = "file"
    for raw in path.read_text(encoding="utf-8").splitlines():
        title, mark = TITLE.match(raw), MARK.match(raw)
        if title:
            section = title["title"]
        elif mark:
            words = shlex.split(mark["rest"])
            fields = dict(word.split("=", 1) for word in words if "=" in word)
            plain = tuple(word for word in words if "=" not in word)
            col = raw.index("^") if mark["caret"] else len(raw) - len(raw.lstrip(' \t"'))
            expected.append(Expectation(section, len(code), col, plain[0], plain[1:], fields))
        else:
            code.append(raw)
    return ("\n".join(code) + "\n").encode(), expected


FILES = sorted(path for path in CASES.rglob("*") if path.is_file())
PARSED = {path: read_case(path) for path in FILES}
FACTS: dict[Path, Facts] = {}
SECTIONS = [
    (path, section) for path, (_, rows) in PARSED.items() for section in dict.fromkeys(row.section for row in rows)
]


def facts_of(path: Path) -> Facts:
    if path not in FACTS:
        language = REGISTRY.get(REGISTRY.detect(path.name))
        assert language is not None, f"no language claims {path.name}"
        FACTS[path] = extract_with_embedded(REGISTRY, language, PARSED[path][0])
    return FACTS[path]


def check(facts: Facts, want: Expectation) -> str:
    """An empty string when the expectation holds, else what was found."""
    names = [item.name for item in facts.definitions]
    definition = next((d for d in facts.definitions if (d.name_line, d.name_col) == (want.line, want.col)), None)
    reference = next((r for r in facts.references if (r.line, r.col) == (want.line, want.col)), None)
    if want.form == "def":
        if definition is None:
            return "no definition there"
        have = {
            "kind": definition.kind, "scope": definition.scope, "vis": definition.visibility,
            "sig": definition.signature, "doc": definition.doc, "end": f"+{definition.line_end - want.line}",
        }  # fmt: skip
        need = {"kind": want.words[0], **want.fields}
    elif want.form == "ref":
        if reference is None:
            return "no reference there"
        owner = names[reference.owner] if reference.owner >= 0 else ""
        have = {"role": reference.role, "owner": owner, "recv": reference.receiver.lstrip("~") or reference.receiver}
        need = {"role": want.words[0], **want.fields}
    elif want.form == "import":
        rows = [item for item in facts.imports if item.line == want.line]
        wanted = tuple(want.fields.get(key, "") for key in ("module", "name", "alias"))
        return "" if any((row.module, row.name, row.alias) == wanted for row in rows) else f"imports there: {rows}"
    elif want.form in ("comment", "doc"):
        return (
            ""
            if any((c.line_start, c.is_doc) == (want.line, want.form == "doc") for c in facts.comments)
            else "no such"
        )
    elif want.form == "none":
        return f"found {definition or reference}" if definition or reference else ""
    else:
        return f"unknown form {want.form!r}"
    wrong = {key: have[key] for key in need if have[key] != need[key]}
    return f"got {wrong}" if wrong else ""


@pytest.mark.parametrize(("path", "section"), SECTIONS, ids=lambda v: v.name if isinstance(v, Path) else v)
def test_construct(path: Path, section: str) -> None:
    """LANG-CASES: every construct yields exactly the facts its carets state."""
    facts = facts_of(path)
    rows = [row for row in PARSED[path][1] if row.section == section]
    failures = [f"{path.name}:{row.line}:{row.col} {row.form} {row.words} {row.fields}: {said}"
                for row in rows if (said := check(facts, row))]  # fmt: skip
    assert not failures, "\n".join(failures)


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.name)
def test_no_definition_is_unexpected(path: Path) -> None:
    """LANG-CASES: nothing is invented: each definition found is one the case file names."""
    expected = {(row.line, row.col) for row in PARSED[path][1] if row.form == "def"}
    extra = [d for d in facts_of(path).definitions if (d.name_line, d.name_col) not in expected]
    assert not extra, "\n".join(f"{path.name}:{d.name_line}:{d.name_col} {d.kind} {d.name}" for d in extra)


@pytest.mark.parametrize("language", sorted(REGISTRY.languages))
def test_enough_constructs(language: str) -> None:
    """LANG-COUNT: each language proves at least fifteen constructs."""
    titles = {title for path, title in SECTIONS if REGISTRY.detect(path.name) == language}
    assert len(titles) >= FEWER_CONSTRUCTS.get(language, MINIMUM_CONSTRUCTS), f"{language} has {len(titles)} constructs"
