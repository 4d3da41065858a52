"""Obstacle: what stands between us and a project's own data, seen from outside: the store need not open for it."""

import os
import shutil
from pathlib import Path

from codecompass.errors import Failure
from codecompass.model.queries.results import Check

LEAST_FREE = 200 * 2**20
NONE_FREE = 2**20
"""Below this not even a database can be opened: SQLite wants some pages beside each."""
SWEEP = "codecompass care gc --max-age-days 30"


def obstacles(home: Path, failure: Failure) -> tuple[Check, ...]:
    """Why a project cannot be opened; the failure itself counts as damage only where nothing else explains it."""
    access = permissions(home)
    if access.status != "ok":
        return (access,)
    disk = room(home, failure.code == "DISK_FULL")
    damage = Check("records", "fail", failure.message, _aside(home))
    return (access, disk) if disk.status == "fail" else (damage, access, disk)


def permissions(home: Path) -> Check:
    """All that is kept of a project can be read and written to."""
    above = (home.parents[1], home.parent, home)
    barred = next((one for one in above if not os.access(one, os.R_OK | os.W_OK | os.X_OK)), None)
    closed = barred or next((one for one in _files(home) if not os.access(one, os.R_OK | os.W_OK)), None)
    if closed is None:
        return Check("permissions", "ok", "the index can be read and written")
    return Check("permissions", "fail", f"{closed} cannot be read and written", f"chmod -R u+rwX '{barred or home}'")


def _files(home: Path) -> tuple[Path, ...]:
    # Files that another process has made for the moment may be gone before they are looked at.
    return tuple(path for path in home.iterdir() if path.exists())


def room(home: Path, refused: bool = False, used: int | None = None) -> Check:
    """Free space on the disk that a project lies on."""
    free = shutil.disk_usage(home).free
    left = f"{free / 2**30:.1f} GiB free" if free >= 2**30 else f"{free / 2**20:.1f} MiB free"
    detail = left if used is None else f"{used / 2**20:.1f} MiB used, {left}"
    if refused or free < NONE_FREE:
        return Check("disk", "fail", f"no room is left to work with: {detail}",
                     f"free some megabytes on the disk of '{home}', then {SWEEP}")  # fmt: skip
    return Check("disk", "warn" if free < LEAST_FREE else "ok", detail, SWEEP if free < LEAST_FREE else "")


def _aside(home: Path) -> str:
    """The way on for whoever has no backup: nothing is lost by it that could still be read later."""
    file = home / "records.db"
    return f"restore records.db from a backup, or begin a new one: mv '{file}' '{file}.damaged' && codecompass init"
