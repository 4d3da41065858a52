"""Atomic files: the old content or the new one, on the disk before its name is, and nothing left over."""

import errno
import os
import stat
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from codecompass import atomic
from codecompass.atomic import AtomicDirectory, create_file, move_into_place, open_file, reserve_temporary, write_file
from codecompass.repo.files.atomic_batch import AtomicBatch

Writer = Callable[[Path, bytes], object]


def _stream(path: Path, data: bytes) -> None:
    with open_file(path) as file:
        file.write(data[:3])
        file.write(data[3:])


def _move(path: Path, data: bytes) -> None:
    source = path.with_name("complete")
    source.write_bytes(data)
    try:
        move_into_place(source, path)
    finally:
        source.unlink(missing_ok=True)


def _move_directory(path: Path, data: bytes) -> None:
    """A directory replaces no file, so its file is what is looked at."""
    source = path.parent / "complete"
    (source / "below").mkdir(parents=True)
    (source / "below" / "file").write_bytes(data)
    move_into_place(source, path.parent / "moved")


def _batch(path: Path, data: bytes) -> None:
    with AtomicBatch.open(path.parent) as batch:
        batch.add(path.name, b"an earlier draft")
        batch.add(path.name, data)


WRITERS: dict[str, Writer] = {"write": write_file, "stream": _stream, "move": _move, "batch": _batch}
"""Everything that replaces a file."""


@pytest.fixture(params=[True, False], ids=["descriptors", "paths"])
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Path:
    """A directory, with and without support for directory descriptors."""
    monkeypatch.setattr(atomic, "HAS_DIRECTORY_FDS", request.param)
    (tmp_path / "folder").mkdir()
    return tmp_path / "folder"


@pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS)
def test_a_file_is_created_and_replaced(folder: Path, write: Writer) -> None:
    for data in (b"first", b"", b"second" * 100_000):
        write(folder / "x", data)
        assert (folder / "x").read_bytes() == data and os.listdir(folder) == ["x"]


@pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS)
def test_a_link_is_replaced_and_not_followed(folder: Path, write: Writer) -> None:
    (folder.parent / "other").write_bytes(b"other")
    (folder / "x").symlink_to(folder.parent / "other")
    write(folder / "x", b"new")
    assert not (folder / "x").is_symlink() and (folder / "x").read_bytes() == b"new"
    assert (folder.parent / "other").read_bytes() == b"other"


@pytest.mark.parametrize("write", [*WRITERS.values(), create_file, _move_directory], ids=[*WRITERS, "create", "moved"])
def test_the_order_of_steps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write: Writer) -> None:
    """The bytes are flushed, then the name is given, then the directory is flushed."""
    steps: list[tuple[str, int]] = []
    fsync, replace, link = os.fsync, os.replace, os.link

    def watch_fsync(fd: int) -> None:
        fsync(fd)
        steps.append(("flush", os.fstat(fd).st_ino))

    def watch(name: str, call: Callable[..., None]) -> Callable[..., None]:
        def watched(source: str, target: str, **at: int) -> None:
            inode = os.stat(source, dir_fd=at.get("src_dir_fd")).st_ino
            call(source, target, **at)
            steps.append((name, inode))

        return watched

    monkeypatch.setattr(os, "fsync", watch_fsync)
    monkeypatch.setattr(os, "replace", watch("name", replace))
    monkeypatch.setattr(os, "link", watch("name", link))
    write(tmp_path / "x", b"data")
    monkeypatch.undo()
    (named,) = [inode for step, inode in steps if step == "name"]
    assert steps[-1] == ("flush", tmp_path.stat().st_ino)
    before = {inode for step, inode in steps[: steps.index(("name", named))]}
    written = tmp_path / "x" if (tmp_path / "x").exists() else tmp_path / "moved" / "below" / "file"
    assert {named, written.stat().st_ino} <= before


def _fail(*_: object, **__: object) -> None:
    raise OSError(errno.EIO, "Input/output error")


