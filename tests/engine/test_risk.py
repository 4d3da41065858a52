"""Risks from the store: flows between files, filters, a user's own rules, limits."""

from pathlib import Path

import pytest

from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.model.queries.risk_report import RiskQuery, RiskReport
from codecompass.model.states import SEVERITIES, Severity
from tests.engine.support import Desk, desk_on

FILES = {
    "shop/views.py": (
        "from flask import request\n"
        "from shop.jobs import run, Worker\n"
        "from shop.inputs import asked\n"
        "import os\n"
        "\n"
        "def start():\n"
        "    line = request.args['line']\n"
        "    run('sh', line)\n"
        "\n"
        "def later():\n"
        "    Worker().start(word=request.args['word'])\n"
        "\n"
        "def question():\n"
        "    os.system(asked())\n"
        "\n"
        "def harmless():\n"
        "    run(request.args['first'], 'x')\n"
        "    run('sh', int(request.args['n']))\n"
        "\n"
        "def local():\n"
        "    eval(request.args['q'])\n"
    ),
    "shop/jobs.py": (
        "import subprocess\n"
        "\n"
        "def run(shell, command):\n"
        "    subprocess.call(command, shell=True)\n"
        "\n"
        "class Worker:\n"
        "    def start(self, times=1, word=''):\n"
        "        open(word)\n"
    ),
    "shop/inputs.py": "from flask import request\n\ndef asked():\n    return request.form['q']\n",
    "web/app.js": "import { show } from './page.js';\n\nexport function go(req) {\n  show(req.query.name);\n}\n",
    "web/page.js": "export function show(name) {\n  document.body.innerHTML = name;\n}\n",
}


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        path = tmp_path / "repo" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path / "repo"


def ask(desk: Desk, *paths: str, category: str | None = None, least: Severity = "low") -> RiskReport:
    return desk.engine.risks(None, RiskQuery(paths, category, least), Call())


def test_flows_between_files(repo: Path, tmp_path: Path) -> None:
    """RISK-CROSS: a value given to a function of another file, or given by one, is followed one call deep."""
    with desk_on(repo, tmp_path / "data") as desk:
        desk.index()
        report = ask(desk)
        crossing = {
            (item.source_path, item.source_line, item.path, item.line, f"{item.source}->{item.sink}")
            for item in report.findings
            if item.scope == "cross-file"
        }
        assert crossing == {
            ("shop/views.py", 7, "shop/jobs.py", 4, "req.input->subprocess.shell"),
            ("shop/views.py", 11, "shop/jobs.py", 8, "req.input->file.open"),
            ("shop/inputs.py", 4, "shop/views.py", 14, "req.input->os.system"),
            ("web/app.js", 4, "web/page.js", 2, "req.query->innerHTML"),
        }
        first = next(item for item in report.findings if item.sink == "subprocess.shell" and item.scope == "cross-file")
        assert first.symbol == "run" and first.via == ("line:7", "run():8", "command:3")
        assert report.scopes["cross-file"] == 4 and report.scopes["local"] == 1 and report.capped == ()


def test_findings_are_filtered(repo: Path, tmp_path: Path) -> None:
    """RISK-REPORT: paths, category and severity choose; the numbers speak of what was chosen."""
    with desk_on(repo, tmp_path / "data") as desk:
        desk.index()
        web = ask(desk, "web")
        assert {item.path for item in web.findings} == {"web/page.js"} and web.files == 2
        assert {item.category for item in ask(desk, category="command").findings} == {"command"}
        least = ask(desk, least="critical")
        assert {item.severity for item in least.findings} == {"critical"}
        assert sum(least.severities.values()) == least.total == len(least.findings)
        with pytest.raises(Failure, match="No indexed file"):
            ask(desk, "nowhere")


def test_rules_of_ones_own_are_used(repo: Path, tmp_path: Path) -> None:
    """RISK-RULES: rules of the settings hold for what is indexed, also for files that did not change."""
    own = tmp_path / "own.toml"
    own.write_text(
        "languages = ['python']\n[[rule]]\nid = 'own'\nkind = 'sink'\nname = 'own.open'\ncategory = 'path'\n"
        "severity = 'low'\nalways = true\ncalls = ['open']\n"
    )
    data = tmp_path / "data"
    with desk_on(repo, data) as desk:
        desk.index()
        assert not [item for item in ask(desk).findings if item.rule == "own"]
    with desk_on(repo, data, risk_rules=(str(own),)) as desk:
        desk.index()
        found = [item for item in ask(desk).findings if item.sink == "own.open"]
        assert [(item.line, item.scope) for item in found if item.source] == [(8, "cross-file")]
        own.write_text("languages = ['python']\n[[rule]]\nid = 'own'\n")
        with pytest.raises(Failure, match=r"Risk rules own\.toml: rule own: lacks the key 'kind'"):
            desk.index()


def test_an_unchanged_tree_is_not_parsed_again(repo: Path, tmp_path: Path) -> None:
    """RISK-RULES: as long as the rules stay the same, a sync finds nothing to do."""
    own = tmp_path / "own.toml"
    own.write_text("languages = ['python']\n")
    with desk_on(repo, tmp_path / "data", risk_rules=(str(own),)) as desk:
        assert desk.index().changed_files == len(FILES)
        assert desk.index().changed_files == 0


DOCUMENTED = """# Guide

## One

Prose that says `secret`.

```python
print("nothing here")
```

## Two

```python
SECRET_KEY = "s3cr3t-0f-the-guide"
```

## Three

```python
total = 1
```
"""


def test_a_finding_in_a_document_is_told_once(repo: Path, tmp_path: Path) -> None:
    """RISK-ORDER: a code sample of a document is read by itself: one finding, in the section it stands in."""
    (repo / "docs").mkdir()
    (repo / "docs" / "guide.md").write_text(DOCUMENTED)
    with desk_on(repo, tmp_path / "data") as desk:
        desk.index()
        found = list(ask(desk, "docs").findings)
        assert [(item.line, item.sink, item.role) for item in found] == [(14, "secret.literal", "documentation")]
        assert "One" not in found[0].symbol and "Three" not in found[0].symbol


def test_the_worst_comes_first_and_tests_come_last(repo: Path, tmp_path: Path) -> None:
    """RISK-ORDER: findings fall in severity; those of tests and documents are marked and follow all others."""
    for name in ("tests/test_shell.py", "a_first.py"):
        path = repo / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("from flask import request\nimport os\n\ndef go():\n    os.system(request.args['x'])\n")
    (repo / "docs").mkdir()
    (repo / "docs" / "guide.md").write_text(DOCUMENTED)
    with desk_on(repo, tmp_path / "data") as desk:
        desk.index()
        report = ask(desk)
        roles = [item.role for item in report.findings]
        assert roles == sorted(roles, key=("", "test", "documentation").index)
        assert report.roles == {"test": 1, "documentation": 1}
        for role in ("", "test"):
            ranks = [SEVERITIES.index(item.severity) for item in report.findings if item.role == role]
            assert ranks == sorted(ranks, reverse=True) and ranks
        places = [(item.path, item.line, item.col, item.category, item.source_path, item.source_line)
                  for item in report.findings]  # fmt: skip
        assert len(places) == len(set(places))
