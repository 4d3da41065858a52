"""A repository whose memory says something, behind the real dispatch, for tests of tools, resources and sessions."""

import io
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from codecompass.contract.envelope import Reply
from codecompass.contract.tool import Defaults, Host
from codecompass.model.call import Call
from codecompass.runtime.admission import Admission
from codecompass.runtime.dispatch import Dispatch
from codecompass.runtime.log import Log
from codecompass.runtime.rate_limits import RateLimits
from codecompass.tools import INNER_TOOLS, TOOLS
from tests.engine.memory.memorylab import Lab, lab_on

T = TypeVar("T")
WHY = (
    "Use pnpm, because npm installed two copies of the parser\n\n"
    "The lock file of npm kept two copies of the parser, which broke `parse_order` in src/shop/orders.py."
)
CASE: dict[str, Any] = {
    "commit": [
        {"message": "first", "files": {
            "src/shop/orders.py": "RETRY_LIMIT = 3\n\n\ndef parse_order(text):\n    return text.split()\n",
            "src/auth/tokens.py": "def check(token):\n"
            "    # Never log the token, because logs are shipped to a third party.\n    return bool(token)\n",
            "AGENTS.md": "# Payments\n\nPayments must go through `parse_order` in `src/shop/orders.py`.\n\n"
            "# Retries\n\nCallers must stop at the retry limit, which is `RETRY_LIMIT = 3`.\n",
            "package.json": '{"scripts": {"test": "node --test"}}\n',
        }},
        {"message": WHY, "files": {"pnpm-lock.yaml": "lockfileVersion: 9\n"}},
    ],
}  # fmt: skip


def patiently(look: Callable[[], T], good: Callable[[T], bool]) -> T:
    """What is seen once it is as it should be: notes are written after the answers they are about."""
    until = time.monotonic() + 20
    while not good(seen := look()) and time.monotonic() < until:
        time.sleep(0.02)
    return seen


class Counter:
    """Where tools are asked, as a server would."""

    def __init__(
        self, lab: Lab, session: str = "ses_test", limits: dict[str, int] | None = None, max_bytes: int = 65_536
    ) -> None:
        self.lab = lab
        self.log = io.StringIO()
        self.admission = Admission(workers=2)
        defaults = Defaults(freshness_policy="best_effort", max_response_bytes=max_bytes)
        self.dispatch = Dispatch(
            TOOLS, Host(lab.engine, defaults), Log("debug", self.log, "json"), admission=self.admission,
            limits=RateLimits(limits) if limits else None, inner=INNER_TOOLS, session=session,
        )  # fmt: skip

    @contextmanager
    def like(
        self, session: str = "ses_test", limits: dict[str, int] | None = None, max_bytes: int = 65_536
    ) -> Iterator["Counter"]:
        """Another server on the same repository."""
        made = Counter(self.lab, session, limits, max_bytes)
        try:
            yield made
        finally:
            made.dispatch.close()

    def reply(self, tool: str, call: Call | None = None, /, **raw: object) -> Reply:
        return self.dispatch.call(tool, raw, call)

    def ask(self, tool: str, **raw: object) -> dict[str, Any]:
        reply = self.dispatch.call(tool, raw)
        assert not reply.is_error, reply.body
        return reply.payload

    def refused(self, tool: str, **raw: object) -> dict[str, Any]:
        reply = self.dispatch.call(tool, raw)
        assert reply.is_error
        return reply.payload

    def read(self, uri: str, call: Call | None = None) -> Reply:
        return self.dispatch.submit_inner("read_resource", {"uri": uri}, call or Call()).future.result()


@contextmanager
def counter_on(base: Path) -> Iterator[Counter]:
    with lab_on(base, CASE) as lab:
        made = Counter(lab)
        try:
            yield made
        finally:
            made.dispatch.close()
