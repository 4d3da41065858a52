"""Road: a dispatch over tools whose behaviour a test commands, without any engine behind them."""

import io
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from codecompass.contract.tool import Answer, Host, Params, Tool
from codecompass.model.call import Call
from codecompass.runtime.admission import Admission
from codecompass.runtime.dispatch import Dispatch
from codecompass.runtime.log import Log
from codecompass.runtime.rate_limits import RateLimits
from tests.fake_engine import FakeEngine

PATIENCE_S = 20.0


class GateParams(Params, frozen=True, kw_only=True):
    """Which gate to wait at."""

    gate: str = ""
    deaf: bool = False


@dataclass
class Gates:
    """Work that waits until a test lets it go; `deaf` work looks neither at the clock nor at its caller."""

    gates: dict[str, threading.Event] = field(default_factory=dict)
    entered: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)

    def gate(self, name: str) -> threading.Event:
        return self.gates.setdefault(name, threading.Event())

    def run(self, _host: Host, call: Call, params: GateParams) -> Answer:
        self.entered.append(params.gate)
        try:
            while params.gate and not self.gate(params.gate).wait(0.005):
                if not params.deaf:
                    call.check()
            return Answer({"gate": params.gate})
        finally:
            self.left.append(params.gate)

    def open_all(self) -> None:
        for gate in list(self.gates.values()):
            gate.set()


def tool(run: Callable[..., Answer], name: str = "wait", params: type[Params] = GateParams, **more: object) -> Tool:
    return Tool(name=name, family="compass", summary="", params=params, run=run, **more)  # type: ignore[arg-type]


def road(
    tools: tuple[Tool, ...],
    *,
    admission: Admission | None = None,
    limits: RateLimits | None = None,
    timeout: int = 0,
    grace: float = 0.05,
    log: Log | None = None,
) -> Dispatch:
    quiet = log or Log("error", io.StringIO())
    return Dispatch(
        tools, Host(FakeEngine()), quiet, admission=admission, limits=limits, timeout_ms=lambda _tool, _own: timeout,
        grace_s=grace,
    )  # fmt: skip


def until(look: Callable[[], object], seconds: float = PATIENCE_S) -> None:
    """Wait for something to become true."""
    deadline = time.monotonic() + seconds
    while not look():
        assert time.monotonic() < deadline, "it never became true"
        time.sleep(0.002)
