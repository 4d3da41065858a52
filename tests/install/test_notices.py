"""Notices of third parties, and the files that run the server as a service."""

import importlib.util
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

from tests.architecture.source import ROOT
from tests.surfaces.conftest import environment, make_repository

DOCKERFILE = ROOT / "packaging" / "docker" / "Dockerfile"
UNIT = ROOT / "packaging" / "systemd" / "codecompass.service"


def load_writer() -> ModuleType:
    spec = importlib.util.spec_from_file_location("write_notices", ROOT / "packaging" / "write_notices.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_dependency_is_named() -> None:
    """NOTICES-COMPLETE: each runtime dependency and each package of the lock file has a row with a licence."""
    rows = dict(re.findall(r"^\| ([\w.-]+) \| (.+) \|$", (ROOT / "THIRD-PARTY.md").read_text(), re.MULTILINE))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = [row for extra in project["optional-dependencies"].values() for row in extra]
    direct = {re.split(r"[<>=]", row)[0] for row in (*project["dependencies"], *extras)}
    locked = set(re.findall(r"^([a-z0-9][\w.-]*)==", (ROOT / "requirements.lock").read_text(), re.MULTILINE))
    assert len(locked) > 40 and not (direct | locked) - set(rows), "run: make notices"
    assert all(re.search(r"[A-Za-z]{3}", rows[name]) for name in direct)
    unknown = [name for name in locked if "not installed" in rows[name]]
    assert all(re.search(rf"^{name}==\S+ ; ", (ROOT / "requirements.lock").read_text(), re.M) for name in unknown)


def test_every_grammar_and_data_file_is_named() -> None:
    """NOTICES-COMPLETE: each grammar that a language names has its origin; so have weights and word lists."""
    text = (ROOT / "THIRD-PARTY.md").read_text(encoding="utf-8")
    grammars = load_writer().list_grammars()
    assert len(grammars) > 40
    assert all(re.search(rf"^\| {name} \| https://\S+ \| .*Licen[sc]e", text, re.MULTILINE) for name in grammars)
    package = ROOT / "src" / "codecompass"
    for path in (*package.rglob("*.ccvec"), *package.rglob("*.txt"), *package.rglob("*.onnx")):
        assert path.relative_to(ROOT).as_posix() in text


def test_the_notices_are_current() -> None:
    """NOTICES-COMPLETE: the page is what the script writes, where the packages of the lock file are installed."""
    written, committed = (
        re.sub(r"not installed where .*? see the package", "", text)
        for text in (load_writer().render_notices(), (ROOT / "THIRD-PARTY.md").read_text(encoding="utf-8"))
    )
    if "not installed" in load_writer()._read_licence("onnxruntime"):
        pytest.skip("the extras are not installed: their licences cannot be compared")
    assert written == committed, "run: make notices"


def test_the_dockerfile_passes_its_linter() -> None:
    """SERVICE-FILES: hadolint finds nothing, and it would."""
    program = shutil.which("hadolint", path=str(Path(sys.executable).parent)) or shutil.which("hadolint")
    if program is None:
        pytest.skip("hadolint is not installed on this system (it has wheels for Linux on x86-64 only)")
    assert subprocess.run([program, str(DOCKERFILE)], capture_output=True, check=False).returncode == 0
    bad = subprocess.run([program, "-"], input="FROM debian\nRUN cd /x && sudo ls\n", text=True, capture_output=True,
                         check=False)  # fmt: skip
    assert bad.returncode != 0 and "DL3004" in bad.stdout


def test_the_dockerfile_copies_what_exists() -> None:
    """SERVICE-FILES: each copied file is in the repository and not ignored; the server runs without rights."""
    text = DOCKERFILE.read_text()
    copied = [word for line in re.findall(r"^COPY (?!--from)(.+) \S+$", text, re.MULTILINE) for word in line.split()]
    kept = [
        line[1:] for line in (DOCKERFILE.parent / "Dockerfile.dockerignore").read_text().splitlines() if line[:1] == "!"
    ]
    assert copied and all((ROOT / word).exists() for word in copied)
    assert {Path(word).as_posix() for word in copied} == set(kept)
    assert re.search(r"^USER [1-9]\d+$", text, re.MULTILINE)


def test_the_command_of_the_image(tmp_path: Path) -> None:
    """SERVICE-FILES: the image's command refuses to start without a token, and answers its health check with one."""
    repo = make_repository(tmp_path / "repo")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    found = re.search(r"^CMD \[(.+)\]$", DOCKERFILE.read_text(), re.MULTILINE)
    assert found is not None
    words = [word.strip(' "').replace("/repo", str(repo)) for word in found[1].split(",")]
    command = [sys.executable, "-m", "codecompass", *words]
    env = environment(tmp_path) | {"CODECOMPASS_HTTP_PORT": port}
    refused = subprocess.run(command, cwd=repo, env=env, capture_output=True, text=True, timeout=60, check=False)
    assert refused.returncode == 4 and "token" in refused.stderr
    env["CODECOMPASS_HTTP_AUTH_TOKEN"] = "t" * 40
    check = [sys.executable, str(DOCKERFILE.parent / "check_health.py")]
    with subprocess.Popen(command, cwd=repo, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            for _ in range(60):
                healthy = subprocess.run(check, env=env, capture_output=True, timeout=30, check=False).returncode == 0
                if healthy:
                    break
                time.sleep(0.5)
            wrong = subprocess.run(
                check, env=env | {"CODECOMPASS_HTTP_AUTH_TOKEN": "x"}, capture_output=True, check=False
            )
        finally:
            server.terminate()
    assert healthy and wrong.returncode != 0


def test_the_unit_is_accepted(tmp_path: Path) -> None:
    """SERVICE-FILES: systemd reads the unit without a complaint, and complains about a wrong one."""
    program = shutil.which("systemd-analyze")
    if program is None:
        pytest.skip("systemd-analyze is not installed: the unit was not verified")
    start = re.search(r"^ExecStart=%h/(\S+)", UNIT.read_text(), re.MULTILINE)
    assert start is not None
    stub = tmp_path / start[1]
    stub.parent.mkdir(parents=True)
    stub.write_text("#!/bin/sh\n")
    stub.chmod(0o755)
    env = os.environ | {"HOME": str(tmp_path), "XDG_RUNTIME_DIR": str(tmp_path)}

    def verify(path: Path) -> tuple[int, str]:
        words = [program or "", "verify", "--user", str(path)]
        done = subprocess.run(words, env=env, capture_output=True, text=True, timeout=60, check=False)
        return done.returncode, done.stderr

    code, said = verify(UNIT)
    if "Failed to initialize manager" in said:
        pytest.skip(f"systemd-analyze does not work here: {said.strip()}")
    assert code == 0 and UNIT.name not in said, said
    wrong = tmp_path / "wrong.service"
    wrong.write_text(UNIT.read_text().replace("ProtectSystem=strict", "ProtectSystm=strict"))
    assert "ProtectSystm" in verify(wrong)[1]
