"""Storage checks: permissions and disk space of a project's data, without opening its store."""

import os
import shutil
from pathlib import Path

from codecompass.errors import Failure
from codecompass.model.queries.results import DoctorCheck

LOW_SPACE = 200 * 2**20
NO_SPACE = 2**20
"""Bytes below which no database can be opened: SQLite needs some pages for each."""
GC_COMMAND = "codecompass care gc --max-age-days 30"


def check_unopenable(home: Path, failure: Failure) -> tuple[DoctorCheck, ...]:
    """Check why a project cannot be opened; the failure counts as damage only if nothing else explains it."""
    access = check_permissions(home)
    if access.status != "ok":
        return (access,)
    disk = check_disk_space(home, failure.code == "DISK_FULL")
    damage = DoctorCheck("records", "fail", failure.message, _suggest_recovery(home))
    return (access, disk) if disk.status == "fail" else (damage, access, disk)


def check_permissions(home: Path) -> DoctorCheck:
    """Check that all data of a project can be read and written."""
    directories = (home.parents[1], home.parent, home)
    denied = next((one for one in directories if not os.access(one, os.R_OK | os.W_OK | os.X_OK)), None)
    bad = denied or next((one for one in _list_files(home) if not os.access(one, os.R_OK | os.W_OK)), None)
    if bad is None:
        return DoctorCheck("permissions", "ok", "the index can be read and written")
    return DoctorCheck("permissions", "fail", f"{bad} cannot be read and written", f"chmod -R u+rwX '{denied or home}'")


def _list_files(home: Path) -> tuple[Path, ...]:
    # Temporary files of another process may disappear before they are checked.
    return tuple(path for path in home.iterdir() if path.exists())


def check_disk_space(home: Path, refused: bool = False, used: int | None = None) -> DoctorCheck:
    """Check the free space on the disk of a project."""
    free = shutil.disk_usage(home).free
    left = f"{free / 2**30:.1f} GiB free" if free >= 2**30 else f"{free / 2**20:.1f} MiB free"
    detail = left if used is None else f"{used / 2**20:.1f} MiB used, {left}"
    if refused or free < NO_SPACE:
        return DoctorCheck("disk", "fail", f"no disk space is left: {detail}",
                     f"free some megabytes on the disk of '{home}', then {GC_COMMAND}")  # fmt: skip
    return DoctorCheck("disk", "warn" if free < LOW_SPACE else "ok", detail, GC_COMMAND if free < LOW_SPACE else "")


def _suggest_recovery(home: Path) -> str:
    """Return the remedy without a backup: the damaged file is only renamed, so no data is lost."""
    file = home / "records.db"
    return f"restore records.db from a backup, or begin a new one: mv '{file}' '{file}.damaged' && codecompass init"
