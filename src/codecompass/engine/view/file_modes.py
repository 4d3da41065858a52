"""Modes: whether a file is code, prose or records. One function decides, by path, language and looks.

Comments and documentation inside code are found by the mode `extracted-prose`, and so is the text of documents such as
PDF, which is in no other mode.
"""

import re

from codecompass.text.documents import is_document

CODE, PROSE, EXTRACTED, RECORDS = "code", "prose", "extracted-prose", "records"
NOTE = "records"
"""The note of blobs whose text looks like a log."""

_RECORD_ENDINGS = frozenset(".log .out .trace .stack .stacktrace .dmp .dump .gcov .lcov .coverage .tap".split())
_SEEN_ENDINGS = frozenset(("", ".txt", ".text", ".err", ".stderr", ".stdout"))
"""Files of these endings are records when they look so."""
_PROSE_LANGUAGES = frozenset(("markdown", "rst", "asciidoc"))
_PROSE_ENDINGS = frozenset((".txt", ".text", ".md", ".mdx", ".rst", ".adoc", ".asciidoc"))
_TEXT_LANGUAGES = frozenset(("", "text", "html"))
"""What is prose where documentation is kept."""
_DOCUMENTATION = re.compile(r"(?:^|/)(?:docs?|documentation)/", re.IGNORECASE)
_TITLES = frozenset(
    "readme license licence copying copyright authors contributors changelog changes contributing notice news todo"
    " history thanks install maintainers".split()
)


def mode_of(path: str, language: str, *, looks_like_records: bool) -> str:
    """The mode of a file; the language is empty for plain text."""
    name = path.rpartition("/")[2].lower()
    stem, dot, last = name.rpartition(".")
    ending = f".{last}" if dot and stem else ""
    if is_document(language):
        return EXTRACTED
    if language in ("", "text"):
        if ending in _RECORD_ENDINGS or (looks_like_records and ending in _SEEN_ENDINGS):
            return RECORDS
        if not ending and name in _TITLES:
            return PROSE
    if language in _PROSE_LANGUAGES or ending in _PROSE_ENDINGS:
        return PROSE
    if language in _TEXT_LANGUAGES and _DOCUMENTATION.search(path):
        return PROSE
    return CODE
