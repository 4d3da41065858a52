"""Answers of the small engine, and how it can be told to misbehave."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.model.queries.navigation_queries import (
    SymbolNode,
)
from codecompass.model.queries.results import (
    Hit,
    Hits,
    Reasons,
    SymbolLocation,
    ViewState,
)

READY = ViewState(ref="main", freshness="fresh", indexing="ready", schema="compatible", generation=1)
EMPTY = ViewState(ref="main", freshness="stale", indexing="not_indexed", schema="not_indexed")

HIT = Hit(
    result_type="symbol",
    result_id="sym_1",
    path="src/auth.py",
    line_start=3,
    line_end=9,
    language="python",
    score=0.951234567,
    reasons=Reasons(1.0, 0.8, 0.0, 1.0, 0.5, 12.34, 0.951234567),
    kind="fn",
    name="validate",
    qualified_name="auth.validate",
    signature="def validate(token)",
    visibility="public",
    symbol_id="sym_1",
    symbol_stable_id="b3:1",
    tier="exact",
    snippet="def validate(token): ...",
    body_preview="def validate(token):\n    return token",
    parent=SymbolLocation("class", "Auth", "src/auth.py", 1),
    related=(SymbolLocation("class", "Claims", "src/claims.py", 2),),
)


NODE = SymbolNode(
    "sym_1", "b3:1", "fn", "validate", "auth.validate", "src/auth.py", 3, 9, "def validate(token)", "python"
)


@dataclass
class FakeAnswers:
    """What every part answers with."""

    hits: tuple[Hit, ...] = (HIT,)
    state: ViewState = READY
    fail: Failure | None = None
    crash: BaseException | None = None
    hold: threading.Event | None = None
    queries: list[object] = field(default_factory=list)
    before: Callable[[Call], None] = lambda call: None
    total: int | None = None
    relaxed: bool = False
    unread: tuple[tuple[str, str], ...] = ()

    def _answer(self, query: object, call: Call) -> Hits:
        self.queries.append(query)
        self.before(call)
        if self.hold is not None:
            self.hold.wait(10)
        if self.crash is not None:
            raise self.crash
        if self.fail is not None:
            raise self.fail
        total = len(self.hits) if self.total is None else self.total
        cut = total > len(self.hits)
        return Hits(self.hits, total, self.state, intent="symbol", relaxed=self.relaxed, truncated=cut)
