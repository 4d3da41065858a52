"""`codecompass risks`: findings by file for people, all of them for programs."""

import json

from tests.surfaces.conftest import Shell


def test_risks_for_people_and_programs(fresh: Shell) -> None:
    """RISK-REPORT: the same findings as a table and as JSON, and exit code 0."""
    source = "import os\nfrom flask import request\n\ndef f():\n    os.system(request.args['c'])\n"
    (fresh.cwd / "src" / "danger.py").write_text(source)
    assert fresh.run("index").returncode == 0
    plain = fresh.run("risks")
    assert plain.returncode == 0
    assert "src/danger.py" in plain.stdout and "req.input:5 → os.system" in plain.stdout and "CWE-78" in plain.stdout
    payload = json.loads(fresh.run("risks", "src", "--category", "command", "--json").stdout)
    (found,) = payload["findings"]
    assert found["flow"] == "req.input->os.system" and found["severity"] == "critical"
    assert found["source"] == {"name": "req.input", "path": "src/danger.py", "line": 5, "column": 23}
    assert (found["line"], found["column"], found["scope"], payload["total"]) == (5, 8, "local", 1)
    told = json.loads(fresh.run("inspect", "f", "--json").stdout)["risks"]
    assert told["flows"][0]["flow"] == "req.input->os.system" and told["sinks"][0]["line"] == 5


def test_wrong_use_is_refused(indexed: Shell) -> None:
    """RISK-REPORT: a wrong severity or limit is refused with the right words."""
    assert "critical" in indexed.run("risks", "--min-severity", "huge").stderr
    assert "limit" in indexed.run("risks", "--limit", "-1").stderr
