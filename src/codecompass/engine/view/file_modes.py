"""File modes: classify a file as code, prose or records by its path, language and content.

The mode `extracted-prose` covers comments and documentation inside code, and the text of documents such as PDF, which
are in no other mode.
"""

import re

from codecompass.text.documents import is_document

CODE, PROSE, EXTRACTED, RECORDS = "code", "prose", "extracted-prose", "records"
RECORDS_NOTE = "records"
"""Note on blobs whose text looks like a log."""

_RECORD_ENDINGS = frozenset(".log .out .trace .stack .stacktrace .dmp .dump .gcov .lcov .coverage .tap".split())
_SNIFFED_ENDINGS = frozenset(("", ".txt", ".text", ".err", ".stderr", ".stdout"))
"""Files with these extensions are records if their content looks like a log."""
_PROSE_LANGUAGES = frozenset(("markdown", "rst", "asciidoc"))
_PROSE_ENDINGS = frozenset((".txt", ".text", ".md", ".mdx", ".rst", ".adoc", ".asciidoc"))
_TEXT_LANGUAGES = frozenset(("", "text", "html"))
"""Languages that are prose inside a documentation directory."""
_DOCUMENTATION = re.compile(r"(?:^|/)(?:docs?|documentation)/", re.IGNORECASE)
_TITLES = frozenset(
    "readme license licence copying copyright authors contributors changelog changes contributing notice news todo"
    " history thanks install maintainers".split()
)


def detect_mode(path: str, language: str, *, looks_like_records: bool) -> str:
    """Return the mode of a file; the language is empty for plain text."""
    name = path.rpartition("/")[2].lower()
    stem, dot, last = name.rpartition(".")
    ending = f".{last}" if dot and stem else ""
    if is_document(language):
        return EXTRACTED
    if language in ("", "text"):
        if ending in _RECORD_ENDINGS or (looks_like_records and ending in _SNIFFED_ENDINGS):
            return RECORDS
        if not ending and name in _TITLES:
            return PROSE
    if language in _PROSE_LANGUAGES or ending in _PROSE_ENDINGS:
        return PROSE
    if language in _TEXT_LANGUAGES and _DOCUMENTATION.search(path):
        return PROSE
    return CODE
