"""Portable state: an index carried to another machine, checked before anything of it is used."""

import hashlib
import json
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

import apsw
import msgspec
import pytest
import zstandard

from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.store.embedded.catalog.index_writer import EmbeddedWriter
from codecompass.store.embedded.databases.sqlite_connection import open_database
from codecompass.store.embedded.files.bundle_file import MANIFEST
from codecompass.store.embedded.files.tarball import TarballReader, add_bytes, open_tar_writer
from codecompass.store.ports import NewBlob
from tests.engine.maintenance.places import FILES, ME, all_rows, answers, dies, indexed, repo_with, store_of
from tests.engine.support import Desk, desk_on
from tests.repo.gitrepo import commit, git, make_repo

PLACING = "store.embedded.files.index_swap"
POINTS = [
    "store.embedded.files.bundle_file:adopt:after:1",
    f"{PLACING}:sync_directory:after:1",
    f"{PLACING}:_move:before:1",
    f"{PLACING}:_move:after:1",
    f"{PLACING}:_move:after:2",
    "engine.maintenance.storage.state_bundle:import_bundle:after:1",
]


class Works:
    """A build server that exported, and a clone of its repository elsewhere with one file changed."""

    def __init__(self, base: Path) -> None:
        self.server = repo_with(base / "server")
        self.bundle = base / "state.tar.zst"
        with indexed(self.server, base / "server-data") as desk:
            self.report = desk.engine.export_state(None, None, str(self.bundle), Call())
            self.said = answers(desk)
        self.laptop = base / "laptop"
        git(base, "clone", "-q", str(self.server), str(self.laptop))
        (self.laptop / "pkg" / "mod5.py").write_text("def changed_here():\n    return 5\n")


@pytest.fixture(scope="module")
def works(tmp_path_factory: pytest.TempPathFactory) -> Works:
    return Works(tmp_path_factory.mktemp("works"))


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[NewBlob]:
    """Every blob that is parsed and stored from now on."""
    found: list[NewBlob] = []
    original = EmbeddedWriter.add

    def counting(writer: EmbeddedWriter, blob: NewBlob) -> int:
        found.append(blob)
        return original(writer, blob)

    monkeypatch.setattr(EmbeddedWriter, "add", counting)
    return found


def brought(desk: Desk, bundle: Path) -> None:
    desk.engine.import_state(None, str(bundle), Call())


def test_only_the_difference_is_parsed(works: Works, tmp_path: Path, parsed: list[NewBlob]) -> None:
    """STATE-DIFFERENCE: a laptop that begins from a build server's bundle parses what it changed itself, no more."""
    with desk_on(works.laptop, tmp_path / "data") as desk:
        brought(desk, works.bundle)
        assert [blob.symbols for blob in parsed] == [(("changed_here", 0, "fn"),)]
        assert desk.places("changed_here") == {"pkg/mod5.py:1"} and not desk.places("stays_5")
        assert answers(desk) == works.said, "and answers like the server for all it has in common"
        assert store_of(desk).verify() == [] and desk.locate("stays_3").state.freshness == "fresh"
        (works.laptop / "pkg" / "new.py").write_text("def later():\n    pass\n")
        desk.index()
        (works.laptop / "pkg" / "new.py").unlink()
        assert desk.places("later") == {"pkg/new.py:1"} and len(parsed) == 2, "a writer goes on from there"


def test_what_is_read_and_found_equal_did_not_change(works: Works, tmp_path: Path) -> None:
    """STATE-CHANGED: after an import every file is read; those that differ from the bundle are the changed ones."""
    same = tmp_path / "same"
    git(tmp_path, "clone", "-q", str(works.server), str(same))
    with desk_on(same, tmp_path / "data") as desk:
        job = desk.engine.import_state(None, str(works.bundle), Call()).job
        assert job is not None and (job.changed_files, job.file_count) == (0, len(FILES))
        (same / "pkg" / "mod1.py").write_text("def other():\n    return 1\n")
        (same / "pkg" / "mod2.py").unlink()
        (same / "pkg" / "mod9.py").write_text("def nine():\n    return 9\n")
        (same / "README.md").touch()
        (same / "picture").write_bytes(b"\0\1\2")
        assert desk.index().changed_files == 4, "one differs, one is gone, two are new, one has only another time"
        (same / "picture").touch()
        assert desk.index().changed_files == 0
    with desk_on(works.laptop, tmp_path / "laptop") as desk:
        job = desk.engine.import_state(None, str(works.bundle), Call()).job
        assert job is not None and job.changed_files == 1


