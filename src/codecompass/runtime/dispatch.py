"""Dispatch: name and raw arguments in, one Reply out. Every surface calls this, so their answers cannot differ."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from codecompass.contract import codec, families
from codecompass.contract.envelope import UNKNOWN_STATE, Reply
from codecompass.contract.tool import Answer, Host, Tool
from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.model.result import ViewState
from codecompass.runtime.admission import Admission
from codecompass.runtime.deadline import Deadlines, Pending
from codecompass.runtime.log import Log, sizes
from codecompass.runtime.metrics import Metrics

SLOW_MS = 2_000
"""A call above this is worth a warning in the log."""
STATES_KEPT = 64


@dataclass(frozen=True, slots=True)
class _Job:
    """One call on its way: what was asked, by whom, since when."""

    tool: Tool
    raw: object
    call: Call
    pending: Pending
    began: float


def _place(job: _Job) -> tuple[str | None, str | None]:
    """The workspace and ref that a call names, read from its raw arguments, which may not decode."""
    raw: dict[str, Any] = job.raw if isinstance(job.raw, dict) else {}
    workspace, ref = (value if isinstance(value := raw.get(key), str) else None for key in ("workspace", "ref"))
    return workspace, ref


class Dispatch:
    """The one road from a request to its answer."""

    def __init__(
        self,
        tools: tuple[Tool, ...],
        host: Host,
        log: Log,
        *,
        admission: Admission | None = None,
        timeout_ms: Callable[[str, int], int] = lambda _tool, own: own,
    ) -> None:
        self.tools = tools
        self.metrics = Metrics()
        self._by_name = {tool.name: tool for tool in tools}
        self._host = host
        self._log = log
        self._admission = admission or Admission()
        self._deadlines = Deadlines()
        self._timeout_ms = timeout_ms
        self._states: dict[tuple[str | None, str | None], ViewState] = {}

    def call(self, name: str, raw: object, call: Call | None = None) -> Reply:
        """Ask and wait: for surfaces that have nothing else to do meanwhile."""
        return self.submit(name, raw, call or Call()).future.result()

    def submit(self, name: str, raw: object, call: Call) -> Pending:
        """Ask and go on; the answer arrives in `future` of what is returned."""
        pending = Pending()
        tool = self._by_name.get(name)
        if tool is None:
            self.metrics.record("(unknown)", 0.0, "NOT_FOUND")
            pending.claim()
            pending.give(families.unknown_tool(name))
            return pending
        limit = self._timeout_ms(tool.name, tool.timeout_ms)
        began = time.monotonic()
        if limit > 0 and call.deadline is None:
            call = replace(call, deadline=began + limit / 1000)
        job = _Job(tool, raw, call, pending, began)
        pending.cancel = lambda: self._cancel(job)
        try:
            self._admission.submit(lambda: self._work(job))
        except Failure as failure:
            self._finish(job, families.failure(tool.family, failure, self._last_state(job)))
            return pending
        if call.deadline is not None:
            self._deadlines.watch(call.deadline, pending, lambda: self._expire(job, limit))
        return pending

    def close(self) -> None:
        self._admission.close()

    def _work(self, job: _Job) -> None:
        """On a worker thread: decode, run, render. Nothing leaves this function but a Reply."""
        if job.pending.settled:
            return
        try:
            job.call.check()
            answer = job.tool.run(self._host, job.call, codec.decode(job.tool.params, job.raw))
            self._finish(job, self._success(job, answer))
        except Failure as failure:
            self._finish(job, self._failure(job, failure))
        except BaseException as error:  # broad: the unexpected becomes INTERNAL, without its text; Rust panics too
            self._log.crash("call_crashed", error, tool=job.tool.name, id=job.call.id)
            said = Failure("INTERNAL", "The tool failed unexpectedly; the server's log has the details.")
            self._finish(job, self._failure(job, said))

    def _success(self, job: _Job, answer: Answer) -> Reply:
        if answer.state is not None:
            if len(self._states) >= STATES_KEPT:
                self._states.clear()
            self._states[_place(job)] = answer.state
        return families.success(job.tool.family, answer)

    def _failure(self, job: _Job, failure: Failure) -> Reply:
        if failure.code == "TOOL_TIMEOUT":
            failure.details.setdefault("timeoutMs", self._timeout_ms(job.tool.name, job.tool.timeout_ms))
        return families.failure(job.tool.family, failure, self._host.engine.describe(*_place(job)))

    def _last_state(self, job: _Job) -> ViewState:
        """What was last known there, for answers that must not wait for the engine."""
        ref = _place(job)[1]
        return self._states.get(_place(job)) or (replace(UNKNOWN_STATE, ref=ref) if ref else UNKNOWN_STATE)

    def _expire(self, job: _Job, limit: int) -> None:
        """On the deadline thread: answer for a call that did not stop by itself. The engine may be what hangs."""
        job.call.cancelled.set()
        text = f"{job.tool.name} took longer than {limit} ms and was stopped."
        said = Failure("TOOL_TIMEOUT", text, {"timeoutMs": limit})
        self._finish(job, families.failure(job.tool.family, said, self._last_state(job)))

    def _cancel(self, job: _Job) -> bool:
        job.call.cancelled.set()
        said = Failure("CANCELLED", "The call was cancelled.")
        return self._finish(job, families.failure(job.tool.family, said, self._last_state(job)))

    def _finish(self, job: _Job, reply: Reply) -> bool:
        if not job.pending.claim():
            return False
        spent = (time.monotonic() - job.began) * 1000
        self.metrics.record(job.tool.name, spent, reply.code)
        level = "warning" if spent > SLOW_MS or reply.code == "INTERNAL" else "info"
        fields = {"tool": job.tool.name, "id": job.call.id, "ms": round(spent, 1), "code": reply.code or "ok"}
        self._log.event(level, "call", **fields, args=sizes(job.raw))
        # Last, because a caller that has its answer may end the process.
        job.pending.give(reply)
        return True


