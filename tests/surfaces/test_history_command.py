"""`codecompass history`: the facts for programs and a picture for people."""

import json

from tests.surfaces.conftest import Shell


def test_history_of_a_file(indexed: Shell) -> None:
    """CLI-HISTORY: author, date and churn of a file; nothing is asked of its lines unless they are named."""
    plain = indexed.run("history", "src/auth.py")
    assert plain.returncode == 0, plain.stderr
    assert "author" in plain.stdout and "9 lines (+9 −0) in 1 commit" in plain.stdout and "lines 1" not in plain.stdout
    payload = json.loads(indexed.run("history", "src/auth.py", "--json").stdout)
    assert payload["last_commit"]["author"] == "t" and payload["churn"] == {"added": 9, "deleted": 0, "total": 9}
    assert (payload["git"], payload["commits"], payload["window"]) == ("ok", 1, 10)
    assert (payload["history"], payload["uncommitted"], "lines" in payload) == ("complete", False, False)


def test_history_of_lines(indexed: Shell) -> None:
    """CLI-HISTORY: the authors of one line or of a range, with bars."""
    plain = indexed.run("history", "src/auth.py:4-5")
    assert plain.returncode == 0 and "lines 4-5" in plain.stdout and "█" in plain.stdout, plain.stderr
    payload = json.loads(indexed.run("history", "src/auth.py:4", "--json").stdout)
    (row,) = payload["lines"]["authors"]
    assert (row["author"], row["lines"]) == ("t", 1) and row["latest"]


def test_wrong_places(indexed: Shell) -> None:
    """CLI-HISTORY, CLI-EXIT-CODES: an unknown file and impossible lines are errors with a way out."""
    for words in (["nothing.py"], ["src/auth.py:9-3"], ["src/auth.py:0"]):
        found = indexed.run("history", *words)
        assert found.returncode != 0 and "error:" in found.stderr and "Traceback" not in found.stderr
