"""A real repository, a real data directory, and real processes."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.surfaces.stdio_client import Peer

SOURCE = '''class Auth:
    """Checks tokens."""

    def validate_token(self, token: str) -> bool:
        return bool(token)


def rate_limit(request: object) -> object:
    return request
'''


def git(directory: Path, *words: str) -> None:
    identity = ("-c", "user.name=t", "-c", "user.email=t@example.org")
    subprocess.run(["git", *identity, *words], cwd=directory, check=True, capture_output=True)


def make_repository(root: Path) -> Path:
    (root / "src").mkdir(parents=True)
    (root / "src" / "auth.py").write_text(SOURCE)
    git(root, "init", "-q", "-b", "main")
    git(root, "add", ".")
    git(root, "commit", "-qm", "first")
    return root


def environment(home: Path) -> dict[str, str]:
    """A clean home, so that no setting of whoever runs the tests leaks in."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("CODECOMPASS_", "XDG_", "PYTHON"))}
    # Most tests begin with a project that somebody registered or did not; `test_auto_index.py` leaves it to the server.
    own = {"CODECOMPASS_STORAGE_DATA_DIR": str(home / "data"), "CODECOMPASS_INDEX_AUTO_INDEX": "false"}
    return kept | own | {"HOME": str(home), "NO_COLOR": "1"}


class Shell:
    """Runs `codecompass` in one directory."""

    def __init__(self, cwd: Path, env: dict[str, str]) -> None:
        self.cwd = cwd
        self.env = env

    def run(self, *words: str, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "codecompass", *words]
        return subprocess.run(
            command, cwd=self.cwd, env=self.env | (env or {}), capture_output=True, text=True, timeout=60, check=False
        )


@pytest.fixture(scope="session")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Shell:
    """A repository that is registered and indexed. Tests must not change it."""
    home = tmp_path_factory.mktemp("home")
    shell = Shell(make_repository(home / "repo"), environment(home))
    done = shell.run("index")
    assert done.returncode == 0, done.stderr
    return shell


@pytest.fixture(autouse=True)
def _the_shared_repository_stays(request: pytest.FixtureRequest) -> Iterator[None]:
    """Names the test that changed the shared repository: others would fail by it, and only in some orders."""
    yield
    if "indexed" in request.fixturenames:
        shell: Shell = request.getfixturevalue("indexed")
        status = subprocess.run(["git", "status", "--short"], cwd=shell.cwd, capture_output=True, text=True, check=True)
        assert status.stdout == "", "use the fixture `fresh` to change files"


@pytest.fixture
def fresh(tmp_path: Path) -> Shell:
    """A repository that nothing is known of."""
    return Shell(make_repository(tmp_path / "repo"), environment(tmp_path))


@pytest.fixture
def connect(indexed: Shell) -> Iterator[Callable[..., Peer]]:
    """Starts servers over the indexed repository and sees to their end."""
    peers: list[Peer] = []

    def start(*words: str, shell: Shell | None = None, opened: bool = True, **env: str) -> Peer:
        where = shell or indexed
        peer = Peer([sys.executable, "-m", "codecompass", "serve-mcp", *words], where.cwd, where.env | env)
        peers.append(peer)
        if opened:
            peer.open()
        return peer

    yield start
    for peer in peers:
        peer.kill()
