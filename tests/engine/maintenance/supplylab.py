"""Things to fetch, small and real: models, word lists, an extension; and a desk that may fetch them."""

import hashlib
import json
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from codecompass.engine.options import DownloadOptions
from codecompass.fetch.fetch_policy import FetchPolicy
from codecompass.store.embedded.vectors.vector_extension import package_extension
from tests.engine.support import Desk, desk_on
from tests.repo.gitrepo import make_repo

FILES = {
    "client.py": "def httprequest(url):\n    return url\n\n\ndef other():\n    return 1\n",
    "store.py": "def save(row):\n    dbconnection = 1\n    return dbconnection\n",
    "third.py": "def plain():\n    return 'nothing of the kind'\n",
}
POLICY = FetchPolicy(private_hosts=("127.0.0.1",), total_s=20, idle_s=5, pause_s=0.01)
WORDS = b"# a short list\nrequest\nConnection\nreal\nchart\nit's\nab\n\nwater\nfall\nwaterfall\n"


@contextmanager
def supply_desk(base: Path, *, enabled: bool = True, **downloads: object) -> Iterator[Desk]:
    """An engine on a small repository that may fetch from this machine; word lists may be switched off."""
    repo = base / "repo"
    base.mkdir(exist_ok=True)
    if not repo.exists():
        make_repo(repo, FILES)
    options = DownloadOptions(**{"policy": POLICY, **downloads})  # type: ignore[arg-type]
    more = {"allowed_roots": (str(base),), "dictionaries": enabled, "build_vectors": False}
    with desk_on(repo, base / "data", downloads=options, **more) as desk:  # type: ignore[arg-type]
        desk.engine.init(str(repo))
        yield desk


def safetensors(rows: int = 3, width: int = 4) -> bytes:
    """A table of vectors as model2vec has it."""
    size = rows * width * 4
    table = {"dtype": "F32", "shape": [rows, width], "data_offsets": [0, size]}
    head = json.dumps({"embeddings": table, "__metadata__": {"format": "pt"}}).encode()
    return struct.pack("<Q", len(head)) + head + bytes(size)


MODEL2VEC = {
    "model.safetensors": safetensors(),
    "tokenizer.json": b'{"version": "1.0", "model": {"type": "WordPiece", "vocab": {}}}',
    "config.json": b'{"normalize": true}',
}
ONNX = {
    "onnx/model.onnx": b"\x08\x07\x12\x07pytorch",
    "tokenizer.json": MODEL2VEC["tokenizer.json"],
}


def library() -> bytes:
    return Path(package_extension()).read_bytes()


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
