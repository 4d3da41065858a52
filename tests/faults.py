"""Faults to be put under a running program: flipped bits, full disks, system calls that fail.

Nothing here knows what is tested, so that any test, the long simulation too, can use it:

- `flip_bit`, `flips` and `damages`: bytes of a file are changed;
- `small_disk`: a file system of a few pages, where the system lets us mount one;
- `no_room`: files cannot grow, for a child process (`preexec_fn`);
- `few_files`: a child may open few files;
- `failing_calls`: a library that makes chosen system calls of a child fail from the Nth call on.
"""

import os
import random
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

SHIM = Path(__file__).with_name("failing_calls.c")
CALLS = ("fdatasync", "fsync", "write", "pwrite", "open", "rename", "link", "ftruncate", "mmap")
"""What `failing_calls` can make fail; each stands for its variants (`pwrite64`, `openat`, …)."""


# -- bytes -------------------------------------------------------------------------------------------------------------


def flip_bit(path: Path, at: int, bit: int = 0) -> None:
    """Change one bit of a file where it lies, as a bad disk does: every process that reads it sees the change."""
    with path.open("r+b") as file:
        file.seek(at)
        byte = file.read(1)[0]
        file.seek(at)
        file.write(bytes([byte ^ 1 << bit]))


def flips(size: int, count: int, seed: int, *, edge: int = 100) -> list[tuple[int, int]]:
    """Places of bits in a file: a third at its beginning, where headers stand, a few at its end, the rest anywhere."""
    chooser = random.Random(seed)
    at = [chooser.randrange(min(edge, size)) for _ in range(count // 3)]
    at += [size - 1 - chooser.randrange(min(edge, size)) for _ in range(count // 6)]
    at += [chooser.randrange(size) for _ in range(count - len(at))]
    return [(one, chooser.randrange(8)) for one in at]


def damages(content: bytes) -> dict[str, bytes]:
    """Larger damage: what is left of a file after a cut, a lost write, or a write by something else."""
    middle = len(content) // 2
    return {
        "empty": b"",
        "cut": content[:middle],
        "zeros": bytes(len(content)),
        "garbage": b"\x55" * len(content),
        "half zeros": content[:middle] + bytes(len(content) - middle),
    }


# -- disks -------------------------------------------------------------------------------------------------------------


@contextmanager
def small_disk(place: Path, size: str) -> Iterator[Path]:
    """A file system of that size at `place`; the test is skipped where the system permits no mount."""
    place.mkdir(parents=True, exist_ok=True)
    mount = shutil.which("mount")
    if sys.platform != "linux" or mount is None or os.geteuid() != 0:
        pytest.skip("only the superuser of a Linux system can mount a small disk")
    made = subprocess.run([mount, "-t", "tmpfs", "-o", f"size={size}", "none", str(place)], capture_output=True)
    if made.returncode:
        pytest.skip(f"no small disk here: {made.stderr.decode(errors='replace').strip()}")
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True, capture_output=True)


def fill(place: Path) -> Path:
    """Take all the room that is left on the disk of a directory; deleting the file gives it back."""
    filler = place / "filler"
    with filler.open("wb", buffering=0) as file:
        for block in (2**16, 2**12, 1):
            try:
                while file.write(b"\0" * block):
                    pass
            except OSError:
                continue
    return filler


def no_room(size: int = 0) -> Callable[[], None]:
    """For a child process: no file can be written beyond `size` bytes. The system says EFBIG, not ENOSPC."""

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return limit


def few_files(most: int) -> Callable[[], None]:
    """For a child process: it can hold so many files open; one more is EMFILE."""
    return lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


# -- system calls ------------------------------------------------------------------------------------------------------


def failing_calls(
    build: Path, calls: Sequence[str], error: int, *, below: Path, after: int = 0, count: int = 0
) -> dict[str, str]:
    """The environment of a child in which calls on files below a directory fail with an error number.

    The first `after` such calls still work; of the rest `count` fail, all of them when it is 0. The test is skipped
    where no C compiler is found.
    """
    compiler = shutil.which("cc") or shutil.which("gcc")
    if sys.platform != "linux" or compiler is None:
        pytest.skip("system calls can be made to fail on Linux with a C compiler")
    library = build / "failing_calls.so"
    if not library.exists():
        build.mkdir(parents=True, exist_ok=True)
        argv = [compiler, "-shared", "-fPIC", "-O1", "-o", str(library), str(SHIM), "-ldl"]
        subprocess.run(argv, check=True, capture_output=True)
    return {
        "LD_PRELOAD": str(library), "FAIL_CALLS": ",".join(calls), "FAIL_ERROR": str(error),
        "FAIL_BELOW": os.path.realpath(below), "FAIL_AFTER": str(after), "FAIL_COUNT": str(count),
    }  # fmt: skip
