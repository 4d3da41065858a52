"""Static files of the pages: styles and scripts of this package, each under an address with its digest."""

import hashlib
import mimetypes
from dataclasses import dataclass
from functools import cache
from pathlib import Path

DIRECTORY = Path(__file__).parent / "static"
TYPES = {".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml"}


@dataclass(frozen=True, slots=True)
class StaticFile:
    """One file: its content, its media type and its address."""

    name: str
    content: bytes
    media: str
    address: str


@cache
def load_static_files() -> dict[str, StaticFile]:
    """Read all static files, by name."""
    return {path.name: _load(path) for path in sorted(DIRECTORY.iterdir()) if path.suffix in TYPES}


def _load(path: Path) -> StaticFile:
    content = path.read_bytes()
    digest = hashlib.sha256(content).hexdigest()[:12]
    media = TYPES.get(path.suffix) or mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    return StaticFile(path.name, content, media, f"/static/{path.name}?v={digest}")