def test_a_branch_needs_not_even_be_read(works: Works, tmp_path: Path, parsed: list[NewBlob]) -> None:
    """STATE-DIFFERENCE: what git knows by its hash is found by it."""
    with desk_on(works.laptop, tmp_path / "data") as desk:
        brought(desk, works.bundle)
        parsed.clear()
        git(works.laptop, "branch", "-f", "aside", "main")
        desk.index("aside")
        assert not parsed and desk.places("stays_5", "aside") == {"pkg/mod5.py:1"}


def test_a_bundle_says_what_it_is(works: Works) -> None:
    """STATE-BUNDLE: a Zstandard tar, its manifest first: versions, commit, ref, counts, and SHA-256 of each member."""
    members = unpacked(works.bundle)
    manifest = json.loads(members.pop(MANIFEST))
    assert manifest["format"] == "codecompass state" and manifest["version"] == 2 and manifest["index_version"] > 0
    assert manifest["commit"] == git(works.server, "rev-parse", "HEAD") and manifest["ref"] == "main"
    assert manifest["roots"] == [manifest["commit"]] and manifest["files"] == len(FILES) == manifest["blobs"]
    assert manifest["tool_version"] and manifest["created_at"] and manifest["symbols"] >= 8
    for item in manifest["members"]:
        data = members.pop(item["name"])
        assert len(data) == item["size"] and hashlib.sha256(data).hexdigest() == item["sha256"]
    assert not members
    whole = zstandard.ZstdDecompressor().decompressobj().decompress(works.bundle.read_bytes())
    assert str(works.server).encode() not in whole, "no path of the machine it comes from"


def test_a_writer_at_work_is_neither_held_up_nor_seen(tmp_path: Path, parsed: list[NewBlob]) -> None:
    """STATE-PINNED: a bundle is one published generation, whatever is being written meanwhile."""
    repo = repo_with(tmp_path / "repo")
    with indexed(repo, tmp_path / "data") as desk:
        said = answers(desk)
        writer = store_of(desk).open_writer(ME)
        try:
            for at, blob in enumerate(parsed[:]):
                writer.add(blob._replace(hash=bytes([at]) * 32))
            desk.engine.export_state(None, None, str(tmp_path / "b.tar.zst"), Call())
        finally:
            writer.close()
    with desk_on(repo, tmp_path / "other") as desk:
        brought(desk, tmp_path / "b.tar.zst")
        assert answers(desk) == said and store_of(desk).verify() == []
        assert len(all_rows(desk.home / "index.db")["blobs"]) == len(FILES)


def test_what_is_owned_stays(works: Works, refusing: "Refusing", tmp_path: Path) -> None:
    """STATE-OWNED: an import replaces the index and nothing else of a project."""
    with desk_on(works.laptop, Path(shutil.copytree(refusing.base / "data", tmp_path / "data"))) as desk:
        jobs = [job.job_id for job in desk.engine.status(None, None).recent_jobs]
        store_of(desk).records.set("kept", "yes")
        (desk.home / "triage").mkdir()
        (desk.home / "triage" / "one.json").write_text("{}")
        brought(desk, works.bundle)
        assert store_of(desk).records.get("kept") == "yes" and (desk.home / "triage" / "one.json").exists()
        assert set(jobs) < {job.job_id for job in desk.engine.status(None, None).recent_jobs}


# -- what is refused ---------------------------------------------------------------------------------------------------


