"""Trial: a process of its own that loads the vector extension and uses it, so that no server ever does.

    python -P -m codecompass.store.embedded.trial PATH SHA256 ENCODING

The file is opened once, hashed, and loaded from that same open file, so that nothing can be put in its place between
the look and the loading. Rights are given up before. The answer is one line of JSON: what was tried, and how it went.
"""

import hashlib
import json
import os
import sys
from dataclasses import asdict

from codecompass.store.embedded.vectors.process_sandbox import confine
from codecompass.store.embedded.vectors.vector_extension import load_and_use


def main(path: str, sha256: str, encoding: str) -> int:
    """Try one library; the exit code is 0 whatever came of it."""
    file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    with open(file, "rb", closefd=False) as stream:
        found = hashlib.file_digest(stream, "sha256").hexdigest()
    if found != sha256:
        return _tell({"load": {"attempted": False, "ok": False, "reason": "it was changed"}})
    opened = f"/proc/self/fd/{file}"
    confine((path,))
    load, smoke, version = load_and_use(opened if os.path.exists(opened) else path, encoding)
    return _tell({"load": asdict(load), "smoke": asdict(smoke), "version": version})


def _tell(answer: dict[str, object]) -> int:
    os.write(1, b"\n" + json.dumps(answer).encode() + b"\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:4]))
