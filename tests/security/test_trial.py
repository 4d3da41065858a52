"""The process that tries an extension has no rights, and the server has the extension nowhere in its memory."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from codecompass.engine.maintenance.downloads.download_directory import hash_file
from codecompass.store.embedded.vectors.vector_extension import package_extension, trial_command
from tests.security.hostile import COMPILER, make_library

TRIES = """
import json, os, socket, sys
from codecompass.store.embedded.vectors.process_sandbox import confine
readable, secret, target, port = sys.argv[1:5]
confine((readable,))
found = {}
def attempt(name, work):
    try:
        work()
        found[name] = "done"
    except BaseException as error:
        found[name] = type(error).__name__
attempt("read", lambda: open(readable).read())
attempt("secret", lambda: open(secret).read())
attempt("write", lambda: open(target, "w").write("x"))
attempt("remove", lambda: os.unlink(readable))
attempt("fork", os.fork)
attempt("connect", lambda: socket.create_connection(("127.0.0.1", int(port)), 2))
attempt("root", lambda: os.setuid(0) if os.getuid() else 1 / 0)
os.write(1, json.dumps(found).encode())
"""


def _has_landlock() -> bool:
    done = subprocess.run(
        [sys.executable, "-c", "import ctypes; print(ctypes.CDLL(None).syscall(444, None, ctypes.c_size_t(0), 1))"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    return sys.platform == "linux" and done.stdout.strip().isdigit()


def test_what_is_given_up(tmp_path: Path) -> None:
    """SEC-TRIAL: no file but the named one, no new file, no removal, no process, no connection, no way back."""
    readable, secret = tmp_path / "readable", tmp_path / "secret"
    for path in (readable, secret):
        path.write_text("text")
        path.chmod(0o644)
    # Open to everybody, so that it is the confinement which keeps it out.
    for place in (tmp_path, *tmp_path.parents):
        if place.stat().st_uid == os.geteuid() and not place.stat().st_mode & 0o005:
            place.chmod(place.stat().st_mode | 0o055)
    with socket.create_server(("127.0.0.1", 0)) as server:
        words = [str(readable), str(secret), str(tmp_path / "made"), str(server.getsockname()[1])]
        done = subprocess.run([sys.executable, "-P", "-c", TRIES, *words], capture_output=True, check=False)
    found = json.loads(done.stdout)
    assert found.pop("read") == "done"
    if not _has_landlock():
        for name in ("secret", "connect", "remove"):
            found.pop(name)
    if os.geteuid() != 0:
        found.pop("fork")  # the limit counts what else the user runs, which may be less than it
    assert "done" not in found.values(), found
    assert readable.exists() and not (tmp_path / "made").exists()


def test_the_packaged_library_works_without_rights() -> None:
    """SEC-TRIAL: loaded from the file that was hashed, used, and told as one line."""
    path = package_extension()
    done = subprocess.run(trial_command(path, hash_file(Path(path)), "int8"), capture_output=True, check=True)
    said = json.loads(done.stdout.splitlines()[-1])
    assert said["load"]["ok"] and said["smoke"]["ok"] and said["version"].startswith("v0.")


@pytest.mark.skipif(COMPILER is None, reason="no compiler")
def test_a_changed_library_is_not_loaded(tmp_path: Path) -> None:
    """SEC-TRIAL, SEC-NO-NATIVE-CODE: another hash than was asked for; and one that marks leaves no mark."""
    library = tmp_path / "vec0.so"
    make_library(library, tmp_path / "mark")
    done = subprocess.run(trial_command(str(library), "0" * 64, "float32"), capture_output=True, check=True)
    load = json.loads(done.stdout.splitlines()[-1])["load"]
    assert load == {"attempted": False, "ok": False, "reason": "it was changed"}
    subprocess.run(trial_command(str(library), hash_file(library), "float32"), capture_output=True, check=False)
    assert not (tmp_path / "mark").exists() or not _has_landlock(), "its constructor had no right to leave one"
