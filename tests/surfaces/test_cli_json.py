"""docs/cli-json.md: every example is run, and has the fields that the page promises."""

import json
import re
import shlex
from pathlib import Path

import pytest

from codecompass.tools import TOOLS
from tests.surfaces.conftest import Shell
from tests.surfaces.helprepo import make_example_repository

PAGE = Path(__file__).parents[2] / "docs/cli-json.md"
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in PAGE.read_text().splitlines()
    if line.startswith("| `codecompass ")
]


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Shell:
    return make_example_repository(tmp_path_factory.mktemp("cli-json"))


def names_in(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0].split()[1])
def test_the_page_tells_the_truth(shop: Shell, row: list[str]) -> None:
    """CLI-JSON: one object on one line, with the fields of the page in the answer and in its first item."""
    command, tool, fields, items = row
    done = shop.run(*shlex.split(command.strip("`"))[1:])
    assert done.returncode == 0 and done.stdout.count("\n") == 1, done.stderr
    answer = json.loads(done.stdout)
    assert set(names_in(fields)) <= answer.keys()
    if items:
        holder, *expected = names_in(items)
        assert answer[holder] and set(expected) <= answer[holder][0].keys()
    if not tool:
        assert answer["json_version"] == 1


def test_the_page_has_every_command_that_is_scripted() -> None:
    """CLI-JSON: and names only tools that exist."""
    named = {row[0].split()[1] for row in ROWS}
    assert named >= {"search", "locate", "references", "outline", "calls", "types", "grep", "status", "refs", "diff",
                     "projects", "risks", "lint"}  # fmt: skip
    assert {name for row in ROWS for name in names_in(row[1])} <= {tool.name for tool in TOOLS}
