"""The vector extension of SQLite: found in its package, fetched only by its hash, loaded only when it is unchanged."""

import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from codecompass.contract.tool import Host
from codecompass.engine.maintenance.downloads.extension_install import platform_key
from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.model.maintenance.download_values import DownloadRequest, ExtensionProbeRequest
from codecompass.store.embedded.vectors import vector_extension
from codecompass.store.embedded.vectors.vector_extension import package_extension
from tests.engine.maintenance.archivelab import gz, tarred, zipped
from tests.engine.maintenance.servers import answer, sends, serving
from tests.engine.maintenance.supplylab import library, sha, supply_desk
from tests.engine.maintenance.test_downloads import asked
from tests.engine.support import Desk

KEY = platform_key()


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with supply_desk(tmp_path) as made:
        yield made


def test_the_packaged_one_works(desk: Desk) -> None:
    """SUP-PACKAGED, SUP-VERIFY: loaded, asked its version, and used in each encoding; no download."""
    found = asked(desk, "verify_extensions", {}).payload
    assert found["path"] == package_extension() and found["origin"] == "package" and found["exists"]
    assert found["load"] == found["smoke"] == {"attempted": True, "ok": True, "reason": None}
    assert found["version"].startswith("v0.")
    assert found["config"]["platformKey"] == KEY and found["config"]["provider"] == "sqlite-vec"
    for encoding in ("int8", "bit"):
        report = desk.engine.verify_extension(None, ExtensionProbeRequest(encoding=encoding))
        assert report.works and report.encoding == encoding
    unloaded = asked(desk, "verify_extensions", {"load": False}).payload
    assert unloaded["exists"] and not unloaded["load"]["attempted"] and not unloaded["smoke"]["attempted"]
    fetched = asked(desk, "download_extensions", {}).payload
    assert fetched["extensionPath"] == package_extension() and fetched["skipped"] == ["sqlite-vec"]
    # The package would load a second SQLite into the process.
    assert "sqlite_vec" not in sys.modules


def test_there_is_none(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """SUP-VERIFY, SUP-STATUS: an answer, not an error; a call to fetch it without a source says what to give."""
    monkeypatch.setattr(vector_extension, "find_spec", lambda _: None)
    reply = asked(desk, "verify_extensions", {})
    assert not reply.is_error
    assert reply.payload["path"] is None and not reply.payload["exists"] and "origin" not in reply.payload
    assert reply.payload["load"] == {"attempted": False, "ok": False, "reason": f"there is no extension for {KEY}"}
    assert asked(desk, "download_extensions", {}).code == "INVALID_REQUEST"
    status = asked(desk, "config_status", {}).payload
    assert status["cache"]["vectorExtension"] == {"available": False, "path": None}
    assert "extension_missing" in {row["code"] for row in status["warnings"]}


def test_another_platform(desk: Desk) -> None:
    """SUP-VERIFY: spelled in any common way; nothing of it is loaded here."""
    for system, processor, key in (
        ("darwin", "arm64", "macos-aarch64"), ("win32", "AMD64", "windows-x86_64"), ("linux", "x64", "linux-x86_64"),
    ):  # fmt: skip
        found = asked(desk, "verify_extensions", {"platform": system, "arch": processor}).payload
        assert found["config"]["platformKey"] == key
    assert asked(desk, "verify_extensions", {"platform": "plan9"}).code == "INVALID_REQUEST"


PACKED = {
    "as it is": lambda data: data,
    "in a zip": lambda data: zipped({"lib/vec0.so": data, "lib/readme.md": b"x", "lib/other.so": b"\x7fELF"}),
    "in a tar.gz": lambda data: gz(tarred({"vec0.so": data})),
    "packed": gz,
}


def trusting(base: Path, *hashes: str, key: str = KEY) -> AbstractContextManager[Desk]:
    """A desk whose user has named these hashes in the settings."""
    return supply_desk(base, extensions=tuple(f"{key}=https://example.org/vec0#sha256={one}" for one in hashes))


@pytest.mark.skipif(not KEY.startswith("linux"), reason="the archives hold this machine's library under its Linux name")
@pytest.mark.parametrize("pack", PACKED.values(), ids=list(PACKED))
def test_a_fetched_one_is_preferred(tmp_path: Path, pack: object) -> None:
    """SUP-EXECUTABLE, SUP-MANIFEST: by its hash, from an archive too; tried from then on, until it is changed."""
    data = pack(library())  # type: ignore[operator]
    with trusting(tmp_path, sha(data)) as desk:
        _fetch_and_try(desk, data)
    with supply_desk(tmp_path) as desk:
        found = asked(desk, "verify_extensions", {}).payload
        assert found["origin"] == "package", "what the settings no longer name is not used"


def _fetch_and_try(desk: Desk, data: bytes) -> None:
    with serving(sends(answer(data))) as server:
        url = f"{server.url}#sha256={sha(data)}"
        reply = asked(desk, "download_extensions", {"url": url})
        again = asked(desk, "download_extensions", {"url": url})
        assert len(server.requests) == 1
    path = desk.data / "extensions" / KEY / "vec0.so"
    assert reply.payload["extensionPath"] == str(path) and reply.payload["sources"][0]["verified"]
    assert again.payload["sources"][0]["status"] == "present"
    found = asked(desk, "verify_extensions", {}).payload
    assert found["path"] == str(path) and found["origin"] == "download" and found["smoke"]["ok"]
    assert asked(desk, "verify_extensions", {"path": f"{KEY}/vec0.so"}).payload["load"]["ok"]
    path.chmod(0o666)
    weak = asked(desk, "verify_extensions", {}).payload["load"]
    assert not weak["attempted"] and f"chmod go-w extensions/{KEY}/vec0.so" in weak["reason"]
    path.chmod(0o644)
    original = path.read_bytes()
    path.write_bytes(library() + b"\0")
    assert asked(desk, "verify_extensions", {}).payload["origin"] == "package", "a changed library is never loaded"
    changed = asked(desk, "verify_extensions", {"path": str(path)}).payload
    assert not changed["load"]["attempted"] and "was changed" in changed["load"]["reason"]
    path.write_bytes(original)


def test_nothing_executable_without_a_hash(tmp_path: Path) -> None:
    """SUP-EXECUTABLE, GET-HASH: refused before a word to the server; a wrong hash places nothing."""
    with trusting(tmp_path, "0" * 64) as desk, serving(sends(answer(library()))) as server:
        bare = asked(desk, "download_extensions", {"url": server.url})
        assert bare.code == "DOWNLOAD_VERIFY_FAILED" and "#sha256=" in bare.payload["hint"] and not server.requests
        wrong = asked(desk, "download_extensions", {"url": f"{server.url}#sha256={'0' * 64}"})
        assert wrong.code == "DOWNLOAD_VERIFY_FAILED" and server.requests
    assert not (desk.data / "extensions" / KEY).exists()


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"<html>not found</html>", "not a library for that system"),
        (zipped({"readme.md": b"x"}), "holds 0 files"),
        (zipped({"a/one.so": b"\x7fELF", "a/two.so": b"\x7fELF"}), "holds 2 files"),
    ],
    ids=["a page", "nothing", "two"],
)
def test_what_is_no_extension(tmp_path: Path, data: bytes, says: str) -> None:
    """SUP-EXECUTABLE: even with the right hash."""
    with (
        trusting(tmp_path, sha(data), key="linux-x86_64") as desk,
        serving(sends(answer(data))) as server,
        pytest.raises(Failure, match=says) as raised,
    ):
        order = DownloadRequest((f"{server.url}#sha256={sha(data)}",), machine=("linux", "x86_64"))
        desk.engine.download_extensions(None, order, Call())
    assert raised.value.code == "DOWNLOAD_FAILED"


