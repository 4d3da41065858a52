"""Orders of several sources: each with its own result, a manifest of all, and models usable by name."""

import json
import socket
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from codecompass import composition
from codecompass.contract.envelope import Reply
from codecompass.contract.tool import Host
from codecompass.embed.models import ModelChoice, open_model
from codecompass.engine.maintenance.downloads.download_directory import MANIFEST, parse_source
from codecompass.engine.options import DownloadOptions
from codecompass.errors import Failure
from codecompass.model.call import Call, Progress
from codecompass.model.maintenance.download_values import DownloadRequest
from codecompass.runtime.admission import Admission
from codecompass.runtime.dispatch import Dispatch
from codecompass.runtime.log import Log
from codecompass.settings import load_settings
from codecompass.tools import TOOLS
from tests.embed.test_models import model2vec, onnx
from tests.engine.maintenance.archivelab import KINDS, gz, tarred, zipped
from tests.engine.maintenance.servers import Request, answer, sends, serving
from tests.engine.maintenance.supplylab import MODEL2VEC, ONNX, WORDS, safetensors, sha, supply_desk
from tests.engine.support import Desk


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with supply_desk(tmp_path) as made:
        yield made


def asked(desk: Desk, tool: str, raw: dict[str, object]) -> Reply:
    with closing(Admission(workers=1)) as admission:
        return Dispatch(TOOLS, Host(desk.engine), Log("error"), admission=admission).call(tool, raw)


def site(request: Request, connection: socket.socket) -> None:
    """Word lists of several kinds, some of them wrong."""
    pages = {
        "/en.txt": answer(WORDS, ETag='"en"'),
        "/packed.txt.gz": answer(gz(b"packed\nthings\n")),
        "/many.zip": answer(zipped({"a/names.txt": b"named\n", "a/readme.md": b"# no"})),
        "/unsafe.tar": answer(tarred({"../up.txt": b"up\n"})),
        "/huge.zip": answer(zipped({str(n): b"" for n in range(2_100)})),
        "/binary.txt": answer(bytes(range(256))),
        "/empty.txt": answer(b"12\n34\n"),
    }
    same = request.headers.get("if-none-match") == '"en"' and request.target == "/en.txt"
    found = pages.get(request.target.partition("?")[0], answer(b"", "404 None"))
    connection.sendall(answer(b"", "304 Not Modified") if same else found)


def test_each_source_has_its_own_result(desk: Desk) -> None:
    """SUP-SOURCES, ARC-UNSAFE, ARC-LIMITS, GET-HASH: what fails says why, and the others are there all the same."""
    with serving(site) as server:
        root = server.url.removesuffix("file.txt")
        urls = [
            f"en={root}en.txt#sha256={sha(WORDS)}", f"{root}packed.txt.gz", f"names={root}many.zip",
            f"{root}unsafe.tar", f"{root}huge.zip", f"{root}binary.txt", f"{root}empty.txt", f"{root}gone.txt",
            f"wrong={root}en.txt?key=hunter2#sha256={'0' * 64}",
        ]  # fmt: skip
        reply = asked(desk, "download_dictionaries", {"url": urls})
    found: dict[str, Any] = reply.payload
    assert not reply.is_error
    assert found["downloaded"] == ["en", "packed", "names"] and found["skipped"] == []
    assert found["failed"] == ["unsafe", "huge", "binary", "empty", "gone", "wrong"]
    rows = {row["name"]: row for row in found["sources"]}
    codes = {name: rows[name]["error"]["code"] for name in found["failed"]}
    assert codes == {
        "unsafe": "ARCHIVE_UNSAFE", "huge": "ARCHIVE_TOO_LARGE", "binary": "DOWNLOAD_FAILED",
        "empty": "DOWNLOAD_FAILED", "gone": "DOWNLOAD_FAILED", "wrong": "DOWNLOAD_VERIFY_FAILED",
    }  # fmt: skip
    assert all(rows[name]["error"]["hint"] for name in found["failed"])
    assert rows["en"]["verified"] and rows["en"]["sha256"] == sha(WORDS) and not rows["packed"]["verified"]
    shelf = Path(found["output"])
    visible = sorted(path.name for path in shelf.iterdir() if not path.name.startswith("."))
    assert visible == [MANIFEST, "en.txt", "names.txt", "packed.txt"]
    assert (shelf / "packed.txt").read_bytes() == b"packed\nthings\n"
    assert sorted(path.name for path in shelf.iterdir()) == visible, "nothing hidden is left"
    assert b"hunter2" not in reply.body and "hunter2" not in (shelf / MANIFEST).read_text()


