"""Resource limits of this process. On a system without them, setting does nothing and reading returns None."""

from contextlib import suppress
from typing import Literal

from codecompass.system.optional_module import import_optional

_RESOURCE = import_optional("resource")

LimitName = Literal["core", "cpu_seconds", "file_bytes", "memory_bytes", "open_files", "processes"]
_CONSTANTS: dict[LimitName, str] = {
    "core": "RLIMIT_CORE",
    "cpu_seconds": "RLIMIT_CPU",
    "file_bytes": "RLIMIT_FSIZE",
    "memory_bytes": "RLIMIT_AS",
    "open_files": "RLIMIT_NOFILE",
    "processes": "RLIMIT_NPROC",
}


def lower_limit(name: LimitName, most: int) -> None:
    """Lower a limit for good; nothing happens if the system refuses."""
    number = _find_limit(name)
    if _RESOURCE is not None and number is not None:
        with suppress(ValueError, OSError):
            _RESOURCE.setrlimit(number, (most, most))


def set_soft_limit(name: LimitName, most: int) -> None:
    """Set the soft limit, which this process may raise again."""
    number = _find_limit(name)
    if _RESOURCE is not None and number is not None:
        _, hard = _RESOURCE.getrlimit(number)
        _RESOURCE.setrlimit(number, (most, hard))


def read_soft_limit(name: LimitName) -> int | None:
    """Return the soft limit; None if there is none or the system has no limits."""
    number = _find_limit(name)
    if _RESOURCE is None or number is None:
        return None
    soft = int(_RESOURCE.getrlimit(number)[0])
    return None if soft == _RESOURCE.RLIM_INFINITY else soft


def _find_limit(name: LimitName) -> int | None:
    """Return the system's number of a limit; not every system has every limit."""
    return getattr(_RESOURCE, _CONSTANTS[name], None)