@pytest.mark.parametrize("call", ["fsync", "replace"])
@pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS)
def test_a_disk_that_fails(folder: Path, monkeypatch: pytest.MonkeyPatch, write: Writer, call: str) -> None:
    """The old file stays and no temporary one does."""
    (folder / "x").write_bytes(b"old")
    with monkeypatch.context() as broken, pytest.raises(OSError):
        broken.setattr(os, call, _fail)
        write(folder / "x", b"new")
    assert (folder / "x").read_bytes() == b"old" and os.listdir(folder) == ["x"]


def test_a_writer_that_gives_up(folder: Path) -> None:
    (folder / "x").write_bytes(b"old")
    with pytest.raises(KeyboardInterrupt), open_file(folder / "x") as file:
        file.write(b"new")
        raise KeyboardInterrupt
    assert (folder / "x").read_bytes() == b"old" and os.listdir(folder) == ["x"]


@pytest.mark.parametrize("number", [errno.EINVAL, errno.ENOTSUP, errno.EIO])
def test_a_directory_that_cannot_be_flushed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """Some file systems cannot flush directories, which is no error; a broken disk is one."""
    fsync = os.fsync

    def flush(fd: int) -> None:
        if stat.S_ISDIR(os.fstat(fd).st_mode):
            raise OSError(number, os.strerror(number))
        fsync(fd)

    monkeypatch.setattr(os, "fsync", flush)
    if number == errno.EIO:
        with pytest.raises(OSError):
            write_file(tmp_path / "x", b"data")
    else:
        write_file(tmp_path / "x", b"data")
    assert (tmp_path / "x").read_bytes() == b"data"


@pytest.mark.parametrize(("mode", "umask", "found"), [(0o600, 0, 0o600), (0o666, 0o022, 0o644), (0o644, 0o077, 0o600)])
def test_the_mode_of_a_new_file(folder: Path, mode: int, umask: int, found: int) -> None:
    (folder / "x").write_bytes(b"old")
    (folder / "x").chmod(0o777)
    before = os.umask(umask)
    try:
        write_file(folder / "x", b"new", mode)
    finally:
        os.umask(before)
    assert stat.S_IMODE((folder / "x").stat().st_mode) == found


def test_of_two_creators_one_wins(folder: Path) -> None:
    assert [create_file(folder / "x", data) for data in (b"first", b"second")] == [True, False]
    assert (folder / "x").read_bytes() == b"first" and os.listdir(folder) == ["x"]
    (folder / "x").unlink()
    (folder / "x").symlink_to("elsewhere")
    assert not create_file(folder / "x", b"third") and os.listdir(folder) == ["x"]


def test_abandoned_files_go_when_they_are_old(folder: Path) -> None:
    """Those of the same name at the next write; files that may be in use, and files of others, stay."""
    old = [".x.0123456789ab.new", ".x.new", ".y.0123456789ab.new"]
    kept = [".x.aaaaaaaaaaaa.new", ".hidden", "x.new"]
    for name in (*old, *kept):
        (folder / name).write_bytes(b"")
    for name in (*old, ".hidden", "x.new"):
        os.utime(folder / name, (time.time() - 7_200,) * 2)
    write_file(folder / "x", b"data")
    assert set(os.listdir(folder)) == {"x", ".y.0123456789ab.new", *kept}
    with AtomicDirectory.open(folder) as directory:
        directory.remove_abandoned()
    assert set(os.listdir(folder)) == {"x", *kept}


def test_names_as_long_as_the_system_allows(folder: Path) -> None:
    for name in ("x" * 255, "ü" * 127, "\udcff" * 255):
        write_file(folder / name, b"data")
        assert (folder / name).read_bytes() == b"data"
    assert len(os.listdir(folder)) == 3


def test_a_reserved_path_replaces_those_of_dead_processes(folder: Path) -> None:
    target = folder / "[a].db"
    for name in (".[a].db.building-1", ".[a].db.building-2", ".other.db.building-1", "[a].db"):
        (folder / name).write_bytes(b"")
    assert reserve_temporary(target, ".building-") == folder / f".[a].db.building-{os.getpid()}"
    assert set(os.listdir(folder)) == {".other.db.building-1", "[a].db"}
