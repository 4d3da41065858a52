"""Wrk: the same requests made by a load generator that is not ours."""

import json
import math
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

SHORTEST_S = 2
SCRIPT = """\
local bodies = {@BODIES@}
local at = 0

function request()
  at = at % #bodies + 1
  return wrk.format("POST", "@PATH@", {["content-type"] = "application/json"}, bodies[at])
end

function done(summary, latency)
  local errors = summary.errors
  local lost = errors.connect + errors.read + errors.write + errors.timeout
  io.write(string.format('{"calls":%d,"us":%d,"odd":%d,"lost":%d,"p50":%d,"p95":%d,"p99":%d,"most":%d}\\n',
    summary.requests, summary.duration, errors.status, lost,
    latency:percentile(50), latency:percentile(95), latency:percentile(99), latency.max))
end
"""


@dataclass(frozen=True, slots=True)
class Heard:
    """What wrk says of a run; times in milliseconds."""

    calls: int
    odd: int
    """Answers that are none of the good ones, and connections that were lost."""
    per_second: float
    p50: float
    p95: float
    p99: float
    most: float


def script(path: str, bodies: Sequence[object]) -> str:
    """One request after the other, over and over, and its figures as JSON at the end."""
    quoted = ", ".join(f"[==[{json.dumps(body)}]==]" for body in bodies)
    return SCRIPT.replace("@BODIES@", quoted).replace("@PATH@", path)


def heard(text: str) -> Heard:
    """The figures that the script wrote, behind wrk's own report."""
    said = json.loads(text.rstrip().rpartition("\n")[2])
    times = [said[key] / 1000 for key in ("p50", "p95", "p99", "most")]
    return Heard(said["calls"], said["odd"] + said["lost"], said["calls"] / said["us"] * 1_000_000, *times)


def post(
    program: str, url: str, path: str, bodies: Sequence[object], clients: int, seconds: float, scratch: Path
) -> Heard:
    """Load for so long; wrk counts time, not requests."""
    written = scratch / "requests.lua"
    written.write_text(script(path, bodies), encoding="utf-8")
    lasts = max(SHORTEST_S, math.ceil(seconds))
    command = [program, "--threads", "1", "--connections", str(clients), "--duration", f"{lasts}s", "--timeout", "30s",
               "--script", str(written), url]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=lasts + 120, check=True)
    return heard(done.stdout)
