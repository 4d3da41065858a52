"""`build_index` as a real process: its child makes vectors after it has published, and the answer waits for them."""

import json

from tests.surfaces.conftest import Shell


def test_a_build_ends_when_its_vectors_are_there(fresh: Shell) -> None:
    """BUILD-VECTORS: every file has its vectors, and so has the SQLite file that is written behind them."""
    assert fresh.run("init").returncode == 0
    done = fresh.run("tool", "build_index")
    assert done.returncode == 0, done.stderr
    payload = json.loads(done.stdout)
    assert payload["vectors"]["semantic"] == "on"
    assert payload["vectors"]["files"] == payload["vectors"]["filesTotal"] == payload["counts"]["files"] > 0
    assert payload["sqlite"]["vectors"] > 0 and "vectorsMs" in payload["durations"]
    assert not [text for text in payload["warnings"] if "vectors" in text]
