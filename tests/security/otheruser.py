"""Another user of the machine: work done in a process that has given up everything of ours."""

import encodings.idna  # noqa: F401 - the other user cannot load it later: he may not read where it lies
import json
import os
from collections.abc import Callable
from typing import Any

NOBODY = 65_534
CAN_SWITCH = os.name == "posix" and os.geteuid() == 0


def as_other_user(work: Callable[[], Any]) -> Any:  # noqa: ANN401 - whatever JSON can carry
    """What `work` returns when it is done as `nobody`; as ourselves where we may not become anybody else."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.close(reading)
            if CAN_SWITCH:
                os.setgroups([])
                os.setgid(NOBODY)
                os.setuid(NOBODY)
            with open(writing, "w", encoding="utf-8") as pipe:
                try:
                    json.dump(work(), pipe)
                    status = 0
                except Exception as error:
                    pipe.write(repr(error))
        finally:
            os._exit(status)
    os.close(writing)
    with open(reading, encoding="utf-8") as pipe:
        text = pipe.read()
    _, status = os.waitpid(child, 0)
    assert status == 0, f"the other user's work failed: {text[-300:]}"
    return json.loads(text)
