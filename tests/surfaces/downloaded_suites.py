"""Borrowed: test data and programs of others, fetched by the package managers and kept in the user's cache."""

import hashlib
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import platformdirs
import pytest

CACHE = Path(platformdirs.user_cache_dir("codecompass-tests", appauthor=False))
SUITE = ("pyjson5", "2.0.1", "a5b0e322e847b198a50d8a1ef16d6b2b19129644dc018d76773e81ef1487ca39")
PATIENCE_S = 240
NODE = Path(__file__).parent / "node"


def json_suite() -> dict[str, bytes]:
    """The files of JSONTestSuite (MIT), which the source distribution of `pyjson5` carries as its own test data."""
    name, version, digest = SUITE
    archive = CACHE / f"{name}-{version}.tar.gz"
    if not archive.exists() or hashlib.sha256(archive.read_bytes()).hexdigest() != digest:
        _download(name, version)
    assert hashlib.sha256(archive.read_bytes()).hexdigest() == digest, "not the archive that was looked at"
    files: dict[str, bytes] = {}
    with tarfile.open(archive) as tar:
        for member in tar:
            path = Path(member.name)
            content = tar.extractfile(member) if member.isfile() and path.parent.name == "test_parsing" else None
            if content is not None and path.suffix == ".json":
                files[path.name] = content.read()
    return files


def _download(name: str, version: str) -> None:
    CACHE.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "pip", "download", f"{name}=={version}", "--no-binary", name, "--no-deps",
               "--disable-pip-version-check", "--quiet", "--dest", str(CACHE)]  # fmt: skip
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    except subprocess.TimeoutExpired:
        pytest.skip(f"{name} {version} could not be downloaded in {PATIENCE_S} s")
    if done.returncode != 0:
        pytest.skip(f"{name} {version} cannot be downloaded: {done.stderr.strip().splitlines()[-1:]}")


def node_client() -> tuple[str, Path]:
    """Node, and the directory of our scripts with the packages of its lock file installed."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        pytest.skip("node and npm are not installed")
    lock = (NODE / "package-lock.json").read_bytes()
    home = CACHE / f"node-{hashlib.sha256(lock).hexdigest()[:16]}"
    if not (home / "installed").exists():
        home.mkdir(parents=True, exist_ok=True)
        for name in ("package.json", "package-lock.json"):
            shutil.copy(NODE / name, home / name)
        command = [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
        try:
            done = subprocess.run(command, cwd=home, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
        except subprocess.TimeoutExpired:
            pytest.skip(f"the packages could not be installed in {PATIENCE_S} s")
        if done.returncode != 0:
            pytest.skip(f"the packages cannot be installed: {done.stderr.strip().splitlines()[-1:]}")
        (home / "installed").touch()
    for script in NODE.glob("*.mjs"):
        shutil.copy(script, home / script.name)
    return node, home