def test_what_was_fetched_is_written_down(desk: Desk) -> None:
    """SUP-MANIFEST, GET-CONDITIONAL: kept, asked again, forced, and mended when it was damaged."""
    with serving(site) as server:
        source = f"en={server.url.removesuffix('file.txt')}en.txt"

        def status(**more: bool) -> str:
            report = desk.engine.download_dictionaries(None, DownloadRequest((source,), **more), Call())  # type: ignore[arg-type]
            return report.deliveries[0].status

        assert status() == "downloaded"
        shelf = desk.data / "dictionaries"
        (row,) = json.loads((shelf / MANIFEST).read_text())["items"]
        assert row["sha256"] == sha(WORDS) and row["size"] == len(WORDS) and row["etag"] == '"en"'
        assert row["source"] == source.partition("=")[2] and row["file"] == "en.txt" and row["fetched_at"].endswith("Z")
        asked_before = len(server.requests)
        assert status() == "present" and len(server.requests) == asked_before, "no word to the server"
        assert status(update=True) == "not_modified" and len(server.requests) == asked_before + 1
        assert status(force=True) == "downloaded"
        (shelf / "en.txt").write_text("somebody else's words\n")
        assert status() == "downloaded" and (shelf / "en.txt").read_bytes() == WORDS
        (shelf / MANIFEST).write_text("{ damaged")
        assert status() == "downloaded"
        (shelf / MANIFEST).write_text(json.dumps({"version": 1, "items": [{**row, "file": "../../x"}]}))
        assert status() == "downloaded", "a manifest cannot point elsewhere"
        other = source.replace("en.txt", "packed.txt.gz")
        assert desk.engine.download_dictionaries(None, DownloadRequest((other,)), Call()).list_names("downloaded") == [
            "en"
        ]


def test_nothing_came_at_all(desk: Desk) -> None:
    """SUP-SOURCES, GET-HASH: the call fails with the code of what went wrong, and tells of every source."""
    with serving(sends(answer(WORDS))) as server:
        urls = [f"en={server.url}#sha256={'1' * 64}", "inner=http://10.0.0.1/x"]
        reply = asked(desk, "download_dictionaries", {"url": urls})
        assert reply.code == "DOWNLOAD_VERIFY_FAILED" and reply.payload["code"] == "DOWNLOAD_VERIFY_FAILED"
        told = reply.payload["details"]["sources"]
        assert [(row["name"], row["code"]) for row in told] == [
            ("en", "DOWNLOAD_VERIFY_FAILED"), ("inner", "FORBIDDEN")
        ]  # fmt: skip
    nothing = asked(desk, "download_dictionaries", {})
    assert nothing.code == "INVALID_REQUEST" and "downloads.dictionaries" in nothing.payload["hint"]


