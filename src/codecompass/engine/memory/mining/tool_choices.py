"""Tool choices: extract which tool a text says the project uses for a slot; different tools in one slot conflict."""

import re

TOOL_SLOTS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("JavaScript package manager", ("npm", "yarn", "pnpm", "bun")),
    ("Python package manager", ("poetry", "uv", "pipenv", "pdm", "conda")),
    ("JavaScript test runner", ("jest", "vitest", "mocha", "ava", "jasmine")),
    ("Python test runner", ("pytest", "unittest", "nose")),
    ("Python formatter", ("black", "yapf", "autopep8", "ruff format")),
    ("database", ("postgres", "postgresql", "mysql", "mariadb", "mongodb", "sqlite", "cockroachdb")),
    ("JavaScript bundler", ("webpack", "rollup", "vite", "esbuild", "parcel", "turbopack")),
    ("build tool of the JVM", ("gradle", "maven", "sbt", "bazel")),
)
_TOOL_ALIASES = {"postgresql": "postgres"}
_SLOT_BY_TOOL = {value: slot for slot, values in TOOL_SLOTS for value in values}
_ANY_TOOL = "|".join(sorted(map(re.escape, _SLOT_BY_TOOL), key=len, reverse=True))
_USAGE_VERBS = (
    r"(?:use[sd]?|using|with|via|run|through|by|on|is|are|chose|adopt(?:ed)?|switch(?:ed)? to|migrated? to|prefer)"
)
_TOOL_USAGE = re.compile(
    rf"(?P<no>\b(?:not|never|don['’]t|no longer|instead of|rather than|replaces?|from|over)\s+(?:use\s+|run\s+)?)?"
    rf"(?:\b{_USAGE_VERBS}\s+(?:the\s+|a\s+|an\s+)?[`'\"]?|[`$]\s?)(?P<word>{_ANY_TOOL})\b(?!\.)",
    re.IGNORECASE,
)


def extract_tool_choices(text: str) -> tuple[tuple[str, str], ...]:
    """Return (slot, tool) for each tool that a text says is used; a slot with two tools is left out."""
    found: dict[str, set[str]] = {}
    plain = text.casefold()
    # Few texts name a tool, and the regular expression is slow.
    if not any(word in plain for word in _SLOT_BY_TOOL):
        return ()
    for match in _TOOL_USAGE.finditer(text):
        if not match["no"]:
            word = match["word"].lower()
            found.setdefault(_SLOT_BY_TOOL[word], set()).add(_TOOL_ALIASES.get(word, word))
    return tuple((slot, next(iter(values))) for slot, values in sorted(found.items()) if len(values) == 1)
