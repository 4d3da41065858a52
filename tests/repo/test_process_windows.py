"""The Windows way, as far as it can be seen from elsewhere: what would be run, and how its answers are taken."""

from collections.abc import Sequence

import pytest

from codecompass.errors import Failure
from codecompass.repo.process import supervisor
from codecompass.repo.process.process_tree import ProcessTree
from codecompass.repo.process.supervisor import Supervisor, get_platform_options
from codecompass.system.windows_processes import SystemProgramOutput, build_taskkill_argv, kill_by_taskkill


def test_a_tree_is_ended_with_taskkill(monkeypatch: pytest.MonkeyPatch) -> None:
    """PROC-WINDOWS: by number, with its children, by force; and the supervisor of such a system does just that."""
    ran: list[list[str]] = []

    def runner(argv: Sequence[str]) -> SystemProgramOutput:
        ran.append(list(argv))
        return SystemProgramOutput(0, b"SUCCESS", b"")

    kill_by_taskkill(42, runner)
    monkeypatch.setattr(supervisor, "run_system_program", runner)
    Supervisor("win32").stop(ProcessTree(43, ""))
    assert ran == [["taskkill", "/PID", "42", "/T", "/F"], ["taskkill", "/PID", "43", "/T", "/F"]]
    assert build_taskkill_argv(7)[-2:] == ["/T", "/F"]


@pytest.mark.parametrize(
    "said",
    [
        SystemProgramOutput(128, b"", b'ERROR: The process "42" not found.'),
        SystemProgramOutput(1, b"", b'ERROR: The process "42" not found.'),
        SystemProgramOutput(255, b"There is no running instance of the task.", b""),
    ],
)
def test_what_is_gone_is_no_error(said: SystemProgramOutput) -> None:
    """PROC-WINDOWS: it ended between two steps, which is what was wanted."""
    kill_by_taskkill(42, lambda _: said)


def test_what_may_not_be_ended_is_said() -> None:
    """PROC-WINDOWS: a process of somebody else is a failure with a way out, not silence."""
    with pytest.raises(Failure, match="42 could not be ended") as caught:
        kill_by_taskkill(42, lambda _: SystemProgramOutput(1, b"", b"ERROR: Access is denied."))
    assert (
        caught.value.details["stderr"] == "ERROR: Access is denied." and "Task Manager" in caught.value.effective_hint
    )


def test_a_child_gets_a_group_of_its_own() -> None:
    """PROC-WINDOWS: CREATE_NEW_PROCESS_GROUP there, a session elsewhere."""
    assert get_platform_options("win32") == {"creationflags": 0x200}
    assert get_platform_options("linux") == get_platform_options("darwin") == {"start_new_session": True}
    assert not Supervisor("win32").adopt()