def test_configured_sources(tmp_path: Path) -> None:
    """SUP-SOURCES: all of them, or those that are named."""
    (tmp_path / "words").mkdir()
    for name in ("en", "de"):
        (tmp_path / "words" / f"{name}.txt").write_text(f"{name}words\n")
    configured = tuple(f"{name}=file://{tmp_path}/words/{name}.txt" for name in ("en", "de"))
    with supply_desk(tmp_path, dictionaries=configured) as desk:
        assert asked(desk, "download_dictionaries", {"lang": "de"}).payload["downloaded"] == ["de"]
        assert asked(desk, "download_dictionaries", {}).payload["downloaded"] == ["en"]
        unknown = asked(desk, "download_dictionaries", {"lang": "en, fr"})
        assert unknown.code == "INVALID_REQUEST" and "fr" in unknown.payload["message"]
        reply = asked(desk, "download_dictionaries", {"lang": "en", "update": True})
        assert reply.payload["sources"][0]["status"] == "not_modified", "a file is compared by its hash"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("en=https://example.org/words.txt", ("en", "https://example.org/words.txt", "")),
        ("https://example.org/w%20x/words.txt.gz", ("words", "https://example.org/w%20x/words.txt.gz", "")),
        ("https://example.org/a?x=1&y=2#sha256=" + "A" * 64, ("a", "https://example.org/a?x=1&y=2", "a" * 64)),
        ("org/name=https://example.org/", ("org--name", "https://example.org/", "")),
    ],
)
def test_sources_as_they_are_named(text: str, wanted: tuple[str, str, str]) -> None:
    """GET-URLS: a name, a URL, a hash."""
    source = parse_source(text)
    assert (source.name, source.url, source.sha256) == wanted


@pytest.mark.parametrize(
    "text", ["../x=https://example.org/", ".hidden=https://example.org/", "https://example.org/", "a=b", "a=",
             "https://example.org/x#md5=1", "https://example.org/x#sha256=12", "a/b/c=https://example.org/x"],
)  # fmt: skip
def test_sources_that_are_none(text: str) -> None:
    """GET-URLS: no name that leads elsewhere, no hash of another kind."""
    with pytest.raises(Failure) as raised:
        parse_source(text)
    assert raised.value.code == "INVALID_REQUEST"


def test_a_directory_of_ones_own(desk: Desk, tmp_path: Path) -> None:
    """SUP-CONFINED: inside the workspace or an allowed root, and no part of a repository."""
    (tmp_path / "repo" / "lists").mkdir()
    (tmp_path / "repo" / "away").symlink_to("/tmp")
    with serving(site) as server:
        url = f"en={server.url.removesuffix('file.txt')}en.txt"
        (tmp_path / "repo" / "lists" / "other.txt").write_text("somebody's own")
        reply = asked(desk, "download_dictionaries", {"url": url, "dir": "lists"})
        other = {"url": url.replace("en=", "other="), "dir": "lists", "force": True}
        mine = asked(desk, "download_dictionaries", other)
        assert mine.code == "INVALID_REQUEST" and "was not downloaded" in mine.payload["message"]
        assert (tmp_path / "repo" / "lists" / "other.txt").read_text() == "somebody's own"
        assert asked(desk, "download_dictionaries", {"url": url, "dir": "lists", "force": True}).payload["downloaded"]
        assert (tmp_path / "repo" / "lists" / "en.txt").read_bytes() == WORDS
        assert reply.payload["output"] == str(tmp_path / "repo" / "lists")
        for where, code in (
            ("../../..", "FORBIDDEN"), ("/etc", "FORBIDDEN"), ("away", "FORBIDDEN"), (".git", "FORBIDDEN"),
            ("client.py", "INVALID_REQUEST"), ("none", "INVALID_REQUEST"), ("x" * 5_000, "INVALID_REQUEST"),
        ):  # fmt: skip
            assert asked(desk, "download_dictionaries", {"url": url, "dir": where}).code == code, where


def test_progress_and_cancellation(desk: Desk) -> None:
    """GET-LIMITS, SUP-SOURCES: a call that is cancelled ends as such, and tells how far it is before."""
    told: list[Progress] = []
    call = Call(report=told.append)

    def behave(request: Request, connection: socket.socket) -> None:
        site(request, connection)
        if request.number:
            call.cancelled.set()

    with serving(behave) as server:
        root = server.url.removesuffix("file.txt")
        urls = tuple(f"{name}={root}en.txt" for name in ("one", "two", "three"))
        with pytest.raises(Failure) as raised:
            desk.engine.download_dictionaries(None, DownloadRequest(urls), call)
    assert raised.value.code == "CANCELLED" and len(server.requests) == 2
    assert {step.phase for step in told} == {"sources", "download"}
    assert (desk.data / "dictionaries" / "one.txt").exists()


