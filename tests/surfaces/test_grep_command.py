"""`codecompass grep`: lines by file for people, the payload for programs."""

import json

from tests.surfaces.conftest import Shell


def test_grep_for_people_and_programs(fresh: Shell) -> None:
    """GREP-CLI: the same lines as a list and as JSON; a dash, a glob and what is no pattern."""
    (fresh.cwd / "src" / "extra.py").write_text("def extra():\n    return '--pre=needle'\n")
    assert fresh.run("index").returncode == 0
    plain = fresh.run("grep", "NEEDLE")
    assert plain.returncode == 0 and "src/extra.py" in plain.stdout and "2:" in plain.stdout
    assert "1 matching line in" in plain.stdout and "fresh" in plain.stdout
    payload = json.loads(fresh.run("grep", "--json", "--limit", "5", "--", "--pre=needle").stdout)
    assert [(one["file"], one["line"], one["column"]) for one in payload["matches"]] == [("src/extra.py", 2, 13)]
    none = json.loads(fresh.run("grep", "needle", "--file-pattern", "*.rs", "--case-sensitive", "--json").stdout)
    assert none["totalMatches"] == 0 and none["message"]
    wrong = fresh.run("grep", "[invalid(")
    assert wrong.returncode == 2 and "Invalid regex pattern" in wrong.stderr and "Traceback" not in wrong.stderr