def test_a_call_alone_vouches_for_nothing(desk: Desk, tmp_path: Path) -> None:
    """SEC-NO-NATIVE-CODE: a hash in an argument is no proof; a file: source is refused even when the hash is known."""
    with serving(sends(answer(library()))) as server:
        reply = asked(desk, "download_extensions", {"url": f"{server.url}#sha256={sha(library())}"})
        assert reply.code == "FORBIDDEN" and "downloads.extensions" in reply.payload["hint"] and not server.requests
    stray = tmp_path / "repo" / "vec0.so"
    stray.write_bytes(library())
    source = f"{KEY}=file://{stray}#sha256={sha(library())}"
    for extensions in ((), (source,)):
        with supply_desk(tmp_path, extensions=extensions) as again:
            assert asked(again, "download_extensions", {"url": source}).code == "FORBIDDEN"
            elsewhere: dict[str, object] = {"url": source, "dir": str(tmp_path / "repo")}
            assert asked(again, "download_extensions", elsewhere).code == "FORBIDDEN"
            assert not extensions or asked(again, "download_extensions", {}).code == "FORBIDDEN"
    assert not (desk.data / "extensions" / KEY).exists()


def test_only_known_paths_are_loaded(desk: Desk, tmp_path: Path) -> None:
    """SUP-EXECUTABLE: a path in a call names what was fetched, and never any other library."""
    stray = tmp_path / "repo" / "stray.so"
    stray.write_bytes(library())
    for path in (str(stray), "../../repo/stray.so", "/etc/passwd", "none.so"):
        found = asked(desk, "verify_extensions", {"path": path}).payload
        assert not found["load"]["attempted"] and "nothing else is loaded" in found["load"]["reason"]
        assert found["path"] is None
    assert asked(desk, "verify_extensions", {"path": package_extension()}).payload["load"]["ok"]


def test_a_library_that_does_not_load(desk: Desk, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """SUP-VERIFY: what SQLite says of it, without paths of the machine."""
    broken = tmp_path / "sqlite_vec"
    broken.mkdir()
    (broken / "vec0.so").write_bytes(b"\x7fELF and nothing more")
    monkeypatch.syspath_prepend(str(tmp_path))
    (broken / "__init__.py").write_text("")
    found = asked(desk, "verify_extensions", {}).payload
    assert found["exists"] and found["load"]["attempted"] and not found["load"]["ok"]
    assert found["load"]["reason"] and str(tmp_path) not in found["load"]["reason"]
    assert not found["smoke"]["attempted"] and Host(desk.engine).engine is desk.engine
