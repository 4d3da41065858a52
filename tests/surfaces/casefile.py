"""Case files: bytes for a server and the answers it must give, as tables of TOML."""

import ast
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from codecompass.errors import CODES_BY_NAME
from tests.surfaces.stdio_client import Peer

HERE = Path(__file__).parent / "wirecases"


@dataclass(frozen=True)
class Case:
    name: str
    data: bytes
    answers: tuple[dict[str, Any], ...]


def load_cases(name: str) -> dict[str, Case]:
    rows = tomllib.loads((HERE / f"{name}.toml").read_text(encoding="utf-8"))["case"]
    cases = [Case(row["name"], _data(row), tuple(row["answers"])) for row in rows]
    assert len({case.name for case in cases}) == len(cases), "every case has a name of its own"
    return {case.name: case for case in cases}


def _data(row: dict[str, Any]) -> bytes:
    """The bytes of a row; what is repeated is `then` where there is one, else the bytes themselves."""
    first, times = _bytes(row["bytes"]), int(row.get("times", 1))
    return first + _bytes(row["then"]) * times if "then" in row else first * times


def _bytes(text: str) -> bytes:
    value = ast.literal_eval(f"b'''{text}'''")
    assert isinstance(value, bytes)
    return value


def check(peer: Peer, case: Case, *, eager: bool = False) -> None:
    """The answers came, in this order, and nothing else: the next message is the answer to a ping.

    An eager ping is sent before the answers are read: some mistakes show only when the next message begins.
    """
    ping = f"after {case.name}"
    if eager:
        peer.request(ping, "ping")
    for expected in case.answers:
        answer = peer.read()
        assert answer["id"] == expected.get("id"), answer
        assert type(answer["id"]) is type(expected.get("id"))
        assert answer.get("error", {}).get("code") == expected.get("code"), answer
        assert expected.get("says", "") in answer.get("error", {}).get("message", "")
        if "error" in answer:
            assert answer["error"]["data"]["code"] in CODES_BY_NAME, answer
    if not eager:
        peer.request(ping, "ping")
    assert peer.read() == {"jsonrpc": "2.0", "id": ping, "result": {}}
