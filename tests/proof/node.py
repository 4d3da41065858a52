"""Node: the programs of `proof/`, installed once from their lock file into the user's cache, with a Node new enough."""

import fcntl
import hashlib
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from platformdirs import user_cache_path

PACKAGES = Path(__file__).parents[2] / "proof"
LEAST = (22, 19)
INSTALL_S = 600
VERB = {"quick": "ci", "inspector": "install"}
"""`ci` refuses the Inspector's lock file, because npm lists optional packages for other systems without a version;
`install` keeps to the same versions and hashes."""


class Unavailable(Exception):
    """Why the programs cannot be had here."""


@dataclass(frozen=True, slots=True)
class Programs:
    """One installed set."""

    root: Path
    node: str

    def command(self, name: str) -> list[str]:
        """How to start a program of the set; scripts of ours end in .mjs."""
        where = self.root if name.endswith(".mjs") else self.root / "node_modules" / ".bin"
        return [self.node, str(where / name)]


def prepare(name: str) -> Programs:
    """The set, installed if it is not; several processes may ask at the same time."""
    source = PACKAGES / name
    locked = b"".join((source / file).read_bytes() for file in ("package.json", "package-lock.json"))
    cache = user_cache_path("codecompass-proof")
    cache.mkdir(parents=True, exist_ok=True)
    root = cache / f"{name}-{hashlib.sha256(locked).hexdigest()[:12]}"
    with (cache / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not root.exists():
            _install(source, root)
        for script in source.glob("*.mjs"):
            shutil.copyfile(script, root / script.name)
    return Programs(root, _node(root))


def _install(source: Path, root: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise Unavailable("npm is not installed; it fetches the programs of others that these proofs run")
    with tempfile.TemporaryDirectory(dir=root.parent) as scratch:
        fresh = Path(scratch) / "set"
        shutil.copytree(source, fresh, ignore=shutil.ignore_patterns("node_modules"))
        # No install scripts: what is fetched is only run where a proof runs it.
        command = [npm, VERB[source.name], "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
        done = subprocess.run(command, cwd=fresh, capture_output=True, text=True, timeout=INSTALL_S, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"npm {VERB[source.name]} failed in {source.name}: {done.stderr.strip()[-800:]}")
        os.replace(fresh, root)


def _node(root: Path) -> str:
    machine = {"x86_64": "x64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
    packaged = root / "node_modules" / f"node-{sys.platform}-{machine}" / "bin" / "node"
    if packaged.exists():
        return str(packaged)
    found = shutil.which("node")
    if found is None or _version(found) < LEAST:
        raise Unavailable(f"no Node {'.'.join(map(str, LEAST))} or newer for this machine")
    return found


def _version(node: str) -> tuple[int, ...]:
    done = subprocess.run([node, "--version"], capture_output=True, text=True, timeout=30, check=True)
    return tuple(int(part) for part in done.stdout.strip().lstrip("v").split(".")[:2])
