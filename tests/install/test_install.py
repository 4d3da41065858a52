"""Installation from a checkout: what is missing is said in one line, and what is built works."""

import hashlib
import io
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.architecture.source import ROOT
from tests.surfaces.conftest import environment, make_repository

SCRIPT = ROOT / "packaging" / "install_checkout.py"
OLD_PYTHON = f"""#!{sys.executable}
import runpy, sys
sys.version_info, sys.argv = (3, 9, 2, "final", 0), sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def make_program(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


def run_script(path: str, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
    """Run the installer with a PATH and further variables."""
    command = [sys.executable, str(SCRIPT), *words]
    env = {key: value for key, value in os.environ.items() if not key.startswith("PIP_")} | {"PATH": path} | more
    return subprocess.run(command, env=env, capture_output=True, text=True, timeout=100, check=False)


def get_error(done: subprocess.CompletedProcess[str]) -> str:
    """The one line on stderr."""
    assert done.returncode != 0
    lines = [line for line in done.stderr.splitlines() if not line.startswith("make")]
    assert len(lines) == 1, done.stderr
    return lines[0]


def test_an_old_python(tmp_path: Path) -> None:
    """INSTALL-OLD-PYTHON: `make try` compares the version that python3 reports with pyproject.toml."""
    stub = make_program(tmp_path / "python3", OLD_PYTHON)
    make = shutil.which("make")
    assert make is not None
    words = [make, "-C", str(ROOT), "try", f"PYTHON={stub}", f"VENV={tmp_path / 'venv'}"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    line = get_error(done)
    assert line.startswith("error: codecompass needs Python 3.11 or newer, and ") and " is Python 3.9.2. " in line
    assert line.endswith("make try PYTHON=python3.11")
    assert not (tmp_path / "venv").exists()


def test_git_is_missing(tmp_path: Path) -> None:
    """INSTALL-NO-GIT: the installer names git and how to get it."""
    line = get_error(run_script(str(tmp_path), str(tmp_path / "venv"), str(ROOT / "requirements.lock")))
    assert line.startswith("error: codecompass needs git, which is not on the PATH. Install it: 'apt install git'")


def test_an_index_without_git(tmp_path: Path) -> None:
    """INSTALL-NO-GIT: the working tree is indexed with vectors; what needs git says so, with the way to get it."""
    repo = make_repository(tmp_path / "repo")
    env = environment(tmp_path) | {"PATH": str(tmp_path / "empty")}

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "codecompass", *words]
        return subprocess.run(command, cwd=repo, env=env, capture_output=True, text=True, timeout=60, check=False)

    assert run("index").returncode == 0
    found = run("search", "check the token")
    assert "auth.py" in found.stdout and "incomplete" not in found.stdout + found.stderr
    other = run("index", "--ref", "main~0")
    assert other.returncode == 3
    assert "git is not installed" in other.stderr and "apt install git" in other.stderr


@pytest.fixture(scope="module")
def built_only_from_source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with one source package, a lock file that lists it, and git alone in `bin/`."""
    home = tmp_path_factory.mktemp("packages")
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:gz") as archive:
        for name, text in {"setup.py": "", "PKG-INFO": "Metadata-Version: 2.1\nName: granite\nVersion: 1.0\n"}.items():
            member = tarfile.TarInfo(f"granite-1.0/{name}")
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text.encode()))
    (home / "granite-1.0.tar.gz").write_bytes(data.getvalue())
    digest = hashlib.sha256(data.getvalue()).hexdigest()
    (home / "granite.lock").write_text(f"granite==1.0 --hash=sha256:{digest}\n")
    make_program(home / "bin" / "git", "#!/bin/sh\n")
    return home


@pytest.mark.parametrize("compiler", ["", "cc"])
def test_a_package_without_a_wheel(built_only_from_source: Path, compiler: str) -> None:
    """INSTALL-NO-WHEEL, INSTALL-PROGRESS: one line names the package; pip's warnings are in the log only."""
    home = built_only_from_source
    if compiler:
        make_program(home / "bin" / compiler, "#!/bin/sh\nexit 1\n")
    links = f"{home} {home / 'nothing'}"
    lock = str(home / "granite.lock")
    done = run_script(str(home / "bin"), str(home / "venv"), lock, PIP_NO_INDEX="1", PIP_FIND_LINKS=links)
    line = get_error(done)
    if compiler:
        assert line.startswith("error: granite could not be built from source here; details: ")
    else:
        assert "no ready-made package of granite for this Python" in line and "no C compiler" in line
        assert "apt install build-essential" in line
    assert "Installing granite.lock" in done.stdout
    assert "WARNING" not in done.stdout + done.stderr
    assert "is ignored" in (home / "venv" / "install.log").read_text()


def test_make_try_ends_with_the_path() -> None:
    """INSTALL-PROGRESS: the last lines of `make try` say how to put the program on the PATH."""
    done = subprocess.run(
        ["make", "-n", "-C", str(ROOT), "try"], capture_output=True, text=True, timeout=60, check=True
    )
    said = done.stdout[done.stdout.index("codecompass search") :]
    assert "uv tool install ." in said and "pipx install ." in said and 'export PATH="' in said


def test_the_wheel_works(tmp_path: Path) -> None:
    """INSTALL-WHEEL: a wheel of this tree has every data file, and the program runs from it."""
    words = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(words, cwd=ROOT, capture_output=True, timeout=100, check=True)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        packed = set(archive.namelist())
        archive.extractall(tmp_path / "site")
    listed = subprocess.run(
        ["git", "ls-files", "src/codecompass"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert not {name.removeprefix("src/") for name in listed.stdout.split("\n") if name} - packed
    code = "import codecompass, sys; sys.argv = ['codecompass', 'languages']; print(codecompass.__file__)\n"
    code += "from codecompass.__main__ import main; main()"
    env = environment(tmp_path) | {"PYTHONPATH": str(tmp_path / "site")}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=env, capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith(str(tmp_path / "site")) and "python" in done.stdout


def test_a_dependency_that_does_not_load(tmp_path: Path) -> None:
    """INSTALL-BROKEN: the line names the package and the command that installs it again; there is no log line."""
    (tmp_path / "apsw.py").write_text("raise ImportError('libm.so.6: wrong version', name='apsw')\n")
    env = environment(tmp_path) | {"PYTHONPATH": str(tmp_path)}
    words = [sys.executable, "-m", "codecompass", "search", "x", "--project", str(make_repository(tmp_path / "repo"))]
    done = subprocess.run(words, cwd="/", env=env, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 3 and len(done.stderr.splitlines()) == 2
    first, second = done.stderr.splitlines()
    assert first == "error: The package apsw, which this program needs, cannot be loaded: libm.so.6: wrong version."
    assert "-m pip install --force-reinstall codecompass" in second
