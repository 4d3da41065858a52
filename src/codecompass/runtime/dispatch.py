"""Dispatch: run a tool by name with raw arguments and return one Reply. All surfaces use it, so answers are equal."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from codecompass.contract import codec, families
from codecompass.contract.envelope import UNKNOWN, UNKNOWN_STATE, Reply
from codecompass.contract.fields import MAX_REF, MAX_WORKSPACE
from codecompass.contract.tool import Answer, Host, Tool
from codecompass.contract.versions import TOOL_VERSION
from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.model.queries.results import ViewState
from codecompass.runtime.admission import Admission, Place
from codecompass.runtime.deadline import Deadlines, Pending
from codecompass.runtime.log import Log, sizes
from codecompass.runtime.metrics import UNKNOWN as UNKNOWN_TOOL
from codecompass.runtime.metrics import Metrics
from codecompass.runtime.progress import Listener, ProgressGate
from codecompass.runtime.prometheus import prometheus_text
from codecompass.runtime.rate_limits import RateLimits
from codecompass.runtime.session_notes import Sessions

GRACE_S = 2.0
"""Seconds that a cancelled call has to return before its worker counts as lost."""
STATES_KEPT = 64


@dataclass(slots=True)
class _Job:
    """One call in progress: its tool, arguments, context and start time."""

    tool: Tool
    raw: object
    call: Call
    pending: Pending
    began: float
    gate: ProgressGate | None = None
    place: Place | None = None
    """Its slot in the queue; None before it is admitted."""
    alarm: int | None = None
    """The token of its deadline."""


def _place(raw: object) -> tuple[str | None, str | None]:
    """Read the workspace and ref from the raw arguments of a call, which may not be valid."""
    named: dict[str, Any] = raw if isinstance(raw, dict) else {}
    return _sane(named.get("workspace", named.get("repoPath")), MAX_WORKSPACE), _sane(named.get("ref"), MAX_REF)


def _sane(value: object, most: int) -> str | None:
    """Return a value that the schemas permit, else None: others must not reach the engine or an answer."""
    if not isinstance(value, str) or not 0 < len(value) <= most:
        return None
    try:
        value.encode()
    except UnicodeEncodeError:
        return None
    return value


def _crash() -> Failure:
    return Failure("INTERNAL", "The tool failed unexpectedly; the server's log has the details.")


class Dispatch:
    """Runs tools: the only path from a request to its reply."""

    def __init__(
        self,
        tools: tuple[Tool, ...],
        host: Host,
        log: Log,
        *,
        admission: Admission | None = None,
        limits: RateLimits | None = None,
        timeout_ms: Callable[[str, int], int] = lambda _tool, own: own,
        grace_s: float = GRACE_S,
        inner: tuple[Tool, ...] = (),
        session: str = "",
    ) -> None:
        self.tools = tools
        self.session = session
        """The session of calls without one of their own; empty where calls are not recorded."""
        self._inner = {tool.name: tool for tool in inner}
        self._sessions = Sessions(host.engine)
        self.metrics = Metrics()
        self.admission = admission or Admission()
        self._by_name = {tool.name: tool for tool in tools}
        self._host = host
        self._log = log
        self._limits = limits
        self._deadlines = Deadlines()
        self._timeout_ms = timeout_ms
        self._grace_s = grace_s
        self._states: dict[tuple[str | None, str | None], ViewState] = {}

    def call(self, name: str, raw: object, call: Call | None = None) -> Reply:
        """Run a tool and wait for its reply."""
        return self.submit(name, raw, call or Call()).future.result()

    def submit(self, name: str, raw: object, call: Call, listen: Listener | None = None) -> Pending:
        """Start a tool; the reply arrives in the returned `future`, progress before it at `listen`."""
        tool = self._by_name.get(name)
        return self._submit(tool, raw, call, listen) if tool else self._unknown(name)

    def submit_inner(self, name: str, raw: object, call: Call) -> Pending:
        """Start an internal tool, which clients cannot call by name but a surface offers in another form."""
        tool = self._inner.get(name)
        return self._submit(tool, raw, call, None) if tool else self._unknown(name)

    def permission(self, name: str, *, trusted: bool) -> Failure | None:
        """Return why a call is not permitted, or None: a tool that does more than read needs a token over HTTP."""
        tool = self._by_name.get(name)
        if trusted or tool is None or tool.reads_only:
            return None
        more = ", ".join(effect for effect in tool.effects if effect != "read")
        message = f"{name} does more than read ({more}), and the request has no valid token."
        return Failure("TOKEN_REQUIRED", message)

    def _unknown(self, name: str) -> Pending:
        pending = Pending()
        self.metrics.record(UNKNOWN_TOOL, 0.0, "NOT_FOUND")
        pending.claim()
        pending.give(families.unknown_tool(name))
        return pending

    def _submit(self, tool: Tool, raw: object, call: Call, listen: Listener | None) -> Pending:
        pending = Pending()
        limit = self._timeout_ms(tool.name, tool.timeout_ms)
        began = time.monotonic()
        if not call.session:
            call = replace(call, session=self.session)
        if limit > 0 and call.deadline is None:
            call = replace(call, deadline=began + limit / 1000)
        gate = None
        if listen is not None:
            gate = ProgressGate(tool.name, listen, self._deadlines.at)
            call = replace(call, report=gate.report)
        job = _Job(tool, raw, call, pending, began, gate)
        pending.cancel = lambda: self._cancel(job)
        try:
            if failure := self.permission(tool.name, trusted=call.trusted):
                raise failure
            if self._limits is not None:
                # Checked early, so that no stream is opened; counted after the schema has accepted the call.
                self._check_limit(self._limits, tool, raw, call)
            if call.deadline is not None:
                # Before the call can start, so that whoever settles it can cancel its deadline.
                job.alarm = self._deadlines.at(call.deadline, lambda: self._expire(job, limit))
            job.place = self.admission.submit(lambda: self._work(job), quick=tool.quick)
        except Failure as failure:
            self._finish(job, families.failure(tool.family, failure, self._last_state(job), tool.name))
            return pending
        if call.cancelled.is_set():
            # It was cancelled before it had a slot to release.
            self._give_up(job)
        return pending

    @staticmethod
    def _check_limit(limits: RateLimits, tool: Tool, raw: object, call: Call) -> None:
        """Refuse a call beyond its limit, unless the schema will refuse it with a better reason."""
        try:
            limits.check(tool.name, call.client)
        except Failure:
            try:
                codec.decode(tool.params, raw)
            except Failure:
                return
            raise

    def refusal(self, name: object, held: int = 0) -> Failure | None:
        """Return the failure if the queue is full: a surface may check before it does any work for a call."""
        failure = self.admission.refusal(held)
        if failure is not None:
            known = isinstance(name, str) and name in self._by_name
            self.metrics.record(str(name) if known else UNKNOWN_TOOL, 0.0, failure.code)
        return failure

    def snapshot(self) -> dict[str, Any]:
        """Return the metrics of all tools and of the queue, as an object for answers."""
        return self.metrics.snapshot(self.admission.state())

    def prometheus(self) -> str:
        """Format the metrics as Prometheus text."""
        return prometheus_text(self.metrics.samples(), self.admission.state(), TOOL_VERSION)

    def end_session(self, session: str) -> None:
        """Record the end of a session in every workspace where it was recorded."""
        self._sessions.end(session)

    def end_sessions(self) -> None:
        """Record the end of all sessions, before the server ends."""
        self._sessions.close()

    def close(self) -> None:
        self.admission.close()
        self.end_sessions()

    # -- on a worker thread ----------------------------------------------------------------------------------------

    def _work(self, job: _Job) -> None:
        """Run a call; its only result is a Reply, never an exception."""
        if job.pending.settled:
            return
        reply = self._reply(job)
        if job.tool.noted is not None and job.call.session and not reply.is_error:
            subject = job.tool.noted.subject(job.raw, reply.payload)
            self._sessions.note(_place(job.raw)[0], job.call, job.tool.noted.kind, subject)
        self._finish(job, reply)
        if job.place is not None and job.place.state == "lost":
            self._log.event("warning", "worker_returned", tool=job.tool.name, id=job.call.id[:80])

    def _reply(self, job: _Job) -> Reply:
        """Build the reply; after a crash INTERNAL with the view's state, or without it if reading that also crashes."""
        for answer in (self._answer, self._answer_crashed):
            try:
                return answer(job)
            except BaseException as error:  # broad: the unexpected becomes INTERNAL, without its text; Rust panics too
                self._log.crash("call_crashed", error, tool=job.tool.name, id=job.call.id)
        return families.failure(job.tool.family, _crash(), self._last_state(job), job.tool.name)

    def _answer_crashed(self, job: _Job) -> Reply:
        return families.failure(job.tool.family, _crash(), self._host.engine.describe(*_place(job.raw)), job.tool.name)

    def _answer(self, job: _Job) -> Reply:
        """Decode, run, render."""
        try:
            job.call.check()
            if job.tool.name in self._inner:
                # Internal tools may show the notes of sessions, up to the previous call.
                self._sessions.settle()
            params = codec.decode(job.tool.params, job.raw)
            if self._limits is not None:
                # After validation: a call that the schema refuses does not count.
                self._limits.take(job.tool.name, job.call.client)
            answer = job.tool.run(self._host, job.call, params)
            return self._success(job, answer)
        except Failure as failure:
            if job.pending.settled:
                # The call is already settled: the state of the view is not needed.
                return families.failure(job.tool.family, failure, UNKNOWN_STATE, job.tool.name)
            if failure.code == "TOOL_TIMEOUT":
                failure.details.setdefault("timeoutMs", self._timeout_ms(job.tool.name, job.tool.timeout_ms))
            state = self._host.engine.describe(*_place(job.raw))
            return families.failure(job.tool.family, failure, state, job.tool.name)

    def _success(self, job: _Job, answer: Answer) -> Reply:
        if answer.state is not None:
            if len(self._states) >= STATES_KEPT:
                self._states.clear()
            self._states[_place(job.raw)] = answer.state
        return families.success(job.tool.family, answer)

    # -- on any thread ---------------------------------------------------------------------------------------------

    def _last_state(self, job: _Job) -> ViewState:
        """Return the last known state, for replies that must not wait for the engine; files may have changed since."""
        place = _place(job.raw)
        known = self._states.get(place)
        if known is not None:
            return replace(known, freshness=UNKNOWN)
        return replace(UNKNOWN_STATE, ref=place[1]) if place[1] else UNKNOWN_STATE

    def _expire(self, job: _Job, limit: int) -> None:
        """Settle a call that exceeded its deadline, on the deadline thread. The engine may hang, so it is not used."""
        text = f"{job.tool.name} took longer than {limit} ms and was stopped."
        self._settle(job, Failure("TOOL_TIMEOUT", text, {"timeoutMs": limit}))

    def _cancel(self, job: _Job) -> bool:
        return self._settle(job, Failure("CANCELLED", "The call was cancelled."))

    def _settle(self, job: _Job, failure: Failure) -> bool:
        """Reply with a failure and stop the call."""
        job.call.cancelled.set()
        if not self._finish(job, families.failure(job.tool.family, failure, self._last_state(job), job.tool.name)):
            return False
        self._give_up(job)
        return True

    def _give_up(self, job: _Job) -> None:
        """Release the slot of a settled call; if it still runs, check after the grace period whether it returned."""
        if job.place is not None and self.admission.leave(job.place):
            self._deadlines.at(time.monotonic() + self._grace_s, lambda: self._write_off(job))

    def _write_off(self, job: _Job) -> None:
        assert job.place is not None
        if self.admission.write_off(job.place):
            lost = self.admission.state().lost
            self._log.event("warning", "worker_lost", tool=job.tool.name, id=job.call.id[:80], lost=lost)
        elif job.place.state == "running":
            # Too many workers are lost already; try again later.
            self._deadlines.at(time.monotonic() + self._grace_s, lambda: self._write_off(job))

    def _finish(self, job: _Job, reply: Reply) -> bool:
        if not job.pending.claim():
            return False
        if job.alarm is not None:
            self._deadlines.call_off(job.alarm)
        if job.gate is not None:
            job.gate.close(flush=reply.code != "CANCELLED")
        spent = (time.monotonic() - job.began) * 1000
        size = len(reply.body)
        self.metrics.record(job.tool.name, spent, reply.code, size)
        slow = spent > job.tool.slow_ms
        level = "warning" if slow or reply.code == "INTERNAL" else "info"
        if self._log.wants(level):
            self._log.event(
                level, "call", tool=job.tool.name, ms=round(spent, 1),
                code=reply.code or "ok", bytes=size, args=sizes(job.raw, job.tool.fields), client=job.call.client[:80],
                id=job.call.id[:80], **({"slow_ms": job.tool.slow_ms} if slow else {}),
            )  # fmt: skip
        # Last, because a caller that has its reply may end the process.
        job.pending.give(reply)
        return True
