"""Crash report: what a command says after an error that nobody expected."""

import sys

from codecompass.errors import Failure
from codecompass.runtime.log import Log
from codecompass.surfaces.cli.output import show_failure


def report_crash(error: Exception, argv: list[str]) -> int:
    """Say in one line that the command failed, log where, and return the exit code."""
    if isinstance(error, ImportError) and error.name and not error.name.startswith("codecompass"):
        return show_failure(_describe_missing_package(error))
    if sys.stderr.isatty() and not {"-v", "-vv", "--verbose"} & set(argv):
        return show_failure(Failure("INTERNAL", "The command failed unexpectedly; with -v it says where."))
    Log().crash("command_crashed", error)
    return show_failure(Failure("INTERNAL", "The command failed unexpectedly; the log line above has the details."))


def _describe_missing_package(error: ImportError) -> Failure:
    """Return the Failure for a package that is missing, or whose native part does not load on this machine."""
    package = str(error.name).partition(".")[0]
    return Failure(
        "CAPABILITY_MISSING",
        f"The package {package}, which this program needs, cannot be loaded: {error}.",
        hint=f"Install it again for this Python: {sys.executable} -m pip install --force-reinstall codecompass",
    )
