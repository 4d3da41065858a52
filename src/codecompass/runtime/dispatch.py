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
from codecompass.errors import Failure, find_system_failure
from codecompass.model.call import Call
from codecompass.model.queries.results import ViewState
from codecompass.runtime.admission import Admission, QueueSlot
from codecompass.runtime.advice import reword_answer, reword_failure
from codecompass.runtime.deadline import DeadlineScheduler, PendingCall
from codecompass.runtime.helper_pool import HelperPool
from codecompass.runtime.log import Log, measure_arguments
from codecompass.runtime.metrics import UNKNOWN as UNKNOWN_TOOL
from codecompass.runtime.metrics import Metrics
from codecompass.runtime.progress import Listener, ProgressThrottle
from codecompass.runtime.prometheus import format_prometheus_text
from codecompass.runtime.rate_limits import RateLimits
from codecompass.runtime.session_notes import SessionNotes

GRACE_S = 2.0
"""Seconds that a cancelled call has to return before its worker counts as lost."""
MAX_STATES = 64


@dataclass(slots=True)
class _CallState:
    """One call in progress: its tool, arguments, context and start time."""

    tool: Tool
    raw: object
    call: Call
    pending: PendingCall
    began: float
    throttle: ProgressThrottle | None = None
    slot: QueueSlot | None = None
    """Its slot in the queue; None before it is admitted."""
    deadline_token: int | None = None
    """The token of its deadline."""


def _parse_target(raw: object) -> tuple[str | None, str | None]:
    """Read the workspace and ref from the raw arguments of a call, which may not be valid."""
    named: dict[str, Any] = raw if isinstance(raw, dict) else {}
    return _keep_valid_name(named.get("workspace", named.get("repoPath")), MAX_WORKSPACE), _keep_valid_name(
        named.get("ref"), MAX_REF
    )


def _keep_valid_name(value: object, most: int) -> str | None:
    """Return a value that the schemas permit, else None: others must not reach the engine or an answer."""
    if not isinstance(value, str) or not 0 < len(value) <= most:
        return None
    try:
        value.encode()
    except UnicodeEncodeError:
        return None
    return value


