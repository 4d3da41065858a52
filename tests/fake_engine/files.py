"""Files of the small engine: one file and its history."""

from codecompass.model.call import Call
from codecompass.model.history_facts import Commit, FileHistory, HistoryAnswer
from codecompass.model.queries.file_excerpt import ExcerptQuery, FileExcerpt
from codecompass.model.queries.grep_query import GrepAnswer, GrepMatch, GrepQuery, MatchListener
from codecompass.model.queries.results import (
    Outline,
    OutlineNode,
)
from tests.fake_engine.answers import FakeAnswers


class FakeFiles(FakeAnswers):
    def outline(
        self,
        workspace: str | None,
        path: str | None,
        ref: str | None,
        depth: str,
        call: Call,
        freshness: str,
        handle: str | None = None,
    ) -> Outline:
        if self.fail is not None:
            raise self.fail
        child = OutlineNode("method", "run", 2, 3, "def run(self)", "public", "sym_3", "b3:3")
        node = OutlineNode("class", "Auth", 1, 9, "class Auth", "public", "sym_2", "b3:2", children=(child,))
        return Outline(path or "src/auth.py", "python", (node,), 2, self.state)

    def excerpt(self, workspace: str | None, query: ExcerptQuery, call: Call) -> FileExcerpt:
        self.queries.append(query)
        text = ("def validate(token):", "    return token", "")
        first = query.first or 1
        return FileExcerpt("src/auth.py", "python", first, text[first - 1 : query.last], 3, "00ff", self.state)

    def grep(
        self, workspace: str | None, query: GrepQuery, call: Call, on_matches: MatchListener | None = None
    ) -> GrepAnswer:
        self.queries.append(query)
        self.before(call)
        match = GrepMatch("src/auth.py", 3, 5, "def validate(token):", ("", "# check"), ("    return token",))
        return GrepAnswer((match,), 1, 12, 1.5, self.state)

    def complete(
        self, workspace: str | None, kind: str, text: str, limit: int, call: Call
    ) -> tuple[tuple[str, ...], int]:
        if self.fail is not None:
            raise self.fail
        return ("src/auth.py",) if kind == "path" else ("validate",), 1

    def history(
        self, workspace: str | None, path: str, ref: str | None, lines: tuple[int, int] | None, call: Call
    ) -> HistoryAnswer:
        if self.fail is not None:
            raise self.fail
        last = Commit("c" * 40, "Ada", "2024-01-02T03:04:05+00:00", 1_704_164_645, 1_704_164_645)
        return HistoryAnswer(FileHistory(path, last=last, commits=1, window=10, added=3, deleted=1))
