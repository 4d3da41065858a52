"""Risks against Bandit on Python repositories, and what is found in programs that are insecure on purpose.

Usage: python -m bench.risk_bench DIR... --work DIR [--bandit PROGRAM] [--show]

A finding of one and a finding of the other are the same when they speak of the same line, or of lines of one statement
(three lines apart at most), and of the same matter; the tables below say which tests and categories share a matter.
Without a program for Bandit only our own findings are counted.
"""

import argparse
import json
import subprocess
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from codecompass.engine.engine import Engine
from codecompass.engine.options import EngineOptions
from codecompass.model.call import Call
from codecompass.model.queries.risk_report import RiskFinding, RiskQuery, RiskReport
from codecompass.store.embedded.embedded_store import EmbeddedStore

NEAR = 3
MATTERS = {
    "B102": "code-exec", "B307": "code-exec", "B301": "deserialization", "B302": "deserialization",
    "B506": "deserialization", "B303": "crypto", "B304": "crypto", "B305": "crypto", "B311": "crypto",
    "B324": "crypto", "B505": "crypto", "B105": "secret", "B106": "secret", "B107": "secret",
    "B104": "misconfiguration", "B201": "misconfiguration", "B103": "misconfiguration", "B602": "command",
    "B603": "command", "B604": "command", "B605": "command", "B606": "command", "B607": "command",
    "B609": "command", "B608": "sql", "B610": "sql", "B611": "sql", "B501": "tls", "B323": "tls", "B502": "tls",
    "B503": "tls", "B507": "tls", "B313": "xxe", "B314": "xxe", "B317": "xxe", "B318": "xxe", "B319": "xxe",
    "B320": "xxe", "B306": "file-write", "B202": "path", "B308": "xss", "B701": "xss", "B703": "xss", "B704": "xss",
    "B310": "ssrf", "B108": "file-write",
}  # fmt: skip
WHY_NOT = {
    "B101": "assert statements: no risk of a value, so no rule",
    "B105": "names such as `token` with any literal; ours wants a name that ends so and a value like a secret",
    "B106": "literals given by keyword (tests mostly); ours looks at assignments",
    "B107": "defaults of parameters; ours looks at assignments",
    "B110": "try/except/pass: style, so no rule",
    "B112": "try/except/continue: style, so no rule",
    "B113": "requests without a time limit: availability, so no rule",
    "B301": "an import of pickle or a use that gives data out; ours reports calls that read",
    "B303": "see B324",
    "B310": "urlopen with any argument; ours wants a value from a source",
    "B311": "every use of random; ours wants a token, key or the like near it",
    "B324": "hashes written in other ways than by hashlib",
    "B308": "mark_safe by decorator or with a literal; ours wants something that is not written out",
    "B703": "see B308",
    "B403": "imports alone do no harm", "B404": "imports alone do no harm", "B405": "imports alone do no harm",
    "B406": "imports alone do no harm", "B408": "imports alone do no harm", "B413": "imports alone do no harm",
    "B314": "XML parsers anywhere; ours wants an argument that is not written out",
    "B318": "see B314",
    "B603": "subprocess without a shell and with any argument; ours wants a value from a source",
    "B607": "a program by a relative name; ours has no rule for that",
    "B604": "any call with shell=True", "B602": "shell=True with a literal command",
    "B605": "a shell with a literal command", "B606": "a process without a shell; ours wants a value from a source",
    "B608": "a string that looks like SQL, where it is written; ours reports the call that runs it, lines away",
    "B610": "extra() with anything; ours wants a value from a source",
    "B611": "RawSQL with anything; ours wants a value from a source",
    "B108": "a path below /tmp; ours has no rule for that",
    "B104": "a text `0.0.0.0` on one line with others",
    "B103": "modes made of names or variables",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Row:
    path: str
    line: int
    test: str
    matter: str


def theirs(bandit: str, root: Path) -> list[Row]:
    """What Bandit says, with its own defaults."""
    command = [bandit, "-q", "-r", "-f", "json", "."]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    report = json.loads(done.stdout)
    return [
        Row(row["filename"].removeprefix("./"), row["line_number"], row["test_id"], MATTERS.get(row["test_id"], ""))
        for row in report["results"]
    ]


def ours(root: Path, work: Path) -> tuple[RiskReport, float]:
    """What we say, and the seconds of the question."""
    options = EngineOptions(default_workspace=str(root))
    engine = Engine(work / "data", options, EmbeddedStore, {})
    try:
        engine.index(None, None, force=False, call=Call())
        began = time.perf_counter()
        report = engine.risks(None, RiskQuery(limit=100_000), Call())
        return report, time.perf_counter() - began
    finally:
        engine.close()


def compare(root: Path, found: list[RiskFinding], rows: list[Row]) -> None:
    python = [item for item in found if item.path.endswith(".py")]
    matched = {row for row in rows if any(_same(row, item) for item in python)}
    shared = [item for item in python if any(_same(row, item) for row in rows)]
    places = {(item.path, item.line, item.category) for item in shared}
    rest = [item for item in python if (item.path, item.line, item.category) not in places]
    alone = {(item.path, item.line, item.rule) for item in rest}
    _say(f"{root.name}: Bandit {len(rows)}, ours {len({(i.path, i.line, i.rule) for i in python})} places")
    _say(f"  both: {len(matched)} of Bandit's, {len(places)} places of ours")
    _say("  both, by Bandit's test: " + _counted(row.test for row in matched))
    _say("  only Bandit, by test:")
    for test, count in Counter(row.test for row in rows if row not in matched).most_common():
        _say(f"    {test} {count:>5}  {WHY_NOT.get(test, 'no rule of ours speaks of it')}")
    _say("  only ours, by rule (a value that is followed, or a matter Bandit has no test for):")
    for rule, count in Counter(rule for _, _, rule in alone).most_common():
        _say(f"    {rule:<26} {count:>5}")


def _same(row: Row, item: RiskFinding) -> bool:
    return row.path == item.path and abs(row.line - item.line) <= NEAR and row.matter == item.category


def _counted(words: Iterable[str]) -> str:
    return ", ".join(f"{word} {count}" for word, count in Counter(words).most_common()) or "none"


def _say(text: str) -> None:
    print(text)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("roots", nargs="+", type=Path)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--bandit", help="program of Bandit")
    parser.add_argument("--show", action="store_true", help="list every flow")
    args = parser.parse_args()
    for root in args.roots:
        report, seconds = ours(root.resolve(), args.work)
        flows = [item for item in report.findings if item.scope != "place"]
        _say(f"{root.name}: {report.total} findings in {report.files} files, asked in {seconds:.2f} s")
        _say("  severities: " + ", ".join(f"{name} {count}" for name, count in report.severities.items()))
        _say("  scopes: " + ", ".join(f"{name} {count}" for name, count in report.scopes.items()))
        _say("  flows: " + _counted(f"{item.source}->{item.sink}" for item in flows))
        _say("  places: " + _counted(item.rule for item in report.findings if item.scope == "place"))
        if report.capped:
            _say(f"  limits were reached in {len(report.capped)} files")
        for item in flows if args.show else ():
            _say(f"    {item.path}:{item.line} {item.source}@{item.source_line}->{item.sink} {item.scope} {item.via}")
        rows = theirs(args.bandit, root) if args.bandit and list(root.rglob("*.py")) else []
        if rows:
            compare(root, list(report.findings), rows)


if __name__ == "__main__":
    main()
