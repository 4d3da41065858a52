"""CI pipelines: extract the commands that CI configuration files run. Pure."""

import re
from collections.abc import Iterator

from codecompass.engine.memory.mining.mined_item import MinedItem, make_item
from codecompass.engine.memory.mining.tool_choices import extract_tool_choices

_CI = re.compile(
    r"(?:^|/)(?:\.github/workflows/[^/]+\.ya?ml|\.gitlab-ci\.yml|\.travis\.yml|\.circleci/config\.yml"
    r"|azure-pipelines\.yml|\.cirrus\.yml|appveyor\.yml|bitbucket-pipelines\.yml|Jenkinsfile|\.drone\.yml)$"
)
_RUN = re.compile(r"^(\s*)-?\s*(?:run|script|command)\s*:\s*(.*)$")
_STEP = re.compile(r"^\s*-\s+(?![\w.-]+\s*:)(\S.*)$")
_MAX_SHOWN = 40


def is_ci_file(path: str) -> bool:
    return _CI.search(path) is not None


def mine_ci(path: str, text: str) -> Iterator[MinedItem]:
    """Mine the commands that CI runs."""
    commands = list(dict.fromkeys(_extract_commands(text)))[:_MAX_SHOWN]
    if commands:
        content = f"CI ({path}) runs:\n" + "\n".join(commands)
        lines = (1, text.rstrip().count("\n") + 1)
        item = make_item("pattern", "ci", content, f"CI commands in {path}", lines=lines, key=f"ci {path}")
        yield item._replace(slots=extract_tool_choices("\n".join(f"run {line}" for line in commands)))


def _extract_commands(text: str) -> Iterator[str]:
    depth = -1
    for line in text.split("\n"):
        indent = len(line) - len(line.lstrip())
        if depth >= 0 and line.strip():
            if indent > depth:
                step = _STEP.match(line)
                yield (step[1] if step else line.strip())[:200]
                continue
            depth = -1
        found = _RUN.match(line)
        if found:
            command = found[2].strip()
            if command in ("|", ">", "|-", ">-", ""):
                depth = len(found[1])
            elif not command.startswith(("[", "{", "&", "*")):
                yield command.strip("'\"")[:200]