def test_settings_of_downloads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """GET-LIMITS: limits, hosts and sources come from settings, never from those of a repository."""
    monkeypatch.setenv("CODECOMPASS_DOWNLOADS_DICTIONARIES", "en=https://example.org/en.txt de=https://example.org/de")
    monkeypatch.setenv("CODECOMPASS_DOWNLOADS_PRIVATE_HOSTS", "::1 files.inner")
    monkeypatch.setenv("CODECOMPASS_DOWNLOADS_MAX_MB", "3")

    def options() -> DownloadOptions:
        return composition.build_download_options(load_settings(user_config=tmp_path / "none.toml"))

    made = options()
    assert made.policy.max_bytes == 3 * 2**20
    assert made.policy.private_hosts == ("::1", "files.inner")
    assert made.dictionaries == ("en=https://example.org/en.txt", "de=https://example.org/de")
    (tmp_path / "repo" / ".codecompass").mkdir(parents=True)
    hostile = '[downloads]\nprivate_hosts = ["169.254.169.254"]\n'
    (tmp_path / "repo" / ".codecompass" / "config.toml").write_text(hostile)
    with pytest.raises(Failure, match="downloads"):
        load_settings(project=str(tmp_path / "repo"), user_config=tmp_path / "none.toml")


# -- models ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["zip", "tar.gz", "tar.zst"])
@pytest.mark.parametrize(("files", "named"), [(MODEL2VEC, "model2vec"), (ONNX, "onnx")], ids=["model2vec", "onnx"])
def test_a_model_from_an_archive(desk: Desk, kind: str, files: dict[str, bytes], named: str) -> None:
    """SUP-MODELS: whether or not its files lie in a directory of the archive."""
    inside = {f"some-model-1.0/{name}": data for name, data in files.items()}
    with serving(sends(answer(KINDS[kind](inside)))) as server:
        reply = asked(desk, "download_models", {"model": "org/tiny", "url": server.url})
        flat = desk.engine.download_models(None, DownloadRequest((f"flat={server.url}",)), Call())
    assert reply.payload["model"] == "org--tiny" and reply.payload["downloaded"] == ["org--tiny"]
    home = desk.data / "models" / "org--tiny"
    assert {str(path.relative_to(home)): path.read_bytes() for path in home.rglob("*") if path.is_file()} == files
    assert flat.list_names("downloaded") == ["flat"]
    cards = {card.name: card for card in desk.engine.list_downloads(None).models}
    assert cards["org--tiny"].kind == cards["flat"].kind == named and not cards["flat"].trouble


def test_a_model_file_by_file(desk: Desk) -> None:
    """SUP-MODELS, GET-CONDITIONAL: from the URL of a directory; one that has not changed is left alone."""

    def behave(request: Request, connection: socket.socket) -> None:
        found = MODEL2VEC.get(request.target.removeprefix("/models/tiny/"))
        if found is None or request.target.endswith("config.json"):
            connection.sendall(answer(b"", "404 None"))
        elif request.headers.get("if-none-match") == '"m"':
            connection.sendall(answer(b"", "304 Not Modified"))
        else:
            connection.sendall(answer(found, ETag='"m"'))

    with serving(behave) as server:
        order = DownloadRequest((f"tiny={server.url.replace('file.txt', 'models/tiny/')}",))
        assert desk.engine.download_models(None, order, Call()).list_names("downloaded") == ["tiny"]
        (card,) = desk.engine.list_downloads(None).models
        assert (card.name, card.kind, card.trouble) == ("tiny", "model2vec", "")
        assert desk.engine.download_models(None, order, Call()).list_names("present") == ["tiny"]
        update = replace(order, update=True)
        assert desk.engine.download_models(None, update, Call()).list_names("not_modified") == ["tiny"]
        wrong = DownloadRequest((f"{order.sources[0]}#sha256={'0' * 64}",))
        with pytest.raises(Failure) as raised:
            desk.engine.download_models(None, wrong, Call())
        assert raised.value.code == "DOWNLOAD_VERIFY_FAILED"
        empty = DownloadRequest((f"none={server.url.replace('file.txt', 'nothing/')}",))
        with pytest.raises(Failure, match=r"neither model\.safetensors nor model\.onnx"):
            desk.engine.download_models(None, empty, Call())
    assert not list((desk.data / "models" / ".incoming").glob("*"))


