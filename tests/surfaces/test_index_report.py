"""What `codecompass index` tells of itself while it works and when it is done."""

import json
import re
import time
from itertools import pairwise
from pathlib import Path

from codecompass.model.call import Progress
from codecompass.surfaces.cli.views.index_progress import PhaseClock
from tests.surfaces.conftest import Shell, environment, git

FILES = 120


def big_shell(base: Path) -> Shell:
    root = base / "repo"
    root.mkdir()
    for number in range(FILES):
        rows = [f"def part_{number}_{at}(value):\n    # because of issue {at}\n    return value\n" for at in range(60)]
        body = "".join(rows)
        (root / f"module_{number}.py").write_text(f"# note: keep the order {number}\n{body}")
    (root / "README.md").write_text("# Shop\n\nWe decided to use SQLite because it is one file.\n")
    (root / "AGENTS.md").write_text("# Rules\n\nNever edit generated files.\n")
    git(root, "init", "-q", "-b", "main")
    git(root, "add", ".")
    git(root, "commit", "-qm", "Use SQLite because it needs no server")
    return Shell(root, environment(base / "home"))


def test_phases_have_names_and_numbers_that_move(tmp_path: Path) -> None:
    """R-PROGRESS-WHOLE: no phase comes back under its name, and parsing counts what is parsed, not what is read."""
    done = big_shell(tmp_path).run("index", "--json")
    events = [json.loads(line) for line in done.stderr.splitlines()]
    phases = [event["phase"] for event in events]
    runs = [name for at, name in enumerate(phases) if at == 0 or phases[at - 1] != name]
    assert len(runs) == len(set(runs)), runs
    assert {"parse", "publish", "vectors", "statements"} <= set(runs)
    for before, after in pairwise(events):
        if before["phase"] == after["phase"]:
            assert after["done"] >= before["done"] and isinstance(after["done"], int)
    parsed = [event["done"] for event in events if event["phase"] == "parse" and event.get("message")]
    assert parsed and parsed[0] < FILES, "work in flight does not count as done"


def test_the_time_reported_is_the_time_that_passed(tmp_path: Path) -> None:
    """CLI-TRUE-TIME: vectors and memory are part of it, in the words for people and in the row of the job."""
    shell = big_shell(tmp_path)
    began = time.monotonic()
    done = shell.run("index")
    passed = time.monotonic() - began
    found = re.search(r" symbols, ([\d.]+) s", done.stdout)
    assert found, done.stdout
    assert passed * 0.5 <= float(found[1]) <= passed
    (job,) = json.loads(shell.run("jobs", "--json").stdout)
    searchable = re.search(r"searchable after ([\d.]+) s", done.stdout)
    least = float(searchable[1]) if searchable else 0.0
    assert job["duration_ms"] / 1000 > least * 0.5 and job["duration_ms"] / 1000 <= passed


def test_the_clock_says_when_the_index_could_be_searched() -> None:
    """CLI-TRUE-TIME: where much comes after the publish, both times are said."""
    clock = PhaseClock(time.monotonic() - 63.0)
    told: list[Progress] = []
    listen = clock.listen(told.append)
    listen(Progress("publish", 1, 1))
    assert re.fullmatch(r"63\.\d s", clock.format_summary())
    listen(Progress("vectors", 0, 1))
    clock._published = time.monotonic() - 33.0
    assert re.fullmatch(r"63\.\d s \(searchable after 30\.\d s\)", clock.format_summary())
    assert [event.phase for event in told] == ["publish", "vectors"]
