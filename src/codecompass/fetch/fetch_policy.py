"""Fetch policy: allowed hosts, limits and deadlines of a download. `settings.py` documents the values."""

import time
from dataclasses import dataclass

from codecompass.errors import Failure
from codecompass.fetch.proxies import ProxySettings
from codecompass.model.call import Call
from codecompass.model.time_budget import TimeBudget

_STEP = 0.1


@dataclass(frozen=True, slots=True)
class FetchPolicy:
    """Limits of one fetch. Hosts are compared case-insensitively; `*.example.org` matches every name below it."""

    allowed_hosts: tuple[str, ...] = ()
    """The only hosts that may be contacted; empty for every public host."""
    private_hosts: tuple[str, ...] = ()
    """Hosts that may be in a private network or on this machine."""
    file_roots: tuple[str, ...] = ()
    """Directories whose files `file:` may name."""
    proxies: ProxySettings = ProxySettings()
    """Proxies for requests; none by default."""
    ca_file: str = ""
    """Certificates to trust instead of the system's."""
    max_bytes: int = 512 * 2**20
    total_s: float = 600.0
    idle_s: float = 30.0
    attempts: int = 3
    pause_s: float = 0.5
    """Seconds before the second attempt; each further one waits twice as long."""

    def is_allowed(self, host: str) -> bool:
        return not self.allowed_hosts or is_host_listed(host, self.allowed_hosts)

    def is_trusted(self, host: str) -> bool:
        """Whether a host may have an address that is not public."""
        return is_host_listed(host, self.private_hosts)


def is_host_listed(host: str, patterns: tuple[str, ...]) -> bool:
    """Whether one of the patterns matches a host."""
    host = host.lower().rstrip(".")
    for pattern in (one.lower().rstrip(".") for one in patterns):
        if host == pattern or (pattern.startswith("*.") and host.endswith(pattern[1:]) and len(host) >= len(pattern)):
            return True
    return False


class FetchDeadline:
    """Deadlines of one fetch: a time budget for all of it, and a limit on the time without any data."""

    def __init__(self, policy: FetchPolicy, call: Call) -> None:
        self._policy = policy
        self._total = TimeBudget.start(policy.total_s, call)
        self._idle_end = time.monotonic() + policy.idle_s

    def reset_idle(self) -> None:
        """Restart the idle timeout after data arrived."""
        self._idle_end = time.monotonic() + self._policy.idle_s

    def check(self) -> None:
        """Raise when the call was cancelled or a deadline has passed."""
        if self._total.is_over():
            raise make_timeout_failure(f"it took longer than {self._policy.total_s:g} seconds", "downloads.timeout_s")
        if time.monotonic() > self._idle_end:
            raise make_timeout_failure(f"nothing came for {self._policy.idle_s:g} seconds", "downloads.idle_s")

    @property
    def step_seconds(self) -> float:
        """Seconds that a single step may take."""
        return max(0.01, min(self._total.deadline, self._idle_end) - time.monotonic())

    @property
    def remaining_seconds(self) -> float:
        """Seconds until the whole fetch must be complete."""
        return self._total.get_remaining()

    def sleep(self, seconds: float) -> None:
        """Sleep without running into the idle timeout."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            self.check()
            time.sleep(min(left, _STEP))
            self.reset_idle()


def make_timeout_failure(why: str, setting: str) -> Failure:
    hint = f"Try again; a partial download is resumed if possible. The setting {setting} allows more time."
    return Failure("DOWNLOAD_FAILED", f"The download was aborted: {why}.", hint=hint)


class RetryableFetchError(Exception):
    """A failed attempt that may succeed when repeated."""

    def __init__(self, why: str, wait: float = 0.0) -> None:
        super().__init__(why)
        self.wait = wait
        """Seconds that the server asks us to wait (Retry-After)."""
