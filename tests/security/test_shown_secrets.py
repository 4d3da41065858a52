"""What is shown: no password of a setting, and nothing that moves the cursor of a terminal."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

from tests.surfaces.conftest import Shell, environment, make_repository
from tests.surfaces.parity import without_times

ODD = "clear\x9b2Jme\u202egnp\u2066"


def test_the_password_of_a_proxy_is_not_shown(tmp_path: Path) -> None:
    """SEC-SETTINGS: config_status shows that a proxy is set, and not who may use it."""
    shell = Shell(make_repository(tmp_path / "repo"), environment(tmp_path))
    assert shell.run("init").returncode == 0
    proxy = "http://somebody:s3cretpassword@proxy.example:3128"
    done = shell.run("tool", "config_status", env={"CODECOMPASS_DOWNLOADS_PROXY": proxy})
    assert done.returncode == 0, done.stderr
    shown = json.loads(done.stdout)["config"]["downloads.proxy"]["value"]
    assert "proxy.example:3128" in shown and "s3cretpassword" not in done.stdout + done.stderr


def test_json_on_a_terminal_has_no_control_characters(tmp_path: Path) -> None:
    """SEC-TERMINAL: C1 and bidirectional characters are escaped on a terminal, and exact in a pipe."""
    repo = make_repository(tmp_path / "repo")
    (repo / "odd.py").write_text(f"# {ODD}\ndef odd_marker():\n    return '{ODD}'\n")
    shell = Shell(repo, environment(tmp_path))
    assert shell.run("index").returncode == 0
    words = ("tool", "read_file", "--path", "odd.py")
    piped = shell.run(*words).stdout
    assert ODD in piped
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "codecompass", *words]
    with subprocess.Popen(command, cwd=repo, env=shell.env, stdout=theirs, stderr=theirs):
        os.close(theirs)
        shown = b""
        try:
            while chunk := os.read(ours, 65_536):
                shown += chunk
        except OSError:  # the other end is closed
            os.close(ours)
    text = shown.decode()
    assert not {"\x9b", "\u202e", "\u2066"} & set(text)
    assert without_times(json.loads(text)) == without_times(json.loads(piped))
