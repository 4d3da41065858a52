"""A data directory that cannot be written still answers: an index on a read-only mount, made elsewhere."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.surfaces.conftest import Shell, environment, make_repository

MOUNT = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"'


def run_on_readonly(shell: Shell, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a command while the user's home is mounted read-only, in a mount namespace of its own."""
    command = ["unshare", "-m", "sh", "-c", MOUNT, shell.env["HOME"], sys.executable, "-m", "codecompass", *words]
    return subprocess.run(command, cwd=shell.cwd, env=shell.env, capture_output=True, text=True, check=False)


@pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="mounts need root")
def test_a_readonly_data_directory_answers(tmp_path: Path) -> None:
    """DISK-FULL-READS: words, lines, uses and outlines; a job says that it cannot write."""
    shell = Shell(make_repository(tmp_path / "repo"), environment(tmp_path))
    Path(shell.env["HOME"]).mkdir(exist_ok=True)
    assert shell.run("index").returncode == 0
    if subprocess.run(["unshare", "-m", "true"], check=False, capture_output=True).returncode:
        pytest.skip("no namespaces here")
    for words in (["search", "rate limit"], ["grep", "def"], ["context", "search", "limit of a rate"]):
        done = run_on_readonly(shell, *words)
        assert done.returncode in (0, 1) and "error" not in done.stderr, done.stderr
        assert done.stdout or words[0] == "context"
    done = run_on_readonly(shell, "sync")
    assert done.returncode > 1 and "read-only" in done.stderr, done.stderr
