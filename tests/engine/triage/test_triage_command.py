"""`codecompass triage`: findings in, decided about, packed, listed and shown, for people and for programs."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from rich.text import Text

from codecompass.errors import Failure
from codecompass.surfaces.cli.commands.triage_command import run_triage
from codecompass.surfaces.cli.parser import build_parser
from codecompass.surfaces.cli.views.terminal import cut_to_width
from tests.engine.support import desk_on
from tests.engine.triage.triage_repo import MERGE, YAML, Bench


class Terminal:
    """The command on the bench's engine, and what it wrote."""

    def __init__(self, bench: Bench, capture: pytest.CaptureFixture[bytes], base: Path) -> None:
        self._bench, self._capture, self.base = bench, capture, base

    def run(self, *words: str) -> tuple[int, str]:
        code = run_triage(build_parser().parse_args(["triage", *words]), self._bench.engine)
        return code, self._capture.readouterr().out.decode()

    def json(self, *words: str) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.run(*words, "--json")[1])
        return found

    def file(self, *findings: dict[str, Any]) -> str:
        path = self.base / "findings.json"
        path.write_text(json.dumps(findings))
        return str(path)


@pytest.fixture
def terminal(bench: Bench, capsysbinary: pytest.CaptureFixture[bytes], tmp_path: Path) -> Terminal:
    return Terminal(bench, capsysbinary, tmp_path)


def test_for_people(terminal: Terminal) -> None:
    """TRIAGE-CLI: each action says in few lines what it did; ids may be cut to what the list shows."""
    code, said = terminal.run("ingest", "generic", terminal.file(YAML, MERGE, {"x": 1}), "--meta", "team=red")
    assert code == 1 and "3 findings: 2 added, 0 updated, 0 unchanged, 1 not taken in" in said
    assert "[2]: it names neither" in said
    _, listed = terminal.run("list")
    first, second, count = listed.splitlines()
    assert "critical" in first and "CVE-2031-50005" in first and "open" in first and "PyYAML@5.1" in first
    assert "high" in second and count == "2 findings"
    short = first.split()[0]
    code, decided = terminal.run("decide", short, "not-affected", "--why", "Unused.", "--by", "ada", "--evidence",
                                 "src/config.py:10", "--expires", "2999-01-01")  # fmt: skip
    assert code == 0 and "not affected CVE-2031-50005 until 2999-01-01" in decided
    _, shown = terminal.run("show", short)
    assert "not affected by ada until 2999-01-01  Unused." in shown and "fixed in 5.4" in shown
    code, packed = terminal.run("pack", short)
    assert code == 0 and "2 manifest lines, 2 imports, 2 calls" in packed and "; 1 like decision\n" in packed
    assert "src/config.py:10  return yaml.load(text)" in packed


def test_a_list_fits_its_terminal(terminal: Terminal) -> None:
    """TRIAGE-CLI: a row for each finding, cut where the terminal ends, with what its source says of it."""
    gone = {**YAML, "sourceState": "dismissed", "title": "word " * 40}
    terminal.run("ingest", "generic", terminal.file(gone))
    _, listed = terminal.run("list")
    row = listed.splitlines()[0]
    assert "open (dismissed)" in row and len(row) > 120, "who reads from a pipe gets all of it"
    narrow = cut_to_width(Console(width=80, force_terminal=True), Text(row))
    assert narrow.cell_len == 80 and narrow.plain.endswith("…")


def test_for_programs(terminal: Terminal) -> None:
    """TRIAGE-CLI: the same as JSON, whole: every id, every error, every decision."""
    made = terminal.json("ingest", "generic", terminal.file(YAML, MERGE, {"x": 1}))
    assert (made["total"], made["written"], made["errors"]) == (3, 2, 1)
    assert made["errorDetails"][0]["position"] == "[2]" and len(made["recordIds"]) == 2
    record = made["recordIds"][0]
    decided = terminal.json("decide", record, "defer", "--code", "later", "--meta", "owner=bob")
    assert (decided["findingId"], decided["status"], decided["codes"], decided["owner"]) == (
        record, "defer", ["later"], "bob",
    )  # fmt: skip
    assert terminal.json("list", "--status", "defer")["findings"][0]["recordId"] == record
    assert terminal.json("list", "--severity", "high", "--contains", "LODASH")["total"] == 1
    assert terminal.json("list", "--severity", "critical", "--contains", "lodash")["total"] == 0
    shown = terminal.json("show", record)
    assert shown["standing"]["status"] == "defer" and len(shown["decisions"]) == 1
    assert terminal.json("pack", record)["calls"][0]["file"] == "src/config.py"


def test_a_finding_by_the_name_it_has(terminal: Terminal) -> None:
    """TRIAGE-CLI: the id of a vulnerability names its finding, in any case; where it has several, all are named."""
    terminal.run("ingest", "generic", terminal.file(YAML, MERGE, {**MERGE, "package": "other"}))
    assert terminal.json("show", "cve-2031-50005")["record"]["vuln"]["vulnId"] == "CVE-2031-50005"
    assert terminal.json("decide", "CVE-2031-50005", "defer")["status"] == "defer"
    with pytest.raises(Failure, match="may mean 2 findings") as caught:
        terminal.run("show", "GHSA-aaaa-bbbb-cccc")
    assert "Name one: " in caught.value.effective_hint
    assert terminal.run("list", "--contains", "CVE-2031-50005")[1].endswith("1 finding\n")


def test_wrong_words(terminal: Terminal) -> None:
    """TRIAGE-CLI: unknown sources, states and files are refused with what would do."""
    for words in (("ingest", "nessus", "x"), ("decide", "x", "maybe"), ("list", "--severity", "terrible"), ()):
        with pytest.raises(Failure) as caught:
            terminal.run(*words)
        assert caught.value.code == "INVALID_REQUEST" and caught.value.effective_hint
    with pytest.raises(Failure) as caught:
        terminal.run("ingest", "osv", str(terminal.base / "none.json"))
    assert caught.value.code == "FILE_NOT_FOUND" and "standard input" in caught.value.effective_hint
    with pytest.raises(Failure, match="key=value"):
        terminal.run("ingest", "osv", terminal.file(), "--meta", "team")
    assert terminal.run("list")[1].startswith("0 findings")


def test_from_a_pipe(tmp_path: Path) -> None:
    """TRIAGE-CLI: the real program takes findings in from standard input, in a project that has no index yet."""
    repo = tmp_path / "repo"
    repo.mkdir()
    with desk_on(repo, tmp_path / "data") as desk:
        desk.engine.init(str(repo))
    words = [sys.executable, "-m", "codecompass", "--data-dir", str(tmp_path / "data"), "triage", "ingest",
             "aws-inspector", "-", "--json"]  # fmt: skip
    done = subprocess.run(words, cwd=repo, timeout=120,
                          input=(Path(__file__).parent / "samples" / "aws_inspector.json").read_bytes(),
                          capture_output=True, check=False)  # fmt: skip
    assert done.returncode == 0, done.stderr
    made = json.loads(done.stdout)
    assert made["added"] == 1 and Path(made["records"][0]["mdPath"]).read_text().startswith("# CVE-2031-20002")
