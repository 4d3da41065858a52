"""Prepare: make the truth of a repository by a compiler's indexer. Nothing of it is ever kept in this repository."""

import os
import shutil
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

LANGUAGES = ("python", "typescript")
PACKAGES = ("@sourcegraph/scip-python@0.6.6", "@sourcegraph/scip-typescript@0.4.0")
_PROGRAMS = {"python": "scip-python", "typescript": "scip-typescript"}
TIMEOUT_S = 1800


@dataclass(frozen=True, slots=True)
class Repository:
    """A working tree whose truth is known, or is to be made."""

    name: str
    language: str
    root: Path


def repository(text: str) -> Repository:
    """`name:language=path`, as the flag gives it."""
    head, _, path = text.partition("=")
    name, _, language = head.partition(":")
    if not name or language not in LANGUAGES or not path:
        raise ValueError(f"Not NAME:LANGUAGE=PATH with a language of {', '.join(LANGUAGES)}: {text}")
    return Repository(name, language, Path(path).resolve())


def index_of(truth: Path, repo: Repository) -> Path:
    return truth / f"{repo.name}.scip"


def install(node: Path) -> None:
    """The indexers, from the npm registry, into a directory of their own."""
    npm = shutil.which("npm")
    if npm is None:
        raise SystemExit("npm is not installed; the indexers are Node programs.")
    node.mkdir(parents=True, exist_ok=True)
    argv = [npm, "install", "--ignore-scripts", "--no-audit", "--no-fund", *PACKAGES]
    subprocess.run(argv, cwd=node, check=True, timeout=TIMEOUT_S, stdout=subprocess.DEVNULL)


def make(repo: Repository, truth: Path, node: Path, environment: Path | None) -> float:
    """Write the index of one repository; seconds taken."""
    truth.mkdir(parents=True, exist_ok=True)
    program = node / "node_modules" / ".bin" / _PROGRAMS[repo.language]
    out = str(index_of(truth, repo).resolve())
    argv = [str(program), "index", "--output", out]
    if repo.language == "python":
        argv += [".", "--project-name", repo.name, "--project-version", "0"]
    began = time.perf_counter()
    done = subprocess.run(argv, cwd=repo.root, env=_environment(repo, environment), capture_output=True, text=True,
                          timeout=TIMEOUT_S, check=False)  # fmt: skip
    if done.returncode != 0 or not index_of(truth, repo).exists():
        raise SystemExit(f"{_PROGRAMS[repo.language]} failed on {repo.name}: {(done.stderr or done.stdout)[-500:]}")
    return time.perf_counter() - began


def _environment(repo: Repository, environment: Path | None) -> dict[str, str]:
    """The interpreter whose packages are seen. A copy of the project installed there would win over the sources."""
    env = dict(os.environ)
    if environment is not None:
        env["VIRTUAL_ENV"] = str(environment.resolve())
        env["PATH"] = f"{environment.resolve() / 'bin'}{os.pathsep}{env.get('PATH', '')}"
    # Without it `import package` leads nowhere in a project that keeps its packages below src.
    env["PYTHONPATH"] = str(repo.root / "src") if (repo.root / "src").is_dir() else ""
    return env
