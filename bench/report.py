"""Report: a table for the reader, a JSON record for later, one file per benchmark."""

import json
import os
import platform
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.targets import Target
from codecompass import __version__

OUT = Path(__file__).parent / "out"
MB = 1_000_000
Row = Sequence[str]


def table(title: str, head: Row, rows: Sequence[Row]) -> None:
    """Print a table: the first column to the left, the others to the right."""
    widths = [max(len(row[column]) for row in (head, *rows)) for column in range(len(head))]
    print(f"\n{title}")
    for row in (head, ["-" * width for width in widths], *rows):
        cells = [row[0].ljust(widths[0]), *(text.rjust(width) for text, width in zip(row[1:], widths[1:], strict=True))]
        print("  " + "  ".join(cells).rstrip(), flush=True)


def number(value: float | None, places: int = 2) -> str:
    return "–" if value is None else f"{value:,.{places}f}"


def judged(label: str, value: float | None, target: Target, places: int = 2, beside: str = "") -> list[str]:
    """A row: the value, its target, whether it was reached, and what stands beside it."""
    shown = "–" if value is None else f"{value:,.{places}f}{target.unit}"
    return [label, shown, target.text, target.verdict(value), beside]


JUDGED_HEAD = ("measure", "ours", "target", "", "beside")


def ratio(ours: float, theirs: float | None) -> float | None:
    return ours / theirs if theirs else None


def record(name: str, result: dict[str, Any]) -> None:
    """Append one result to `bench/out/<name>.json`, a list. Holds names of repositories, never paths."""
    OUT.mkdir(exist_ok=True)
    path = OUT / f"{name}.json"
    known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
    known.append(_circumstances() | result)
    fresh = path.with_suffix(".new")
    fresh.write_text(json.dumps(known, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    os.replace(fresh, path)


def _circumstances() -> dict[str, Any]:
    """What the numbers depend on besides the program."""
    return {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "codecompass": __version__,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "cores": os.cpu_count(),
        "load_1m": round(os.getloadavg()[0], 2),
    }
