"""Work that takes a while: repositories large enough to watch a job at, and what to watch it with."""

import json
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from codecompass.repo.process.child_process import is_alive
from codecompass.repo.process.process_tree import find_descendants, list_processes
from codecompass.store.embedded.databases.records_database import EmbeddedRecords

PATIENCE_S = 40.0
T = TypeVar("T")
METADATA = {
    "codecompass_protocol_version", "freshness_status", "indexing_status", "result_completeness", "ref",
    "schema_status",
}  # fmt: skip


def write_files(root: Path, count: int, word: str = "bulk") -> None:
    """Python files that take a parse worker about a millisecond each."""
    for number in range(count):
        path = root / f"{word}{number % 20}" / f"{word}_{number}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        line = f"return {word}_call(left) + right"
        body = "".join(f"    def step_{step}(self, left, right):\n        {line}\n\n" for step in range(8))
        path.write_text(f"class {word.title()}{number}:\n{body}")


def until(look: Callable[[], T], good: Callable[[T], bool], seconds: float = PATIENCE_S) -> T:
    """Look again and again until what is seen is good."""
    deadline = time.monotonic() + seconds
    while True:
        seen = look()
        if good(seen):
            return seen
        assert time.monotonic() < deadline, f"not within {seconds} s; last seen: {seen}"
        time.sleep(0.03)


def payload(answer: dict[str, Any]) -> dict[str, Any]:
    """The object of a tool's answer, with its metadata checked: six fields, in success and in failure."""
    result = answer["result"]
    found: dict[str, Any] = result["structuredContent"]
    assert json.loads(result["content"][0]["text"]) == found
    assert METADATA <= set(found["metadata"]), found
    assert found["metadata"]["codecompass_protocol_version"] == "1.0"
    assert result["isError"] == ("error" in found)
    return found


def home_of(data: Path, project_id: str) -> Path:
    return data / "projects" / project_id


def process_of(data: Path, project_id: str, job_id: str) -> tuple[int, str]:
    """Pid and start time of the process that runs a job, from the records."""
    records = EmbeddedRecords(home_of(data, project_id) / "records.db")
    try:
        job = until(lambda: records.job(job_id), lambda job: job is not None and job.pid > 0)
        assert job is not None
        return job.pid, job.start_time
    finally:
        records.close()


def family_of(pid: int, start_time: str) -> dict[int, str]:
    """A process and all that descend from it, each with its start time."""
    return {pid: start_time, **find_descendants([pid], list_processes())}


def all_gone(family: dict[int, str], seconds: float = 5.0) -> None:
    until(lambda: [pid for pid, began in family.items() if is_alive(pid, began)], lambda left: not left, seconds)


def kill_hard(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)