def _make_crash_failure() -> Failure:
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
        served: tuple[str, ...] = (),
        session: str = "",
        reword: Callable[[str], str] | None = None,
    ) -> None:
        self.tools = tools
        self._served = frozenset(served or (tool.name for tool in tools))
        """Tools that answers may suggest; more than `tools` where those not needed are not even imported."""
        self.session = session
        """The session of calls without one of their own; empty where calls are not recorded."""
        self._reword = reword
        """Rewrites advice that names tools which are not served; None where all are."""
        self._inner = {tool.name: tool for tool in inner}
        self._sessions = SessionNotes(host.engine)
        self.metrics = Metrics()
        self.admission = admission or Admission()
        self._by_name = {tool.name: tool for tool in tools}
        self._host = host
        self._log = log
        self._limits = limits
        self._deadlines = DeadlineScheduler()
        self._timeout_ms = timeout_ms
        self._grace_s = grace_s
        self._states: dict[tuple[str | None, str | None], ViewState] = {}
        self._helpers: HelperPool | None = None

    def share_calls(self, helpers: HelperPool) -> None:
        """Pass calls that only read to other processes from now on."""
        self._helpers = helpers

    def answer(self, name: str, raw: object, call: Call) -> Answer | None:
        """Answer a call that another process has admitted; None for a tool that this process does not have."""
        tool = self._by_name.get(name)
        return tool.run(self._host, call, codec.decode(tool.params, raw)) if tool else None

    def call(self, name: str, raw: object, call: Call | None = None) -> Reply:
        """Run a tool and wait for its reply."""
        return self.submit(name, raw, call or Call()).future.result()

    def submit(self, name: str, raw: object, call: Call, listen: Listener | None = None) -> PendingCall:
        """Start a tool; the reply arrives in the returned `future`, progress before it at `listen`."""
        tool = self._by_name.get(name)
        return self._submit(tool, raw, call, listen) if tool else self._reply_unknown_tool(name)

    def submit_inner(self, name: str, raw: object, call: Call) -> PendingCall:
        """Start an internal tool, which clients cannot call by name but a surface offers in another form."""
        tool = self._inner.get(name)
        return self._submit(tool, raw, call, None) if tool else self._reply_unknown_tool(name)

    def check_permission(self, name: str, *, trusted: bool) -> Failure | None:
        """Return why a call is not permitted, or None: a tool that does more than read needs a token over HTTP."""
        tool = self._by_name.get(name)
        if trusted or tool is None or tool.reads_only:
            return None
        more = ", ".join(effect for effect in tool.effects if effect != "read")
        message = f"{name} does more than read ({more}), and the request has no valid token."
        return Failure("TOKEN_REQUIRED", message)

    def _reply_unknown_tool(self, name: str) -> PendingCall:
        pending = PendingCall()
        self.metrics.record(UNKNOWN_TOOL, 0.0, "NOT_FOUND")
        pending.try_settle()
        pending.set_reply(families.render_unknown_tool(name))
        return pending

    def _submit(self, tool: Tool, raw: object, call: Call, listen: Listener | None) -> PendingCall:
        pending = PendingCall()
        limit = self._timeout_ms(tool.name, tool.timeout_ms)
        began = time.monotonic()
        if not call.session:
            call = replace(call, session=self.session)
        if limit > 0 and call.deadline is None:
            call = replace(call, deadline=began + limit / 1000)
        gate = None
        if listen is not None:
            gate = ProgressThrottle(tool.name, listen, self._deadlines.schedule)
            call = replace(call, report=gate.report)
        job = _CallState(tool, raw, call, pending, began, gate)
        pending.cancel = lambda: self._cancel(job)
        try:
            if failure := self.check_permission(tool.name, trusted=call.trusted):
                raise failure
            if self._limits is not None:
                # Checked early, so that no stream is opened; counted after the schema has accepted the call.
                self._check_limit(self._limits, tool, raw, call)
            if call.deadline is not None:
                # Before the call can start, so that whoever settles it can cancel its deadline.
                job.deadline_token = self._deadlines.schedule(call.deadline, lambda: self._expire(job, limit))
            job.slot = self.admission.submit(lambda: self._run_call(job), quick=tool.quick)
        except Failure as failure:
            self._finish(job, self._render_failure(job, failure, self._get_last_state(job)))
            return pending
        if call.cancelled.is_set():
            # It was cancelled before it had a slot to release.
            self._release_slot(job)
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

    def find_refusal(self, name: object, held: int = 0) -> Failure | None:
        """Return the failure if the queue is full: a surface may check before it does any work for a call."""
        failure = self.admission.find_refusal(held)
        if failure is not None:
            known = isinstance(name, str) and name in self._by_name
            self.metrics.record(str(name) if known else UNKNOWN_TOOL, 0.0, failure.code)
        return failure

    def snapshot(self) -> dict[str, Any]:
        """Return the metrics of all tools and of the queue, as an object for answers."""
        return self.metrics.snapshot(self.admission.get_state())

    def format_prometheus(self) -> str:
        """Format the metrics as Prometheus text."""
        return format_prometheus_text(self.metrics.take_samples(), self.admission.get_state(), TOOL_VERSION)

    def end_session(self, session: str) -> None:
        """Record the end of a session in every workspace where it was recorded."""
        self._sessions.end_session(session)

    def end_sessions(self) -> None:
        """Record the end of all sessions, before the server ends."""
        self._sessions.close()

    def close(self) -> None:
        self.admission.close()
        self.end_sessions()

    # -- on a worker thread ----------------------------------------------------------------------------------------

    def _run_call(self, job: _CallState) -> None:
        """Run a call; its only result is a Reply, never an exception."""
        if job.pending.is_settled:
            return
        reply = self._build_reply(job)
        if job.tool.noted is not None and job.call.session and not reply.is_error:
            subject = job.tool.noted.read_subject(job.raw, reply.payload)
            self._sessions.add_note(_parse_target(job.raw)[0], job.call, job.tool.noted.kind, subject)
        self._finish(job, reply)
        if job.slot is not None and job.slot.state == "lost":
            self._log.event("warning", "worker_returned", tool=job.tool.name, id=job.call.id[:80])

    def _build_reply(self, job: _CallState) -> Reply:
        """Build the reply; after a crash INTERNAL with the view's state, or without it if reading that also crashes."""
        for answer in (self._run_tool, self._report_crash):
            try:
                return answer(job)
            except BaseException as error:  # broad: the unexpected becomes INTERNAL, without its text; Rust panics too
                self._log.crash("call_crashed", error, tool=job.tool.name, id=job.call.id)
        return self._render_failure(job, _make_crash_failure(), self._get_last_state(job))

    def _report_crash(self, job: _CallState) -> Reply:
        return self._render_failure(job, _make_crash_failure(), self._host.engine.describe(*_parse_target(job.raw)))

    def _run_tool(self, job: _CallState) -> Reply:
        """Decode, run, render."""
        try:
            job.call.check()
            if job.tool.name in self._inner:
                # Internal tools may show the notes of sessions, up to the previous call.
                self._sessions.flush()
            params = codec.decode(job.tool.params, job.raw)
            if self._limits is not None:
                # After validation: a call that the schema refuses does not count.
                self._limits.acquire(job.tool.name, job.call.client)
            shared = self._ask_helper(job)
            answer = job.tool.run(self._host, job.call, params) if shared is None else shared
            return self._build_success(job, answer)
        except (Failure, OSError) as error:
            failure = find_system_failure(error) if isinstance(error, OSError) else error
            if failure is None:
                raise
            if job.pending.is_settled:
                # The call is already settled: the state of the view is not needed.
                return self._render_failure(job, failure, UNKNOWN_STATE)
            if failure.code == "TOOL_TIMEOUT":
                failure.details.setdefault("timeoutMs", self._timeout_ms(job.tool.name, job.tool.timeout_ms))
            state = self._host.engine.describe(*_parse_target(job.raw))
            return self._render_failure(job, failure, state)

    def _ask_helper(self, job: _CallState) -> Answer | None:
        """Return the answer of another process; None where this one has to answer."""
        tool, helpers = job.tool, self._helpers
        if helpers is None or job.throttle is not None or tool.name in self._inner or not tool.may_be_shared:
            return None
        return helpers.answer(tool.name, job.raw, job.call)

    def _build_success(self, job: _CallState, answer: Answer) -> Reply:
        if answer.state is not None:
            if len(self._states) >= MAX_STATES:
                self._states.clear()
            self._states[_parse_target(job.raw)] = answer.state
        if actions := answer.payload.get("suggested_next_actions"):
            answer.payload["suggested_next_actions"] = [row for row in actions if row["tool"] in self._served]
        if self._reword is not None:
            answer = reword_answer(answer, self._reword)
        return families.render_success(job.tool.family, answer)

    def _render_failure(self, job: _CallState, failure: Failure, state: ViewState) -> Reply:
        if self._reword is not None:
            failure = reword_failure(failure, self._reword)
        return families.render_failure(job.tool.family, failure, state, job.tool.name)

    # -- on any thread ---------------------------------------------------------------------------------------------

    def _get_last_state(self, job: _CallState) -> ViewState:
        """Return the last known state, for replies that must not wait for the engine; files may have changed since."""
        place = _parse_target(job.raw)
        known = self._states.get(place)
        if known is not None:
            return replace(known, freshness=UNKNOWN)
        return replace(UNKNOWN_STATE, ref=place[1]) if place[1] else UNKNOWN_STATE

    def _expire(self, job: _CallState, limit: int) -> None:
        """Settle a call that exceeded its deadline, on the deadline thread. The engine may hang, so it is not used."""
        text = f"{job.tool.name} took longer than {limit} ms and was stopped."
        self._settle(job, Failure("TOOL_TIMEOUT", text, {"timeoutMs": limit}))

    def _cancel(self, job: _CallState) -> bool:
        return self._settle(job, Failure("CANCELLED", "The call was cancelled."))

    def _settle(self, job: _CallState, failure: Failure) -> bool:
        """Reply with a failure and stop the call."""
        job.call.cancelled.set()
        if not self._finish(job, self._render_failure(job, failure, self._get_last_state(job))):
            return False
        self._release_slot(job)
        return True

    def _release_slot(self, job: _CallState) -> None:
        """Release the slot of a settled call; if it still runs, check after the grace period whether it returned."""
        if job.slot is not None and self.admission.release(job.slot):
            self._deadlines.schedule(time.monotonic() + self._grace_s, lambda: self._abandon_worker(job))

    def _abandon_worker(self, job: _CallState) -> None:
        assert job.slot is not None
        if self.admission.abandon(job.slot):
            lost = self.admission.get_state().lost
            self._log.event("warning", "worker_lost", tool=job.tool.name, id=job.call.id[:80], lost=lost)
        elif job.slot.state == "running":
            # Too many workers are lost already; try again later.
            self._deadlines.schedule(time.monotonic() + self._grace_s, lambda: self._abandon_worker(job))

    def _finish(self, job: _CallState, reply: Reply) -> bool:
        if not job.pending.try_settle():
            return False
        if job.deadline_token is not None:
            self._deadlines.cancel(job.deadline_token)
        if job.throttle is not None:
            job.throttle.close(flush=reply.code != "CANCELLED")
        spent = (time.monotonic() - job.began) * 1000
        size = len(reply.body)
        self.metrics.record(job.tool.name, spent, reply.code, size)
        slow = spent > job.tool.slow_ms
        level = "warning" if slow or reply.code == "INTERNAL" else "info"
        if self._log.is_enabled(level):
            self._log.event(
                level,
                "call",
                tool=job.tool.name,
                ms=round(spent, 1),
                code=reply.code or "ok",
                bytes=size,
                args=measure_arguments(job.raw, job.tool.fields),
                client=job.call.client[:80],
                id=job.call.id[:80],
                **({"slow_ms": job.tool.slow_ms} if slow else {}),
            )
        # Last, because a caller that has its reply may end the process.
        job.pending.set_reply(reply)
        return True
