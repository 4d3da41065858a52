"""Template tags: text with tags of a template engine, which the parser of the host language cannot parse.

Tags are those of Jinja, Django, Twig and Liquid (`{% if x %}`, `{{ x }}`), Handlebars and Mustache (`{{#if x}}`), Go
(`{{ .Name }}`, `{{- range … }}`), and ERB and EJS (`<% … %>`). Parse errors at such tags are not reported.
"""

import re

from codecompass.languages.language_spec import LanguageSpec
from codecompass.model.code.facts import Facts

NOTE = "template"
"""The note of blobs without syntax errors because they are templates."""
_STATEMENT = re.compile(rb"\{%[-+~]?\s*[^%{}\n][^\n]*?%\}|<%[-=#@!]?[^\n]*?%>|^\s*<%[-=#]?\s*$", re.MULTILINE)
"""Tags that occur in no other language."""
_VALUE = re.compile(rb"\{\{\{?[-~#/^>!&]?\s*(?![\w\"']+\s*:)[\w.$@\"'(][^{}\n]*\}\}|\{#[^\n]*?#\}")
"""Tags that may also be braces of the host language, but not objects with named members."""


def drop_template_errors(facts: Facts, source: bytes, spec: LanguageSpec) -> Facts:
    """Drop syntax errors that template tags explain.

    In a format that is commonly templated, one tag explains all errors, because a parser may report them far behind
    the tag. Elsewhere only an unambiguous tag does so; others explain the errors on their own lines.
    """
    if not facts.parse_errors or b"{{" not in source and b"{%" not in source and b"<%" not in source:
        return facts
    statements = _find_lines(_STATEMENT, source)
    tagged = statements | _find_lines(_VALUE, source)
    if not tagged:
        return facts
    found = facts.insight.diagnostics
    if spec.templated or any(row.line in statements for row in found):
        whole = facts.insight._replace(diagnostics=())
        return facts._replace(parse_errors=0, notes=(*facts.notes, NOTE), insight=whole)
    kept = tuple(row for row in found if row.line not in tagged)
    rest = facts.insight._replace(diagnostics=kept)
    return facts._replace(parse_errors=facts.parse_errors - len(found) + len(kept), insight=rest)


def _find_lines(pattern: re.Pattern[bytes], source: bytes) -> set[int]:
    found: set[int] = set()
    line, at = 1, 0
    for match in pattern.finditer(source):
        line += source.count(b"\n", at, match.start())
        at = match.start()
        found.add(line)
    return found
