"""Write THIRD-PARTY.md: what CodeCompass uses of others, from installed metadata and the provenance of data files.

`make notices` runs it. Versions are those of requirements.lock; licences are what each package declares.
"""

import re
import sys
import tomllib
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PINNED = re.compile(r"^([a-z0-9][\w.-]*)==([^\s;\\]+)(?: ; (.*?))? \\$", re.MULTILINE)
GRAMMARS = "tree-sitter-language-pack"
GRAMMAR = re.compile(r"^- \[([\w/-]+)\]\((\S+?)\)\s+-\s+(.+?)\s*$", re.MULTILINE)
NOT_INSTALLED = "not installed where this page was written; see the package"
HEAD = """\
# Third-party notices

<!-- Written by `make notices`; edit packaging/write_notices.py, not this file. -->

CodeCompass itself is Apache-2.0 ([LICENSE](LICENSE)). This page names the work of others that it uses. Nothing of it is
copied into this repository: the packages below are installed beside it and bring the texts of their licences along.
"""
DATA = """\
## Data in this package

| what | file | where it comes from | licence |
|---|---|---|---|
| model weights `compass-static-1` | `src/codecompass/embed/compass-static-1.ccvec` | trained by this project on pairs mined from public repositories; `training/README.md` has the recipe and `training/sources.toml` every repository and commit; the file holds vectors and a vocabulary of word parts, no passages of their text; no other model was distilled | Apache-2.0 |
| thesaurus | `src/codecompass/engine/memory/search/synonyms.txt` | written by this project | Apache-2.0 |
| queries and rules of languages | `src/codecompass/languages/data/`, `src/codecompass/languages/taint/rules/` | written by this project | Apache-2.0 |

No word list of others is in the package. Word lists, models and extensions that you download yourself have licences of
their own ([downloads](docs/downloads.md)).
"""


def render_notices() -> str:
    """Render the whole page."""
    lines = [HEAD, "## Python packages\n", *_render_packages(), "", "## Grammars\n", *_render_grammars(), "", DATA]
    return "\n".join(lines)


def _render_packages() -> list[str]:
    """One row for each package of requirements.lock, build tools included."""
    lines = ["Installed with CodeCompass, directly or by another package, or used to build it:\n"]
    lines += ["| package | version | licence | only where |", "|---|---|---|---|"]
    found: dict[tuple[str, str], list[str]] = {}
    for name, version, marker in PINNED.findall((ROOT / "requirements.lock").read_text(encoding="utf-8")):
        found.setdefault((name, marker.split(" and ")[-1] if "platform" in marker else ""), []).append(version)
    for (name, marker), versions in sorted(found.items()):
        lines.append(f"| {name} | {', '.join(versions)} | {_read_licence(name)} | {marker} |")
    lines += ["", "Installed on request (`codecompass[documents]`, `codecompass[models]`):\n"]
    lines += ["| package | licence |", "|---|---|"]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = sorted(row for rows in project["optional-dependencies"].values() for row in rows)
    return lines + [f"| {(name := re.split(r'[<>=]', row)[0])} | {_read_licence(name)} |" for row in extras]


def _read_licence(package: str) -> str:
    """Return what a package declares: the expression, else its classifiers, else the first line of its text."""
    try:
        found = metadata.metadata(package)
    except metadata.PackageNotFoundError:
        return NOT_INSTALLED
    classifiers = [row.split("::")[-1].strip() for row in found.get_all("Classifier") or () if row.startswith("License")]
    text = (found.get("License") or "").partition("\n")[0].strip()
    return found.get("License-Expression") or ", ".join(classifiers) or text or "see the package"


def _render_grammars() -> list[str]:
    """One row for each grammar that a language here names."""
    page = metadata.metadata(GRAMMARS).get_payload()
    found = GRAMMAR.findall(str(page))
    known = {name: (address, licence) for names, address, licence in found for name in names.split("/")}
    lines = [f"Compiled tree-sitter grammars, shipped by the package `{GRAMMARS}`, which states these origins:\n"]
    lines += ["| grammar | origin | licence |", "|---|---|---|"]
    for name in list_grammars():
        address, licence = known[name]
        lines.append(f"| {name} | {address} | {licence} |")
    return lines


def list_grammars() -> list[str]:
    """Return the grammars that the languages name."""
    files = sorted((ROOT / "src/codecompass/languages/data").glob("*/language.toml"))
    named = {tomllib.loads(path.read_text(encoding="utf-8")).get("grammar") for path in files}
    return sorted(name for name in named if name)


if __name__ == "__main__":
    target = ROOT / "THIRD-PARTY.md"
    target.write_text(render_notices(), encoding="utf-8")
    sys.stdout.write(f"wrote {target.name}\n")
