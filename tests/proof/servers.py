"""Servers: the real program, or the program with tools of a test beside its own, over stdio or HTTP."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[2]
SHIPPED = "codecompass"
WORKBENCH = "tests.surfaces.workbench"
CONFORMANCE_SERVER = "tests.proof.conformance_server"
"""Modules that are the program; the last two have more tools."""
START_S = 60


@dataclass(frozen=True, slots=True)
class Place:
    """A repository with its index, and the environment to serve it in."""

    repo: Path
    env: dict[str, str] = field(default_factory=dict)

    def command(self, module: str, *words: str) -> list[str]:
        return [sys.executable, "-m", module, *words]

    def stdio(self, module: str) -> dict[str, object]:
        """What a client needs to start a server over stdio."""
        command, *args = self.command(module, "serve-mcp", "--workspace", str(self.repo), "--no-prewarm")
        return {"command": command, "args": args, "env": self.environment(), "cwd": str(self.repo)}

    @property
    def authorization(self) -> str:
        """The header of a client that may do more than read; a server over HTTP makes its token when it starts."""
        token = Path(self.env["CODECOMPASS_STORAGE_DATA_DIR"], "http-token").read_text(encoding="ascii")
        return f"Authorization: Bearer {token.strip()}"

    def environment(self) -> dict[str, str]:
        return self.env | {"PYTHONPATH": os.pathsep.join((str(ROOT), str(ROOT / "src")))}


@contextmanager
def http(place: Place, module: str, *words: str) -> Iterator[str]:
    """A server over HTTP on a free port; its MCP address."""
    command = place.command(module, "serve-http", "--port", "0", "--json", "--workspace", str(place.repo), *words)
    process = subprocess.Popen(
        command, cwd=place.repo, env=place.environment(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        if not line:
            raise RuntimeError(f"{module} serve-http ended with {process.wait(5)} before it said where it listens")
        yield json.loads(line)["url"].rstrip("/").removesuffix("/mcp") + "/mcp"
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(5)
        if process.stdout is not None:
            process.stdout.close()
