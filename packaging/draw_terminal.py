"""Draw docs/images/terminal.svg: run commands in a real terminal and export what it shows.

`make picture REPO=~/src/flask` (an indexed clone of flask) runs it. The picture has its own background, so that it is
readable on light and dark pages, and names fonts of the reader's machine: it asks no other machine for anything.
"""

import os
import pty
import re
import sys
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

COMMANDS = (
    'codecompass search "how is a url built for an endpoint" --limit 2',
    "codecompass references Blueprint.register",
    'codecompass context search "why is teardown called even on errors" --limit 1',
)
WIDTH = 100
THEME = TerminalTheme(
    (27, 31, 40), (224, 228, 235),
    [(27, 31, 40), (240, 113, 120), (152, 204, 122), (232, 192, 114), (110, 170, 240), (200, 140, 230), (98, 196, 204), (224, 228, 235)],
    [(130, 140, 155), (250, 140, 146), (176, 220, 150), (244, 212, 146), (144, 194, 250), (220, 170, 244), (130, 216, 222), (255, 255, 255)],
)
FONTS = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"


def run_in_terminal(command: str) -> str:
    """Run a command in a pseudo-terminal and return what it wrote, with its colours."""
    pid, terminal = pty.fork()
    if pid == 0:
        environment = os.environ | {"COLUMNS": str(WIDTH), "LINES": "50", "TERM": "xterm-256color"}
        environment.pop("NO_COLOR", None)
        os.execvpe("bash", ["bash", "-c", f"stty cols {WIDTH} rows 50; {command} 2>/dev/null"], environment)
    parts = []
    try:
        while data := os.read(terminal, 65536):
            parts.append(data)
    except OSError:  # the other end is closed
        pass
    if os.waitpid(pid, 0)[1] != 0:
        raise SystemExit(f"failed: {command}")
    # Links around names are invisible in a picture.
    return re.sub(r"\x1b\]8;[^\x1b]*\x1b\\", "", b"".join(parts).decode()).replace("\r\n", "\n")


def draw(repository: Path) -> str:
    """Return the picture of all commands in a repository."""
    os.chdir(repository)
    console = Console(record=True, width=WIDTH, file=open(os.devnull, "w"), force_terminal=True, color_system="truecolor")
    for command in COMMANDS:
        console.print(Text.assemble(("$ ", "bold green"), (command, "bold")))
        console.print(Text.from_ansi(run_in_terminal(command).rstrip("\n")))
        console.print()
    svg = console.export_svg(title=f"{repository.resolve().name}: codecompass", theme=THEME, unique_id="terminal")
    svg = re.sub(r"<!--.*?-->\s*", "", svg, flags=re.DOTALL)
    svg = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)
    svg = re.sub(r"font-family: (?:Fira Code|arial)[^;]*;", f"font-family: {FONTS};", svg)
    return "\n".join(line.rstrip() for line in svg.splitlines()) + "\n"


if __name__ == "__main__":
    target = Path(__file__).resolve().parents[1] / "docs" / "images" / "terminal.svg"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(draw(Path(sys.argv[1])), encoding="utf-8")
