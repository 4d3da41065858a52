"""Occurrences: find every occurrence of a name as a word in the text of a view, outside comments.

The index records names that can refer to something in another file. The text contains more: definitions, strings, and
local variables. An answer that explains itself accounts for these too.
"""

import re
from collections.abc import Iterator

from codecompass.engine.navigation.resolver.resolver import Resolver
from codecompass.engine.navigation.uses.references import Exclusion, MentionSurvey
from codecompass.engine.view.pinned_view import ContentReader, Symbol
from codecompass.model.call import Call

MAX_FILES = 2_000
"""Maximum files read for one answer; above it only files in which the index has the name are read."""


def explain_occurrences(
    resolver: Resolver, symbol: Symbol, survey: MentionSurvey, reader: ContentReader, call: Call
) -> list[Exclusion]:
    """Return the excluded mentions and all further occurrences of the name with a reason, ordered by position."""
    seen = {(use.path, use.line, use.column) for use in survey.uses}
    seen |= {(item.path, item.line, item.column) for item in survey.excluded}
    found = list(survey.excluded)
    for path in _find_files(resolver, symbol, {path for path, _, _ in seen}):
        call.check()
        defined = _map_definitions(resolver, path, symbol.definition.name)
        for line, column in _find_words(resolver, path, symbol.definition.name, reader):
            position = defined.get((line, column), -1)
            if (path, line, column) in seen or (path, position) == (symbol.path, symbol.position):
                continue
            places = ((path, position),) if position >= 0 else ()
            reason = "definition" if places else "not_recorded"
            found.append(Exclusion(path, line, column, "read", reason, places))
    return sorted(found, key=lambda item: (item.path, item.line, item.column))


def _find_files(resolver: Resolver, symbol: Symbol, known: set[str]) -> list[str]:
    """Return the files in the symbol's language family that may contain its name."""
    view, family = resolver.view, resolver.scope(symbol.path).rule.imports
    blobs = view.snapshot.find_blobs_containing(symbol.definition.name, view.row, MAX_FILES)
    paths = known if blobs is None else known | {path for blob in blobs for path in view.paths.get(blob, ())}
    return sorted(path for path in {*paths, symbol.path} if resolver.scope(path).rule.imports == family)


def _map_definitions(resolver: Resolver, path: str, name: str) -> dict[tuple[int, int], int]:
    """Map (line, column) of the name to the position of the definition."""
    definitions = resolver.scope(path).definitions
    return {(item.name_line, item.name_col): at for at, item in enumerate(definitions) if item.name == name}


def _find_words(resolver: Resolver, path: str, name: str, reader: ContentReader) -> Iterator[tuple[int, int]]:
    """Yield (line, byte column) of each occurrence of the name as a word outside comments."""
    lines = reader.read_lines(resolver.view, path)
    if lines is None:
        return
    word = re.compile(rb"(?<![\w$])" + re.escape(name.encode()) + rb"(?![\w$])")
    comments = [(item.byte_start, item.byte_end) for item in resolver.scope(path).uses.comments]
    start = 0
    for number, text in enumerate(lines, 1):
        line = text.encode("utf-8", "surrogateescape")
        for match in word.finditer(line):
            at = start + match.start()
            if not any(first <= at < last for first, last in comments):
                yield number, match.start()
        start += len(line) + 1
