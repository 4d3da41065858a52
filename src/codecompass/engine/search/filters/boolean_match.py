"""Boolean matching: test the text of a candidate against the operators of a query."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from codecompass.engine.search.filters.candidates import Candidate
from codecompass.engine.search.query.query_syntax import FieldNode, SyntaxNode
from codecompass.engine.search.query.query_tree import CandidateText, matches_relaxed, matches_tree, needs_text
from codecompass.engine.view.pinned_view import ContentReader, PinnedView
from codecompass.model.call import Call
from codecompass.model.code.facts import Comment
from codecompass.model.path_text import display_path
from codecompass.text.documents import is_document

MAX_CHARS = 2_000_000
"""Maximum length of a tested text; only the beginning of a longer one is tested."""


@dataclass
class BooleanMatcher:
    """Tests the candidates of one query; reads each file once."""

    view: PinnedView
    reader: ContentReader
    tree: SyntaxNode
    case_sensitive: bool
    field_test: Callable[[Candidate, FieldNode], bool]
    """Evaluates a filter of the query for a candidate."""
    call: Call
    prose: bool = False
    """Test only comments and documentation, and the text of documents."""
    relaxed: bool = False
    """Any of the words is enough."""
    _lines: dict[str, list[str]] = field(default_factory=dict)

    def can_trust_index(self) -> bool:
        """Whether results of the text index need no further test."""
        return not self.case_sensitive and not needs_text(self.tree)

    def matches(self, candidate: Candidate) -> bool:
        # Each test may read a file.
        self.call.check()
        match_tree = matches_relaxed if self.relaxed else matches_tree
        return match_tree(self.tree, self._candidate_text(candidate), lambda item: self.field_test(candidate, item))

    def _candidate_text(self, candidate: Candidate) -> CandidateText:
        lines, name = self._read_lines(candidate.path), ""
        first, last = 1, len(lines)
        facts = self.view.facts(candidate.path)
        if candidate.whole_file:
            name = display_path(candidate.path)
        elif candidate.ordinal >= 0 and not candidate.definition_requested:
            chunk = facts.chunks[candidate.ordinal]
            first, last = chunk.line_start, chunk.line_end
        else:
            item = facts.definitions[candidate.position]
            first, last, name = item.line_start, item.line_end, item.name
        # A name is not prose.
        return CandidateText(
            "\n".join(lines[first - 1 : last])[:MAX_CHARS], "" if self.prose else name, self.case_sensitive
        )

    def _read_lines(self, path: str) -> list[str]:
        cached = self._lines.get(path)
        if cached is None:
            cached = self.reader.read_lines(self.view, path) or []
            if self.prose and not is_document(self.view.language_of(path)):
                cached = _keep_comments(cached, self.view.snapshot.references(self.view.entries[path].blob).comments)
            self._lines[path] = cached
        return cached


def _keep_comments(lines: list[str], comments: Iterable[Comment]) -> list[str]:
    """Blank out everything but comments and documentation."""
    source = "\n".join(lines).encode("utf-8", "replace")
    found = [""] * len(lines)
    for item in comments:
        text = source[item.byte_start : item.byte_end].decode("utf-8", "replace")
        for at, part in enumerate(text.split("\n"), item.line_start - 1):
            if at < len(found):
                found[at] = f"{found[at]} {part}".lstrip()
    return found
