"""A program that indexes and kills itself, hard, at a named point: `module:Class.method:before|after:count`."""

import importlib
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from codecompass.engine.index import stages
from codecompass.store.embedded.catalog import index_writer
from codecompass.store.embedded.text import text_index
from tests.engine.support import desk_on


def arm(point: str) -> None:
    """Wrap the named function so that its n-th call ends this process without any clean-up."""
    module_name, attribute, moment, count = point.split(":")
    owner: Any = importlib.import_module(f"codecompass.{module_name}")
    *outer, name = attribute.split(".")
    for part in outer:
        owner = getattr(owner, part)
    original: Callable[..., object] = getattr(owner, name)
    calls = 0

    def deadly(*arguments: object, **keywords: object) -> object:
        nonlocal calls
        calls += 1
        if moment == "before" and calls == int(count):
            os.kill(os.getpid(), signal.SIGKILL)
        result = original(*arguments, **keywords)
        if moment == "after" and calls == int(count):
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    setattr(owner, name, deadly)


def main(repo: str, data: str, point: str, batch_bytes: str, tight: str = "", staged: str = "") -> None:
    vars(index_writer)["BATCH_BYTES"] = int(batch_bytes)
    if tight:
        # Whatever no view holds is swept at once, and merged away.
        vars(index_writer)["GARBAGE_FLOOR"] = 1
        vars(text_index)["DELETED_FLOOR"] = vars(text_index)["DELETED_SHARE"] = 0
    if staged:
        vars(stages)["MIN_FILES"] = int(staged)
    arm(point)
    with desk_on(Path(repo), Path(data)) as desk:
        desk.index()


if __name__ == "__main__":
    main(*sys.argv[1:])
