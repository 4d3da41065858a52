"""Programs of PyPI that prove something of ours, each in a virtual environment of its own, made once."""

import subprocess
import venv
from pathlib import Path

from platformdirs import user_cache_path


def installed(package: str, program: str, seconds: float) -> Path:
    """The program of a package, such as `name==1.0`, in the user's cache directory."""
    root = user_cache_path("codecompass-proof") / package.replace("==", "-")
    found = root / "bin" / program
    if not found.exists():
        venv.create(root, with_pip=True, clear=True)
        pip = [str(root / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", package]
        subprocess.run(pip, check=True, timeout=seconds)
    return found
