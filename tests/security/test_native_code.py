"""No tool call loads native code that came from an argument, a workspace, or a place that others can write."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.security.hostile import COMPILER, HostileWorkspace, make_hostile_workspace, program
from tests.surfaces.peer import Peer


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> HostileWorkspace:
    return make_hostile_workspace(tmp_path_factory.mktemp("hostile"))


@pytest.fixture
def peer(hostile: HostileWorkspace) -> Iterator[Peer]:
    made = Peer(program("serve-mcp", "--no-prewarm"), hostile.root, hostile.shell.env)
    try:
        made.open()
        yield made
    finally:
        made.kill()


def test_the_marker_works(hostile: HostileWorkspace, tmp_path: Path) -> None:
    """SEC-NO-NATIVE-CODE: the trap does go off where somebody loads it, so that its silence proves something."""
    if COMPILER is None:
        pytest.skip("no compiler: the library is bytes only")
    import ctypes  # noqa: PLC0415 - only here
    import subprocess
    import sys

    code = "import ctypes, sys; ctypes.CDLL(sys.argv[1])"
    from tests.security.hostile import make_library

    make_library(tmp_path / "lib.so", tmp_path / "mark")
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "lib.so")], check=True)
    assert (tmp_path / "mark").exists() and ctypes


def test_a_library_of_the_workspace_is_never_loaded(hostile: HostileWorkspace, peer: Peer) -> None:
    """SEC-NO-NATIVE-CODE: download_extensions from a file of the workspace, then verify_extensions."""
    refused = peer.call(1, "download_extensions", url=hostile.source)
    found = peer.call(2, "verify_extensions")
    assert not hostile.has_run()
    assert refused["result"]["isError"], refused
