"""Extension trial: a separate process that loads and tests the vector extension, so that no server has to.

    python -P -m codecompass.store.embedded.vectors.extension_trial PATH SHA256 ENCODING

The file is opened once, hashed, and loaded from that same open file, so that it cannot be replaced between the check
and the loading. Rights are dropped before loading. The answer is one line of JSON with the results.
"""

import hashlib
import json
import os
import sys
from dataclasses import asdict

from codecompass.store.embedded.vectors.process_sandbox import confine
from codecompass.store.embedded.vectors.vector_extension import load_and_smoke_test


def main(path: str, sha256: str, encoding: str) -> int:
    """Try one library; the exit code is always 0."""
    file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    with open(file, "rb", closefd=False) as stream:
        found = hashlib.file_digest(stream, "sha256").hexdigest()
    if found != sha256:
        return _write_answer({"load": {"attempted": False, "ok": False, "reason": "it was changed"}})
    opened = f"/proc/self/fd/{file}"
    confine((path,))
    load, smoke, version = load_and_smoke_test(opened if os.path.exists(opened) else path, encoding)
    return _write_answer({"load": asdict(load), "smoke": asdict(smoke), "version": version})


def _write_answer(answer: dict[str, object]) -> int:
    os.write(1, b"\n" + json.dumps(answer).encode() + b"\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:4]))
