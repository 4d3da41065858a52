"""Windows processes: end a process tree with `taskkill`, since there are no groups to signal. Spawns nothing."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from codecompass.errors import Failure

NEW_GROUP = 0x00000200
"""CREATE_NEW_PROCESS_GROUP: a Ctrl-C meant for us does not reach the child."""
_NOT_FOUND = 128
_EXCERPT_CHARACTERS = 200


class SystemProgramOutput(NamedTuple):
    """Exit code and output of a system program."""

    returncode: int
    stdout: bytes
    stderr: bytes


SystemProgramRunner = Callable[[Sequence[str]], SystemProgramOutput]


def build_taskkill_argv(pid: int) -> list[str]:
    """Build the Windows command that ends a process and its children."""
    return ["taskkill", "/PID", str(pid), "/T", "/F"]


def kill_by_taskkill(pid: int, run: SystemProgramRunner) -> None:
    """End a process with its children; not an error if it has already ended, but if we may not end it."""
    done = run(build_taskkill_argv(pid))
    if done.returncode in (0, _NOT_FOUND):
        return
    words = (done.stderr or done.stdout).decode("utf-8", "replace").strip()[:_EXCERPT_CHARACTERS]
    if "not found" in words.lower() or "no running instance" in words.lower():
        return
    raise Failure(
        "INTERNAL",
        f"The process {pid} could not be ended.",
        {"pid": pid, "stderr": words},
        hint="It may belong to another user; end it in the Task Manager.",
    )