def unpacked(bundle: Path) -> dict[str, bytes]:
    with bundle.open("rb") as file:
        reading, found = TarballReader(file), {}
        while head := reading.next_file():
            found[head.name] = b"".join(reading.read_blocks())
    return found


def forged(works: Works, target: Path, change: Callable[[dict[str, object], dict[str, bytes]], None]) -> Path:
    """The bundle with something changed in manifest or members; sizes and hashes are made to fit again."""
    members = unpacked(works.bundle)
    manifest = json.loads(members.pop(MANIFEST))
    change(manifest, members)
    return packed(target, manifest, members)


def packed(target: Path, manifest: dict[str, object], members: dict[str, bytes]) -> Path:
    """A bundle of these, whose manifest says size and hash of those members that it names."""
    named = [item["name"] for item in manifest["members"]]  # type: ignore[attr-defined]
    manifest["members"] = [
        {"name": name, "size": len(data), "sha256": hashlib.sha256(data).hexdigest()}
        for name, data in members.items()
        if name in named or name.startswith("listed/")
    ] + [item for item in manifest["members"] if item["name"].startswith("named/")]  # type: ignore[attr-defined]
    with target.open("wb") as file, open_tar_writer(file) as archive:
        add_bytes(archive, MANIFEST, msgspec.json.encode(manifest))
        for name, data in members.items():
            add_bytes(archive, name, data)
    return target


@pytest.fixture(scope="module")
def refusing(works: Works, tmp_path_factory: pytest.TempPathFactory) -> "Refusing":
    return Refusing(works, tmp_path_factory.mktemp("refusing"))


class Refusing:
    """An index that must stay what it is."""

    def __init__(self, works: Works, base: Path) -> None:
        self.base = base
        with indexed(works.laptop, base / "data") as desk:
            self.said, self.home = answers(desk), desk.home
        self.laptop = works.laptop

    def _files(self) -> list[str]:
        found = (str(path.relative_to(self.home)) for path in self.home.rglob("*"))
        return sorted(name for name in found if not name.endswith(("-wal", "-shm")) and "shadow.git" not in name)

    def refuses(self, bundle: Path) -> Failure:
        before = self._files()
        with desk_on(self.laptop, self.base / "data") as desk:
            with pytest.raises(Failure) as caught:
                brought(desk, bundle)
            assert answers(desk) == self.said
        assert self._files() == before, "nothing was left behind"
        return caught.value


def unpack(bundle: bytes) -> bytes | None:
    """Return what a bundle holds, as the library alone reads it; None if it is damaged."""
    try:
        return zstandard.ZstdDecompressor().decompressobj().decompress(bundle)
    except zstandard.ZstdError:
        return None


def test_flipped_bits_are_refused(works: Works, refusing: Refusing, tmp_path: Path) -> None:
    """STATE-REFUSED: a bit turned anywhere is found before anything is placed."""
    whole = works.bundle.read_bytes()
    for part in range(10):
        at = len(whole) * part // 10 + 3
        while unpack(damaged := whole[:at] + bytes([whole[at] ^ 4]) + whole[at + 1 :]) == unpack(whole):
            at += 1  # among equal bytes a copy from a little further off is the same
        (tmp_path / "b").write_bytes(damaged)
        failure = refusing.refuses(tmp_path / "b")
        assert failure.code in ("DOWNLOAD_VERIFY_FAILED", "ARCHIVE_UNSAFE", "INDEX_INCOMPATIBLE"), (at, failure)


