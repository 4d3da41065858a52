"""Ending trees of processes on Windows, which has no groups to signal: `taskkill` walks the parents. Spawns nothing."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from codecompass.errors import Failure

NEW_GROUP = 0x00000200
"""CREATE_NEW_PROCESS_GROUP: a Ctrl-C meant for us does not reach the child."""
_NOT_FOUND = 128
_SHOWN = 200


class Said(NamedTuple):
    """How a program of the system ended, and what it wrote."""

    returncode: int
    stdout: bytes
    stderr: bytes


Runner = Callable[[Sequence[str]], Said]


def taskkill_argv(pid: int) -> list[str]:
    """The Windows command that ends a process and its children."""
    return ["taskkill", "/PID", str(pid), "/T", "/F"]


def kill_by_taskkill(pid: int, run: Runner) -> None:
    """End a process with its children; one that is gone already is no error, one that we may not end is."""
    done = run(taskkill_argv(pid))
    if done.returncode in (0, _NOT_FOUND):
        return
    words = (done.stderr or done.stdout).decode("utf-8", "replace").strip()[:_SHOWN]
    if "not found" in words.lower() or "no running instance" in words.lower():
        return
    raise Failure(
        "INTERNAL",
        f"The process {pid} could not be ended.",
        {"pid": pid, "stderr": words},
        hint="It may belong to another user; end it in the Task Manager.",
    )
