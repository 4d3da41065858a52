"""What the metadata beside an error claim, with real processes and a really damaged index."""

import json
from pathlib import Path

from tests.surfaces.conftest import Shell, environment, make_repository

CLAIMS = ("freshness_status", "indexing_status", "schema_status")


def test_metadata_beside_a_damaged_index_do_not_call_it_ready(tmp_path: Path) -> None:
    """C-META-TRUE: the catalog opens, the text index is damaged: the error and its metadata say the same."""
    shell = Shell(make_repository(tmp_path / "repo"), environment(tmp_path / "home"))
    assert shell.run("index", "--no-embed", "--no-memory").returncode == 0
    (text,) = (tmp_path / "home" / "data").glob("projects/*/text/g*")
    for segment in text.iterdir():
        if segment.stat().st_size > 100:
            content = segment.read_bytes()
            segment.unlink()
            segment.write_bytes(bytes(byte ^ 0xFF for byte in content))
    answer = json.loads(shell.run("tool", "search_code", "--arg", "query=rate limit").stdout)
    assert answer["error"]["code"] == "index_incompatible"
    meta = answer["metadata"]
    assert [meta[name] for name in CLAIMS] == ["stale", "failed", "corrupt_manifest"]
    assert meta["result_completeness"] != "complete"
