"""JSONTestSuite through both readers: every file is one message, and gets the verdict its name asks for."""

import json

import pytest

from tests.surfaces.conftest import Shell
from tests.surfaces.downloaded_suites import json_suite
from tests.surfaces.framed import MODES, start_peer

PARSE, REQUEST = -32700, -32600
ACCEPTED, REFUSED = {REQUEST}, {PARSE}


@pytest.mark.timeout(300)  # the first run downloads the files
@pytest.mark.parametrize("mode", MODES)
def test_every_file_gets_its_verdict(indexed: Shell, mode: str, request: pytest.FixtureRequest) -> None:
    """MCP-JSON-SUITE: y_ are JSON though no requests, n_ are not JSON, i_ either; each is answered exactly once."""
    files = json_suite()
    assert len(files) == 318
    peer = start_peer(indexed, mode, "--no-prewarm")
    request.addfinalizer(peer.kill)
    peer.open()
    wrong = []
    for name, data in sorted(files.items()):
        pieces = _pieces(data) if mode == "sdk" else [data]
        for piece in pieces:
            peer.put(piece)
        peer.request(name, "ping")
        answers = []
        while (message := peer.read()).get("id") != name:
            # One of the files is an object with an id, which its refusal repeats.
            assert message["id"] is None or message["id"].encode() in data
            answers.append(message["error"]["code"])
        assert message["result"] == {}
        wrong += _faults(name, pieces, answers, framed=mode == "legacy")
    assert not wrong


def _pieces(data: bytes) -> list[bytes]:
    """A reader of lines sees a file with line ends as several messages."""
    return data.split(b"\n")


def _faults(name: str, pieces: list[bytes], answers: list[int], *, framed: bool) -> list[str]:
    if len(pieces) == 1:
        allowed = {"y": ACCEPTED, "n": REFUSED, "i": ACCEPTED | REFUSED}[name[0]]
        # Blank input is no message to a reader of lines, and an empty one to a reader of frames.
        expected = 1 if framed or pieces[0].strip() else 0
        return [] if len(answers) == expected and set(answers) <= allowed else [f"{name}: {answers}"]
    # Each line on its own: what Python's parser takes is JSON, everything else is not.
    expected_codes = [REQUEST if _is_json(piece) else PARSE for piece in pieces if piece.strip(b" \t\r\n\x0b\x0c")]
    return [] if answers == expected_codes else [f"{name}: {answers}, expected {expected_codes}"]


def _is_json(piece: bytes) -> bool:
    try:
        json.loads(piece.decode(), parse_constant=_refuse)
    except (ValueError, RecursionError):
        return False
    return True


def _refuse(name: str) -> object:
    raise ValueError(name)
