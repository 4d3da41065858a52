"""Durable: what a tool has answered is on the disk, and a process that is killed leaves whole records or none."""

import json
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from codecompass import atomic
from codecompass.engine.triage.record_store import RecordStore
from tests.engine.maintenance.places import dies
from tests.engine.triage.triage_repo import MERGE, YAML, Bench
from tests.surfaces.conftest import Shell, environment, make_repository
from tests.surfaces.stdio_client import Peer

MANY = [{**YAML, "vulnId": f"V-{number:03}"} for number in range(100)]
PLACING = "atomic:AtomicDirectory"


class Disk:
    """Watches what is brought to the disk, and when."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.synced: set[int] = set()
        self.early: list[str] = []
        """Files that got their names before their bytes were safe."""
        self.renamed: dict[str, int] = {}
        self.folders: dict[int, int] = {}
        """Folder → how many renames were behind it when it was last synced."""
        self.moves: dict[int, int] = {}
        """Folder → how many renames there were in it."""
        fsync, replace, syncfs = os.fsync, os.replace, atomic._SYNCFS

        def watching(fd: int) -> None:
            fsync(fd)
            self.synced.add(os.fstat(fd).st_ino)
            self.folders[os.fstat(fd).st_ino] = self.moves.get(os.fstat(fd).st_ino, 0)

        def flushing(fd: int) -> int:
            self.synced |= {entry.inode() for entry in os.scandir(fd)}
            return int(syncfs(fd)) if syncfs is not None else -1

        def moving(source: str, target: str, *, src_dir_fd: int | None = None, dst_dir_fd: int | None = None) -> None:
            assert src_dir_fd is not None
            inode, folder = os.stat(source, dir_fd=src_dir_fd).st_ino, os.fstat(src_dir_fd).st_ino
            if inode not in self.synced:
                self.early.append(target)
            replace(source, target, src_dir_fd=src_dir_fd, dst_dir_fd=dst_dir_fd)
            self.renamed[target] = inode
            self.moves[folder] = self.moves.get(folder, 0) + 1

        monkeypatch.setattr(os, "fsync", watching)
        monkeypatch.setattr(os, "replace", moving)
        if syncfs is not None:
            monkeypatch.setattr(atomic, "_SYNCFS", flushing)

    def check(self, folder: Path, records: set[str]) -> None:
        """Every record is safe, and so is its name."""
        assert {f"{one}.json" for one in records} <= set(self.renamed) and self.early == []
        for level in (folder, folder.parent, folder.parent.parent):
            assert level.stat().st_ino in self.folders, level.name
        for one, renames in self.moves.items():
            assert self.folders[one] == renames, "no name was given after the last look at the folder"


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Disk:
    return Disk(monkeypatch)


@pytest.mark.parametrize("findings", [[YAML], [YAML, MERGE], MANY], ids=["one", "two", "many"])
def test_findings_are_on_the_disk_when_it_is_said(bench: Bench, disk: Disk, findings: list[dict[str, Any]]) -> None:
    """TRIAGE-DURABLE: bytes before names, names before the answer, and the folders that were made for them."""
    made = bench.ingest(*findings)
    assert made.written == len(findings)
    disk.check(bench.folder(), {one.record_id for one in made.stored})
    disk.moves, disk.renamed = {}, {}
    changed = bench.ingest(*({**one, "title": "Another title"} for one in findings))
    assert changed.counts == {"updated": len(findings)}
    disk.check(bench.folder(), {one.record_id for one in changed.stored})


def test_a_decision_is_on_the_disk_when_it_is_said(bench: Bench, disk: Disk) -> None:
    """TRIAGE-DURABLE: a decision is safe by itself."""
    finding = bench.one(YAML)
    disk.renamed.clear()
    made = bench.decide(finding, "accept")
    disk.check(bench.folder(), {made.record.record_id})


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Shell]:
    shell = Shell(make_repository(tmp_path / "repo"), environment(tmp_path))
    shell.run("init")
    (tmp_path / "repo" / "many.json").write_text(json.dumps(MANY))
    yield shell


def called(shell: Shell, tool: str, **arguments: object) -> dict[str, Any]:
    """A tool of a server that is killed, hard, the moment it has answered."""
    peer = Peer([sys.executable, "-m", "codecompass", "serve-mcp"], shell.cwd, shell.env)
    try:
        peer.open()
        answer = peer.call(1, tool, **arguments)["result"]["structuredContent"]
        peer.process.kill()
    finally:
        peer.kill()
    return dict(answer)


def test_killed_right_after_the_answer(place: Shell) -> None:
    """TRIAGE-DURABLE: every record that was named and every decision is there, whole, after kill -9."""
    made = called(place, "triage_ingest", source="generic", inputPath="many.json")
    assert made["written"] == len(MANY)
    folder = Path(made["recordsDir"])
    for record in made["records"]:
        assert json.loads(Path(record["jsonPath"]).read_text())["recordId"] == record["recordId"]
        assert Path(record["mdPath"]).read_text().startswith("# ")
    first = made["recordIds"][0]
    decided = [called(place, "triage_decision", finding=first, status=word) for word in ("defer", "accept", "fix")]
    known = RecordStore(folder.parent).get_records()[1]
    assert len(known) == len(MANY) + 3 and {one["recordId"] for one in decided} <= set(known)
    assert not [path.name for path in folder.iterdir() if path.name.startswith(".")]
    shown = json.loads(place.run("triage", "show", first, "--json").stdout)
    assert shown["standing"]["status"] == "fix"


@pytest.mark.parametrize(
    "point",
    [f"{PLACING}.{at}" for at in ("write_temporary:after:3", "flush:before:1", "flush:after:1", "rename:after:5")],
)
def test_killed_in_the_middle(bench: Bench, tmp_path: Path, point: str) -> None:
    """TRIAGE-DURABLE, TRIAGE-OWNED: whatever is there is whole; taking it in again completes it and tidies up."""
    old = bench.ingest(*MANY[:10])
    before = {path.name: path.read_bytes() for path in bench.folder().glob("*.json")}
    newer = [{**one, "title": "Another title"} for one in MANY]
    dies(point, lambda: bench.ingest(*newer))
    found = bench.engine.triage_findings(None, "", "", "", 200)
    assert found.damaged == () and found.total >= len(before)
    titles = {one.record.vuln.title for one in found.entries}
    assert titles <= {"Code runs while loading", "Another title"} and old.written == 10
    for path in bench.folder().glob(".*"):
        os.utime(path, (0, 0))
    again = bench.ingest(*newer)
    assert sum(again.counts.values()) == len(MANY) and again.errors == 0
    assert len(list(bench.folder().iterdir())) == 2 * len(MANY), "what the dead writer left is gone"
    shutil.rmtree(tmp_path, ignore_errors=True)
