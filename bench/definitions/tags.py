"""Tags: what universal-ctags finds in the same files."""

import json
import subprocess
from collections.abc import Iterable
from pathlib import Path

from bench.definitions.compare import Found

_TIMEOUT_S = 600


def tags_of(binary: str, root: Path, language: str, kinds: Iterable[str], paths: list[str]) -> list[Found]:
    """The kinds that ctags lists by itself and those that are asked for besides, without what its helpers for other
    languages add. All kinds at once will not do: with locals among them its parsers lose their way.
    """
    besides = "".join(f"{{{kind}}}" for kind in sorted(kinds))
    argv = [
        binary, "-L", "-", f"--language-force={language}", f"--kinds-{language}=+{besides}", "--fields=+nKl",
        "--extras=-{subparser}{anonymous}", "--output-format=json", "--sort=no", "-f", "-",
    ]  # fmt: skip
    done = subprocess.run(argv, cwd=root, input="\n".join(paths).encode(), capture_output=True,
                          timeout=_TIMEOUT_S, check=True)  # fmt: skip
    rows = [json.loads(line) for line in done.stdout.decode("utf-8", "replace").splitlines() if line.startswith("{")]
    return [
        Found(row["path"], row["line"], row["name"], row.get("kind", ""))
        for row in rows
        if row.get("_type") == "tag" and "line" in row and row.get("language", language) == language
    ]
