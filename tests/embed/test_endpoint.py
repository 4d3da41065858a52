"""The service: a real one on this machine, that answers, fails, lies and stalls."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from codecompass.embed import endpoint
from codecompass.embed.models import ENDPOINT, ModelChoice, open_model
from codecompass.engine.services.status_service import read_vector_state
from codecompass.engine.workspace import query_embedder
from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.model.queries.search_query import SearchQuery
from codecompass.repo.workspace import LIVE
from codecompass.settings import load_settings
from tests.embed.lab import FILES, project_of
from tests.engine.support import desk_on
from tests.repo.gitrepo import make_repo

TOKEN = "sk-very-secret"


class Service:
    """What the server does with the next requests, and what it was sent."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.wrong: list[str] = []
        """How to answer wrongly, one for each request; then right."""
        self.stalled = threading.Event()

    def answer(self, body: dict[str, Any]) -> tuple[int, bytes]:
        wrong = self.wrong.pop(0) if self.wrong else ""
        if wrong.isdigit():
            return int(wrong), b'{"error": {"message": "no"}}'
        if wrong == "stall":
            self.stalled.wait(30)
        if wrong == "nonsense":
            return 200, b"<html>"
        width = 5 if wrong == "width" else 4
        rows = [
            {"index": at, "embedding": [float("nan") if wrong == "nan" else len(text), 1.0, at, 2.0, 3.0][:width]}
            for at, text in enumerate(body["input"])
        ]
        if wrong == "few":
            rows = rows[1:]
        return 200, json.dumps({"data": rows[::-1]}).encode()


@pytest.fixture
def service() -> Iterator[tuple[Service, str]]:
    made = Service()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            made.asked.append(body)
            made.headers.append({**dict(self.headers), "path": self.path})
            status, data = made.answer(body)
            self.send_response(status)
            if status == 307:
                self.send_header("Location", "/v1/elsewhere")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield made, f"http://127.0.0.1:{server.server_port}/v1/"
    finally:
        made.stalled.set()
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoint, "_PAUSE_S", 0.001)


def chosen(url: str, **more: object) -> ModelChoice:
    return ModelChoice(ENDPOINT, url, "embed-1", TOKEN, **{"allow_network": True, "timeout_s": 20.0, **more})  # type: ignore[arg-type]


def test_texts_go_to_the_service_and_vectors_come(service: tuple[Service, str]) -> None:
    """MODEL-SERVICE: in batches, with the model and the token, in the order asked whatever the order of the answer."""
    made, url = service
    model = open_model(chosen(url))
    assert model is not None and (model.name, model.dimensions) == ("embed-1", 4)
    texts = ["x" * number for number in range(1, 131)]
    found = model.encode(texts)
    assert found.shape == (130, 4) and np.allclose(np.linalg.norm(found, axis=1), 1)
    assert np.allclose(found[9] / found[9, 1], [10, 1, 9, 2])
    assert [len(body["input"]) for body in made.asked] == [1, 64, 64, 2] and made.asked[0]["model"] == "embed-1"
    assert made.headers[0]["path"] == "/v1/embeddings" and made.headers[0]["Authorization"] == f"Bearer {TOKEN}"
    other = open_model(ModelChoice(ENDPOINT, url, "embed-2", "", allow_network=True))
    assert other is not None and other.digest != model.digest and "Authorization" not in made.headers[-1]
    model.encode([""])
    assert made.asked[-1]["input"] == [" "]


def test_passing_failures_are_tried_again(service: tuple[Service, str]) -> None:
    """MODEL-SERVICE: a busy service is asked again, a few times."""
    made, url = service
    made.wrong = ["503", "429"]
    assert open_model(chosen(url)) is not None and len(made.asked) == 3
    made.wrong = ["500", "500", "500"]
    with pytest.raises(Failure):
        open_model(chosen(url))
    assert len(made.asked) == 6


@pytest.mark.parametrize("wrong", ["401", "404", "307", "nonsense", "width", "nan", "few"])
def test_a_wrong_answer_gives_no_vectors(service: tuple[Service, str], wrong: str) -> None:
    """MODEL-SERVICE: refusals, redirects and answers of another shape are failures in words, without the token."""
    made, url = service
    model = open_model(chosen(url))
    assert model is not None
    before = len(made.asked)
    made.wrong = [wrong]
    with pytest.raises(Failure) as refused:
        model.encode(["open", "file"])
    assert refused.value.code == "CAPABILITY_MISSING" and refused.value.hint
    assert TOKEN not in str(refused.value) and TOKEN not in repr(chosen(url))
    assert len(made.asked) == before + 1


def test_a_stalled_or_absent_service_ends(service: tuple[Service, str]) -> None:
    """MODEL-SERVICE: the time of a request is limited, and a closed door is a failure in words."""
    made, url = service
    made.wrong = ["stall"] * 3
    with pytest.raises(Failure, match="cannot be reached"):
        open_model(chosen(url, timeout_s=0.1))
    for nowhere in ("http://127.0.0.1:1/v1", "ftp://host/v1", "nonsense", "http://user@host/"):
        with pytest.raises(Failure):
            open_model(chosen(nowhere))


@pytest.mark.parametrize("more", [{"allow_network": False}, {"endpoint_url": ""}])
def test_code_stays_here_unless_both_allow(service: tuple[Service, str], more: dict[str, object]) -> None:
    """MODEL-NETWORK: with one of the two settings missing not one request is made."""
    made, url = service
    settings: dict[str, object] = {"endpoint_url": url, "allow_network": True, **more}
    with pytest.raises(Failure) as refused:
        open_model(ModelChoice(ENDPOINT, **settings))  # type: ignore[arg-type]
    assert refused.value.code == "CAPABILITY_MISSING" and not made.asked


@pytest.mark.parametrize("line", ['model = "endpoint"', 'endpoint_url = "https://evil.test"', "allow_network = true"])
def test_a_repository_cannot_send_code_away(tmp_path: Path, line: str) -> None:
    """MODEL-NETWORK: none of the settings may come with a repository."""
    config = tmp_path / ".codecompass" / "config.toml"
    config.parent.mkdir()
    config.write_text(f"[embed]\n{line}\n")
    with pytest.raises(Failure, match="may not be set by a repository"):
        load_settings(project=str(tmp_path), env={}, user_config=tmp_path / "none")


def test_words_find_while_the_service_is_away(
    service: tuple[Service, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """MODEL-SERVICE: a question is answered by words with a reason in the status, and by meaning when it is back."""
    made, url = service
    repo = make_repo(tmp_path / "repo", dict(list(FILES.items())[:4]))
    with desk_on(repo, tmp_path / "data", embedding=chosen(url)) as desk:
        desk.index()
        project = project_of(desk)

        def told() -> tuple[bool, bool]:
            found = desk.engine.search(None, SearchQuery("where is the header of a cookie"), Call())
            return found.vectors, any(hit.reasons.semantic_score for hit in found.hits)

        assert read_vector_state(project, LIVE).state == "on"
        made.wrong = ["401"] * 9
        assert told() == (False, False)
        assert desk.places("cookie_header_0") and project.embedder.embed("cookies") is None
        found = read_vector_state(project, LIVE)
        assert found.state == "off" and "401" in found.note and TOKEN not in found.note
        asked = len(made.asked)
        assert project.embedder.embed("cookies") is None and len(made.asked) == asked
        monkeypatch.setattr(query_embedder, "RETRY_S", 0.0)
        made.wrong = []
        assert project.embedder.embed("cookies") is not None
        assert read_vector_state(project, LIVE).state == "on"
        assert told() == (True, True)
