"""Build the MCP bundle: a zip archive with the manifest at its root, equal bytes for equal files."""

import sys
import zipfile
from pathlib import Path

SOURCE = Path(__file__).parent / "mcpb"
FILES = ("manifest.json", "pyproject.toml", "server.py")
EPOCH = (1980, 1, 1, 0, 0, 0)


def build_bundle(target: Path) -> None:
    """Write the archive."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in FILES:
            archive.writestr(zipfile.ZipInfo(name, EPOCH), (SOURCE / name).read_bytes())


if __name__ == "__main__":
    build_bundle(Path(sys.argv[1]))
