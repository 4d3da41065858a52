"""Boolean matching: test the text of a candidate against the operators of a query."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from codecompass.engine.search.filters.candidates import Candidate
from codecompass.engine.search.query.query_syntax import Field, Node
from codecompass.engine.search.query.query_tree import PlaceText, holds, holds_loosely, needs_text
from codecompass.engine.view.content import ContentReader
from codecompass.engine.view.pinned_view import PinnedView, shown
from codecompass.model.call import Call
from codecompass.model.code.facts import Comment
from codecompass.text.documents import is_document

MOST_CHARS = 2_000_000
"""Maximum length of a tested text; only the beginning of a longer one is tested."""


@dataclass
class Verdict:
    """Tests the candidates of one query; reads each file once."""

    view: PinnedView
    reader: ContentReader
    tree: Node
    exact: bool
    test: Callable[[Candidate, Field], bool]
    """Evaluates a filter of the query for a candidate."""
    call: Call
    prose: bool = False
    """Test only comments and documentation, and the text of documents."""
    loose: bool = False
    """Any of the words is enough."""
    _lines: dict[str, list[str]] = field(default_factory=dict)

    def trusts_index(self) -> bool:
        """Whether results of the text index need no further test."""
        return not self.exact and not needs_text(self.tree)

    def passes(self, candidate: Candidate) -> bool:
        # Each test may read a file.
        self.call.check()
        match_tree = holds_loosely if self.loose else holds
        return match_tree(self.tree, self._place(candidate), lambda item: self.test(candidate, item))

    def _place(self, candidate: Candidate) -> PlaceText:
        lines, name = self._source(candidate.path), ""
        first, last = 1, len(lines)
        facts = self.view.facts(candidate.path)
        if candidate.whole_file:
            name = shown(candidate.path)
        elif candidate.ordinal >= 0 and not candidate.defined:
            chunk = facts.chunks[candidate.ordinal]
            first, last = chunk.line_start, chunk.line_end
        else:
            item = facts.definitions[candidate.position]
            first, last, name = item.line_start, item.line_end, item.name
        # A name is not prose.
        return PlaceText("\n".join(lines[first - 1 : last])[:MOST_CHARS], "" if self.prose else name, self.exact)

    def _source(self, path: str) -> list[str]:
        cached = self._lines.get(path)
        if cached is None:
            cached = self.reader.lines(self.view, path) or []
            if self.prose and not is_document(self.view.language_of(path)):
                cached = _spoken(cached, self.view.snapshot.uses(self.view.entries[path].blob).comments)
            self._lines[path] = cached
        return cached


def _spoken(lines: list[str], comments: Iterable[Comment]) -> list[str]:
    """Blank out everything but comments and documentation."""
    source = "\n".join(lines).encode("utf-8", "replace")
    found = [""] * len(lines)
    for item in comments:
        text = source[item.byte_start : item.byte_end].decode("utf-8", "replace")
        for at, part in enumerate(text.split("\n"), item.line_start - 1):
            if at < len(found):
                found[at] = f"{found[at]} {part}".lstrip()
    return found