def test_cut_bundles_are_refused(works: Works, refusing: Refusing, tmp_path: Path) -> None:
    """STATE-REFUSED: a bundle that ends too early, or is none at all, says so."""
    whole = works.bundle.read_bytes()
    for length in (0, 1, 10, 200, len(whole) // 2, len(whole) - 5, len(whole) - 1):
        (tmp_path / "b").write_bytes(whole[:length])
        assert refusing.refuses(tmp_path / "b").code == "DOWNLOAD_VERIFY_FAILED", length
    (tmp_path / "b").write_bytes(b"PK\x03\x04 something else")
    assert refusing.refuses(tmp_path / "b").code == "DOWNLOAD_VERIFY_FAILED"
    assert refusing.refuses(tmp_path / "missing").code == "INVALID_REQUEST"


def _set(**values: object) -> Callable[[dict[str, object], dict[str, bytes]], None]:
    return lambda manifest, _members: manifest.update(values)


def _add(name: str, data: bytes = b"x") -> Callable[[dict[str, object], dict[str, bytes]], None]:
    return lambda _manifest, members: members.update({name: data})


def _huge(manifest: dict[str, object], _members: dict[str, bytes]) -> None:
    found = manifest["members"]
    assert isinstance(found, list)
    found.append({"name": "named/big", "size": 2**45, "sha256": ""})


def _without_text(_manifest: dict[str, object], members: dict[str, bytes]) -> None:
    del members[next(name for name in members if name.endswith(".idx"))]


def _with_trigger(_manifest: dict[str, object], members: dict[str, bytes]) -> None:
    """A database that would do something of its own accord."""
    with tempfile.TemporaryDirectory() as place:
        path = Path(place, "forged.db")
        path.write_bytes(members["index.db"])
        connection = open_database(path, write=True)
        connection.execute("CREATE TRIGGER evil AFTER UPDATE ON views BEGIN DELETE FROM blobs; END")
        connection.close()
        members["index.db"] = path.read_bytes()


@pytest.mark.parametrize(
    ("change", "code", "words"),
    [
        (_set(version=3), "INDEX_INCOMPATIBLE", "newer"),
        (_set(index_version=999), "INDEX_INCOMPATIBLE", "newer"),
        (_set(index_version=1), "INDEX_INCOMPATIBLE", "older"),
        (_set(format="something"), "DOWNLOAD_VERIFY_FAILED", "not a bundle"),
        (_set(commit=7), "DOWNLOAD_VERIFY_FAILED", "manifest"),
        (_add("more"), "DOWNLOAD_VERIFY_FAILED", "more files"),
        (_add("listed/../../x"), "ARCHIVE_UNSAFE", "do not belong to an index"),
        (_huge, "ARCHIVE_TOO_LARGE", "at most"),
        (_without_text, "DOWNLOAD_VERIFY_FAILED", "text index"),
        (_with_trigger, "DOWNLOAD_VERIFY_FAILED", "unexpected schema"),
    ],
    ids=["newer", "newer-index", "older", "other", "malformed", "more", "escape", "huge", "less", "trigger"],
)
def test_forged_bundles_are_refused(
    works: Works, refusing: Refusing, tmp_path: Path, change: Callable[[dict[str, object], dict[str, bytes]], None],
    code: str, words: str,
) -> None:  # fmt: skip
    """STATE-REFUSED: newer, older, foreign in kind, too large, escaping, incomplete: each with its reason."""
    failure = refusing.refuses(forged(works, tmp_path / "b", change))
    assert failure.code == code and words in failure.message, failure


def test_links_and_devices_are_refused(works: Works, refusing: Refusing, tmp_path: Path) -> None:
    """STATE-REFUSED: only plain files are read of a tar, in the oldest format."""
    whole = zstandard.ZstdDecompressor().decompressobj().decompress(works.bundle.read_bytes())
    for kind in b"125xL":
        head = bytearray(whole[:512])
        head[156] = kind
        head[148:156] = b" " * 8
        head[148:156] = f"{sum(head):06o}\0 ".encode()
        (tmp_path / "b").write_bytes(zstandard.compress(bytes(head) + whole[512:]))
        assert refusing.refuses(tmp_path / "b").code == "ARCHIVE_UNSAFE", chr(kind)


def test_another_repository_is_refused(works: Works, tmp_path: Path) -> None:
    """STATE-FOREIGN: a bundle belongs where its commit or the beginning of its history is known."""
    stranger = make_repo(tmp_path / "stranger", {"a.py": "x = 1\n"})
    plain = tmp_path / "plain"
    shutil.copytree(works.laptop, plain, ignore=shutil.ignore_patterns(".git"))
    for repo in (stranger, plain):
        with desk_on(repo, tmp_path / "data") as desk:
            with pytest.raises(Failure) as caught:
                brought(desk, works.bundle)
            assert caught.value.code == "INVALID_REQUEST" and caught.value.details["reason"] == "foreign"
            assert "another" in caught.value.message and not (store_of(desk).directory / "index.db").exists()


def test_a_commit_not_yet_fetched_is_no_stranger(works: Works, tmp_path: Path) -> None:
    """STATE-FOREIGN: histories that begin alike are the same repository."""
    ahead = tmp_path / "ahead"
    git(tmp_path, "clone", "-q", str(works.server), str(ahead))
    commit(ahead, {"pkg/ahead.py": "def ahead():\n    pass\n"})
    with indexed(ahead, tmp_path / "data") as desk:
        desk.engine.export_state(None, None, str(tmp_path / "b.tar.zst"), Call())
    with desk_on(works.laptop, tmp_path / "laptop") as desk:
        brought(desk, tmp_path / "b.tar.zst")
        assert answers(desk) == works.said and not desk.places("ahead")


def test_directories_without_git(tmp_path: Path, parsed: list[NewBlob]) -> None:
    """STATE-DIFFERENCE: content alone is enough where there is no history."""
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.py").write_text("def a():\n    pass\n")
    with indexed(tmp_path / "one", tmp_path / "d1") as desk:
        desk.engine.export_state(None, None, str(tmp_path / "b"), Call())
    parsed.clear()
    with desk_on(tmp_path / "two", tmp_path / "d2") as desk:
        brought(desk, tmp_path / "b")
        assert desk.places("a") == {"a.py:1"} and not parsed


@pytest.mark.parametrize("point", POINTS)
def test_killed_while_importing(point: str, works: Works, refusing: Refusing, tmp_path: Path) -> None:
    """STATE-SWAP: after kill -9 the old index or the imported one answers, whole; importing again works."""
    data = Path(shutil.copytree(refusing.base / "data", tmp_path / "data"))

    def bring() -> None:
        with desk_on(works.laptop, data) as desk:
            brought(desk, works.bundle)

    dies(point, bring)
    with desk_on(works.laptop, data) as desk:
        assert answers(desk) == works.said and store_of(desk).verify() == []
        brought(desk, works.bundle)
        assert desk.places("changed_here") == {"pkg/mod5.py:1"}
        assert not [path for path in desk.home.iterdir() if path.name.startswith((".", "incoming"))]


def test_readers_elsewhere_go_on(works: Works, refusing: Refusing, tmp_path: Path) -> None:
    """STATE-PINNED: who reads while an index is replaced reads the old one to the end, and then the new one."""
    with desk_on(works.laptop, Path(shutil.copytree(refusing.base / "data", tmp_path / "data"))) as reader:
        with store_of(reader).pin() as snapshot:
            before = snapshot.store_id
            with desk_on(works.laptop, tmp_path / "data") as other:
                brought(other, works.bundle)
            assert len(snapshot.views()) == 1 and snapshot.store_id == before
        assert reader.places("changed_here") == {"pkg/mod5.py:1"}
        with store_of(reader).pin() as snapshot:
            assert snapshot.store_id != before


def test_sqlite_still_reads_what_was_imported(works: Works, tmp_path: Path) -> None:
    """STATE-BUNDLE: the catalog of a bundle is a sound SQLite database to any SQLite."""
    path = tmp_path / "index.db"
    path.write_bytes(unpacked(works.bundle)["index.db"])
    connection = apsw.Connection(str(path))
    assert connection.pragma("integrity_check") == "ok"
    assert connection.execute("SELECT name FROM views").fetchall() == [("live:",)]
    connection.close()
