"""Examples of the documentation: read the console blocks, run them in the sample project, compare, rewrite.

`python -m tests.install.examples` (`make examples`) writes the output of today into the pages, where it differs in more
than times and scores. In a block a line `…` stands for any lines, and `# exits N` after a command for its exit code. A
block below `<!-- not run: REASON -->` is not run.
"""

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.architecture.source import ROOT
from tests.install.sample_project import make_sample

BLOCK = re.compile(r"(?:^<!-- not run: (?P<reason>[^\n]+) -->\n)?^```console\n(?P<body>.*?)^```$", re.M | re.S)
EXIT = re.compile(r"#.*\bexits (\d+)")
PORT = "7345"
GENERATED_ELSEWHERE = {"docs/agents.md": "setup asks before it writes; tests/agents run it for every agent"}
"""Pages without room for a reason above their blocks."""
ELISION = "…"
SHOWN_HOME = "~"
PROGRAMS = Path(sys.executable).parent
VOLATILE = (
    (re.compile(r"\b\d[\d,]*(?:\.\d+)? (?:ms|s)\b"), "TIME"),
    (re.compile(r"[▪·]{5} \d\.\d\d"), "SCORE"),
    (re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+(?:Z|\+00:00)"), "MOMENT"),
    (re.compile(r'"(ts|requestId|durationMs|searchTime|score|final_score)":\s?("[^"]*"|[\d.]+)'), r'"\1": VALUE'),
    (re.compile(r"\b(?:[0-9a-f]{16}|[0-9a-f]{40})\b"), "ID"),
)
"""What differs from run to run, and what stands for it in a comparison."""


@dataclass(frozen=True)
class Step:
    """One command of a block, the output that the page shows, and the exit code that it announces."""

    command: str
    output: str
    code: int


@dataclass(frozen=True)
class Block:
    """One console block of a page."""

    page: str
    body: str
    reason: str
    """Why it is not run; empty if it is."""
    steps: tuple[Step, ...]


@dataclass
class Place:
    """A home with the sample project, and the server that a page has started."""

    home: Path
    port: str = ""
    servers: "list[subprocess.Popen[str]]" = field(default_factory=list)

    @property
    def repo(self) -> Path:
        return self.home / "shop"

    def environment(self) -> dict[str, str]:
        kept = {key: value for key, value in os.environ.items() if not key.startswith(("CODECOMPASS_", "XDG_", "GIT_"))}
        path = f"{PROGRAMS}{os.pathsep}{kept['PATH']}"
        return kept | {"HOME": str(self.home), "PATH": path, "COLUMNS": "100", "NO_COLOR": "1", "PAGER": "cat"}

    def close(self) -> None:
        for server in self.servers:
            server.terminate()
            server.wait(timeout=20)
            if server.stdout is not None:
                server.stdout.close()


def list_pages() -> list[Path]:
    """The README and every page that is not for builders."""
    below = ROOT / "docs"
    pages = [path for path in sorted(below.rglob("*.md")) if path.relative_to(below).parts[0] != "building"]
    return [ROOT / "README.md", *pages]


def read_blocks(page: Path) -> list[Block]:
    """Return the console blocks of a page."""
    found = BLOCK.finditer(page.read_text(encoding="utf-8"))
    name = page.relative_to(ROOT).as_posix()
    why = GENERATED_ELSEWHERE.get(name, "")
    return [Block(name, match["body"], match["reason"] or why, tuple(_read_steps(match["body"]))) for match in found]


def _read_steps(body: str) -> Iterator[Step]:
    command: list[str] = []
    output: list[str] = []
    for line in [*body.splitlines(), "$ "]:
        if line.startswith("$ "):
            if command:
                text = "\n".join(command)
                code = EXIT.search(text)
                yield Step(text, "\n".join(output), int(code[1]) if code else 0)
            command, output = [line[2:]], []
        elif command[-1].endswith("\\"):
            command.append(line)
        else:
            output.append(line)


def run_step(step: Step, place: Place) -> tuple[int, str]:
    """Run a command and return its exit code and what it says, with the home that pages show."""
    if step.command.startswith("codecompass serve-http"):
        return 0, _hide_place(_start_server(step.command, place), place)
    command = step.command.replace(f":{PORT}", f":{place.port}")
    done = subprocess.run(
        ["bash", "-c", command], cwd=place.repo, env=place.environment(), stdin=subprocess.DEVNULL,
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    said = done.stdout + (done.stderr if done.returncode else "")
    return done.returncode, _hide_place(said, place)


def _start_server(command: str, place: Place) -> str:
    """Start the server of a page at a free port, and return its first line."""
    words = ["bash", "-c", f"exec {command.partition('#')[0]} --port 0"]
    server = subprocess.Popen(
        words, cwd=place.repo, env=place.environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    place.servers.append(server)
    assert server.stdout is not None
    for line in server.stdout:
        port = re.search(r"127\.0\.0\.1:(\d+)", line)
        if port is not None:
            place.port = port[1]
            return line
    raise AssertionError(f"{command}: the server did not start")


def _hide_place(text: str, place: Place) -> str:
    shown = text.replace(str(place.home), SHOWN_HOME).replace(str(PROGRAMS), f"{SHOWN_HOME}/.local/bin")
    return shown.replace(f":{place.port}", f":{PORT}") if place.port else shown


def normalize(text: str) -> list[str]:
    """Return the lines without what differs from run to run."""
    for pattern, word in VOLATILE:
        text = pattern.sub(word, text)
    return [" ".join(line.split()) for line in text.strip().splitlines()]


def is_shown(expected: str, actual: str) -> bool:
    """Whether a page shows what a command printed; a page that shows nothing is right."""
    pattern = "".join(
        r"(?:[^\n]*\n)*?" if line == ELISION else ".*".join(map(re.escape, line.split(ELISION))) + r"\n"
        for line in normalize(expected)
    )
    return not expected.strip() or re.fullmatch(pattern, "\n".join(normalize(actual)) + "\n") is not None


def run_pages(place: Place) -> Iterator[tuple[Block, Step, int, str]]:
    """Run all blocks of all pages in order."""
    make_sample(place.repo)
    try:
        for page in list_pages():
            for block in read_blocks(page):
                for step in block.steps if not block.reason else ():
                    yield block, step, *run_step(step, place)
    finally:
        place.close()


def rewrite_pages() -> None:
    """Write what the commands print today into the pages that show something else."""
    with tempfile.TemporaryDirectory() as home:
        for block, step, code, actual in run_pages(Place(Path(home).resolve())):
            sys.stdout.write(f"{block.page}: {step.command}\n")
            if code != step.code:
                sys.stdout.write(f"  exits {code}, not {step.code}:\n{actual}\n")
            elif not is_shown(step.output, actual):
                page = ROOT / block.page
                old, new = f"$ {step.command}\n{step.output}\n", f"$ {step.command}\n{_trim(actual)}\n"
                page.write_text(page.read_text(encoding="utf-8").replace(old, new, 1), encoding="utf-8")
                sys.stdout.write("  rewritten\n")


def _trim(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip().splitlines())


if __name__ == "__main__":
    rewrite_pages()
