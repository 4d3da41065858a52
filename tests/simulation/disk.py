"""A disk that fills and empties: a small file system in memory where one may be mounted, else a plain directory."""

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

SIZE_MB = 24
_BLOCK = b"\0" * 65_536


@dataclass
class Disk:
    """Where the index lies. `fill` does nothing on a disk that others use too."""

    path: Path
    mounted: bool = False
    is_full: bool = False

    @property
    def ballast(self) -> Path:
        return self.path / "ballast"

    def fill(self) -> bool:
        """Take every byte that is free; whether that was done."""
        if not self.mounted:
            return False
        with self.ballast.open("ab", buffering=0) as file:
            for size in (len(_BLOCK), 4096, 1):
                try:
                    while True:
                        file.write(_BLOCK[:size])
                except OSError:
                    continue
        self.is_full = True
        return True

    def empty(self) -> None:
        self.ballast.unlink(missing_ok=True)
        self.is_full = False

    def close(self) -> None:
        if self.mounted:
            subprocess.run(["umount", "-l", str(self.path)], check=False, capture_output=True)


def open_disk(path: Path, *, small: bool) -> Disk:
    """A disk of its own where that was asked for and may be had."""
    path.mkdir(parents=True)
    if not small or os.geteuid() or not shutil.which("mount"):
        return Disk(path)
    argv = ["mount", "-t", "tmpfs", "-o", f"size={SIZE_MB}m,mode=700", "tmpfs", str(path)]
    done = subprocess.run(argv, check=False, capture_output=True)
    return Disk(path, mounted=done.returncode == 0)
