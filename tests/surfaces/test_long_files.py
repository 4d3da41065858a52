"""Files longer than a parser likes, from outside: what stands far down is found, or the answer says what it misses."""

import json
from pathlib import Path

import pytest

from tests.surfaces.conftest import Shell, environment, git

MIB = 2**20
LIMIT = {"CODECOMPASS_INDEX_MAX_FILE_SIZE": "20000"}


def long_source(size: int) -> str:
    """Functions with long comments, and a class that stands behind all of them and is used there."""
    comment = "    # " + "so it goes on and on " * 5 + "\n"
    rows = ["import os\n"]
    while sum(map(len, rows)) < size:
        rows.append(f"\n\ndef generated_{len(rows)}(first, second):\n{comment * 40}    return first + second\n")
    rows.append("\n\nclass Behind:\n    def behind_the_cut(self):\n        raise Error('the quixotic remainder')\n")
    rows.append("\n\nBehind().behind_the_cut()\n")
    return "".join(rows)


def make_shell(base: Path, size: int) -> Shell:
    root = base / "repo"
    root.mkdir()
    (root / "small.py").write_text("def small():\n    return 1\n")
    (root / "long.py").write_text(long_source(size))
    git(root, "init", "-q", "-b", "main")
    git(root, "add", ".")
    git(root, "commit", "-qm", "first")
    return Shell(root, environment(base / "home"))


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """A file that is longer than `LIMIT`."""
    return make_shell(tmp_path, 30_000)


def test_what_stands_behind_a_mebibyte_is_found(tmp_path: Path) -> None:
    """LONG-FILES: a file of some MiB is indexed to its end, by its words, names and uses, at the right lines."""
    shell = make_shell(tmp_path, 5 * MIB // 4)
    assert shell.run("index", "--no-embed", "--no-memory").returncode == 0
    lines = (shell.cwd / "long.py").read_text().split("\n")
    line = next(at for at, text in enumerate(lines, 1) if "def behind_the_cut" in text)
    answer = json.loads(shell.run("locate", "behind_the_cut", "--json").stdout)
    first = answer["results"][0]
    assert (first["path"], first["line_start"]) == ("long.py", line)
    assert first["qualified_name"] == "long.Behind.behind_the_cut"
    assert answer["metadata"]["result_completeness"] == "complete"
    found = json.loads(shell.run("search", "quixotic remainder", "--json").stdout)
    assert found["results"][0]["path"] == "long.py" and found["results"][0]["line_end"] >= line
    uses = json.loads(shell.run("references", "Behind.behind_the_cut", "--json").stdout)
    assert [(use["path"], use["line"]) for use in uses["references"]] == [("long.py", len(lines) - 1)]
    assert "partly_indexed" not in json.loads(shell.run("status", "--json").stdout)


def test_a_cut_file_makes_answers_partial_and_is_named(shell: Shell) -> None:
    """LONG-FILES-CUT: beyond the limit every answer that may miss something is partial and names the file."""
    assert shell.run("index", "--no-embed", "--no-memory", env=LIMIT).returncode == 0
    questions = [["locate", "behind_the_cut"], ["search", "quixotic remainder"], ["references", "small"]]
    for words in questions:
        meta = json.loads(shell.run(*words, "--json", env=LIMIT).stdout)["metadata"]
        assert meta["result_completeness"] == "partial", words
        assert any("long.py" in warning for warning in meta["warnings"]), words
    missing = json.loads(shell.run("tool", "find_references", "--arg", "name=behind_the_cut", env=LIMIT).stdout)
    assert missing["error"]["code"] == "symbol_not_found"
    assert missing["metadata"]["result_completeness"] == "partial"
    lists = json.loads(shell.run("tool", "search", "--arg", "query=quixotic remainder", env=LIMIT).stdout)
    assert lists["stats"]["modes"]["code"]["completeness"] == "partial"
    assert any("long.py" in warning for warning in lists["warnings"])
    status = json.loads(shell.run("status", "--json", env=LIMIT).stdout)
    assert [item["path"] for item in status["partly_indexed"]["files"]] == ["long.py"]
    assert "long.py" in shell.run("status", env=LIMIT).stdout


def test_an_answer_that_cannot_miss_anything_is_complete(shell: Shell) -> None:
    """LONG-FILES-CUT: a filter that leaves the cut file out, a whole file's outline and grep lose nothing."""
    assert shell.run("index", "--no-embed", "--no-memory", env=LIMIT).returncode == 0
    search = json.loads(shell.run("search", "small", "--path", "small", "--json", env=LIMIT).stdout)
    assert search["metadata"]["result_completeness"] == "complete"
    outline = json.loads(shell.run("outline", "small.py", "--json", env=LIMIT).stdout)
    assert outline["metadata"]["result_completeness"] == "complete"
    cut = json.loads(shell.run("outline", "long.py", "--json", env=LIMIT).stdout)
    assert cut["metadata"]["result_completeness"] != "complete"
    grep = json.loads(shell.run("tool", "grep_codebase", "--arg", "pattern=quixotic remainder", env=LIMIT).stdout)
    assert grep["totalMatches"] == 1 and "complete" not in grep


def test_another_limit_takes_effect_at_the_next_sync(shell: Shell) -> None:
    """LONG-FILES-CUT: the advice of the warning helps, and a lower limit is applied as well."""
    assert shell.run("index", "--no-embed", "--no-memory", env=LIMIT).returncode == 0
    assert shell.run("sync", "--no-embed", "--no-memory").returncode == 0
    answer = json.loads(shell.run("locate", "behind_the_cut", "--json").stdout)
    assert answer["total_candidates"] == 1
    assert answer["metadata"]["result_completeness"] == "complete"
    assert answer["metadata"]["freshness_status"] == "fresh"
    assert shell.run("sync", "--no-embed", "--no-memory", env=LIMIT).returncode == 0
    meta = json.loads(shell.run("locate", "small", "--json", env=LIMIT).stdout)["metadata"]
    assert (meta["result_completeness"], meta["freshness_status"]) == ("partial", "fresh")
