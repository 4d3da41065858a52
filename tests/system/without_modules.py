"""A program that runs codecompass in a process without what only Unix has.

    python -m tests.system.without_modules import
    python -m tests.system.without_modules index REPO DATA NAME

`import` imports every module, also without the signals and functions that Windows lacks. `index` indexes a repository
and locates a name; its parse workers run without the modules too. A stand-in for `msvcrt` is offered, as on Windows.
"""

import importlib
import os
import pkgutil
import signal
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import mcp.server  # noqa: F401  (like asyncio it decides by sys.platform to import fcntl, so it is imported before)

from tests.architecture.levels import SYSTEM_MODULES

SIGNALS = ("SIGKILL", "SIGHUP", "SIGCHLD", "SIGSTOP", "SIGPIPE", "SIGXFSZ", "SIGURG", "pthread_sigmask", "sigwait")
FUNCTIONS = ("fork", "geteuid", "killpg", "setsid", "waitid", "P_PID", "P_ALL", "WEXITED", "WNOHANG", "WNOWAIT",
             "pwrite", "sysconf", "O_CLOEXEC", "O_NOFOLLOW", "O_DIRECTORY", "O_NONBLOCK", "O_NOCTTY")  # fmt: skip
WORKER = "import tests.system.without_modules as it, runpy; it.hide_modules(); runpy.run_module({!r}, None, '__main__')"


def hide_modules() -> None:
    """Make the modules of Unix absent, and `msvcrt` present."""
    hidden: dict[str, Any] = sys.modules
    hidden.update(dict.fromkeys(SYSTEM_MODULES))
    hidden["msvcrt"] = make_msvcrt()


def make_msvcrt() -> ModuleType:
    """Make a module whose `locking` locks bytes from the current position, as that of Windows does."""
    module = ModuleType("msvcrt")

    def locking(descriptor: int, mode: int, size: int) -> None:
        os.lockf(descriptor, os.F_TLOCK if mode else os.F_ULOCK, size)

    vars(module).update(LK_UNLCK=0, LK_NBLCK=2, locking=locking)
    return module


def import_all() -> int:
    """Import every module of the program, and return their number."""
    for name in SIGNALS:
        delattr(signal, name)
    for name in FUNCTIONS:
        delattr(os, name)
    import codecompass  # noqa: PLC0415  (after the modules are hidden)

    names = [one.name for one in pkgutil.walk_packages(codecompass.__path__, "codecompass.")]
    for name in names:
        if name != "codecompass.__main__":
            importlib.import_module(name)
    return len(names)


def index_and_locate(repo: str, data: str, name: str) -> list[str]:
    """Index a repository and return the places where a name is defined."""
    from codecompass.engine.index import worker_pool  # noqa: PLC0415  (after the modules are hidden)
    from codecompass.repo.process.worker_process import WorkerProcess  # noqa: PLC0415  (after the modules are hidden)
    from tests.engine.support import desk_on  # noqa: PLC0415  (after the modules are hidden)

    class PoorWorker(WorkerProcess):
        @classmethod
        def start(cls, argv: Sequence[str], env: Mapping[str, str], **limits: Any) -> Any:  # noqa: ANN401
            at = argv.index("-m")
            program = [*argv[:at], "-c", WORKER.format(argv[at + 1]), *argv[at + 2 :]]
            return super().start(program, {**env, "PYTHONPATH": os.getcwd()}, **limits)

    vars(worker_pool)["WorkerProcess"] = PoorWorker
    with desk_on(Path(repo), Path(data)) as desk:
        desk.index()
        return sorted(desk.places(name))


if __name__ == "__main__":
    hide_modules()
    found = import_all() if sys.argv[1] == "import" else index_and_locate(*sys.argv[2:])
    sys.stdout.write(f"{found}\n")
