"""What every proof needs: an indexed repository and the programs of others."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.proof.node import Programs, Unavailable, prepare
from tests.proof.servers import Place
from tests.surfaces.conftest import environment, make_repository


def make_place(home: Path) -> Place:
    place = Place(make_repository(home / "repo"), environment(home))
    done = subprocess.run(
        [sys.executable, "-m", "codecompass", "index"], cwd=place.repo, env=place.env, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return place


@pytest.fixture(scope="session")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    return make_place(tmp_path_factory.mktemp("proof"))


@pytest.fixture(scope="session")
def quick() -> Programs:
    """The conformance suite and the TypeScript clients."""
    try:
        return prepare("quick")
    except Unavailable as reason:
        pytest.skip(str(reason))