CUT = {**MODEL2VEC, "model.safetensors": safetensors()[:-1]}
BROKEN: dict[str, dict[str, bytes]] = {
    "without weights": {"tokenizer.json": b"{}"},
    "without a tokenizer": {"model.safetensors": safetensors()},
    "a tokenizer that is no JSON": {**MODEL2VEC, "tokenizer.json": b"<html>"},
    "a damaged configuration": {**MODEL2VEC, "config.json": b"{"},
    "cut": CUT,
    "too long": {**MODEL2VEC, "model.safetensors": safetensors() + b"x"},
    "a huge head": {**MODEL2VEC, "model.safetensors": b"\xff" * 8 + safetensors()},
    "nonsense in the head": {**MODEL2VEC, "model.safetensors": b"\x02\0\0\0\0\0\0\0[]"},
    "a page instead of a model": {**ONNX, "onnx/model.onnx": b"<html>not found</html>"},
}


@pytest.mark.parametrize("files", BROKEN.values(), ids=list(BROKEN))
def test_what_is_no_model(desk: Desk, files: dict[str, bytes]) -> None:
    """SUP-MODELS: refused with the reason; the model of that name stays as it was."""
    with serving(sends(answer(zipped(MODEL2VEC)))) as server:
        desk.engine.download_models(None, DownloadRequest((f"tiny={server.url}",)), Call())
    with serving(sends(answer(zipped(files)))) as server:
        with pytest.raises(Failure, match="not a usable model") as raised:
            desk.engine.download_models(None, DownloadRequest((f"tiny={server.url}",), force=True), Call())
        assert raised.value.code == "DOWNLOAD_FAILED"
    (card,) = desk.engine.list_downloads(None).models
    assert card.name == "tiny" and not card.trouble


def test_models_that_somebody_put_there(desk: Desk) -> None:
    """SUP-MODELS, SUP-STATUS: a directory is enough; a damaged one is shown with its trouble."""
    for name, files in (("mine", MODEL2VEC), ("cut", CUT)):
        for file, data in files.items():
            path = desk.data / "models" / name / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
    shown = asked(desk, "index_status", {}).payload["models"]
    assert shown["dir"] == str(desk.data / "models")
    rows = {row["name"]: row for row in shown["installed"]}
    assert rows["mine"]["usable"] and not rows["cut"]["usable"] and "truncated or damaged" in rows["cut"]["trouble"]


@pytest.mark.parametrize("make", [model2vec, onnx])
def test_a_fetched_model_makes_vectors(desk: Desk, tmp_path: Path, make: Callable[[Path], Path]) -> None:
    """SUP-MODELS: what was fetched is opened by its name, and embeds."""
    home = make(tmp_path / "published")
    reply = asked(desk, "download_models", {"model": "org/real", "url": f"{home.as_uri()}/"})
    assert reply.payload["downloaded"] == ["org--real"], reply.payload
    model = open_model(ModelChoice(reply.payload["model"], models_directory=reply.payload["output"]))
    assert model is not None and model.encode(["open file"]).shape == (1, model.dimensions)
