"""Trees of real processes, each of its own shape, and what is left of them."""

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

from codecompass.repo.process.child_process import SpawnedProcess, is_alive

ENV = {"PATH": os.environ["PATH"]}
FAN = 50

# Every process writes its pid and start time down, so that a test knows whom to look for; none lives over a minute.
_GROW = """
import os, signal, sys, time
kind, notes = sys.argv[1:]

def note():
    began = open("/proc/self/stat").read().rsplit(")", 1)[1].split()[19]
    file = os.open(notes, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(file, f"{os.getpid()} {began}\\n".encode())
    os.close(file)

def stay():
    note()
    time.sleep(60)
    os._exit(0)

def born(then):
    if os.fork() == 0:
        then()

def daemon(then=stay):
    os.setsid()
    born(then)
    os._exit(0)

def hidden():
    note()
    os.execve("/bin/sleep", ["sleep", "60"], {})

def deaf():
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    stay()

def away():
    os.setsid()
    stay()

def hide():
    daemon(hidden)

def deaf_daemon():
    daemon(deaf)

def bomb():
    # Forks again as soon as it is asked to go.
    signal.signal(signal.SIGTERM, lambda *_: born(deaf))
    note()
    while True:
        time.sleep(1)

grow, more = {
    "plain": ([stay], stay), "deaf": ([deaf], deaf), "setsid": ([away], stay), "daemon": ([daemon], stay),
    "hidden": ([hide], stay), "all": ([stay, deaf, away, deaf_daemon, hide], deaf), "fan": ([stay] * FAN, stay),
    "bomb": ([bomb, bomb], bomb), "gone": ([stay], None), "left": ([hide], None),
}[kind]
for one in grow:
    born(one)
if more is None:
    # The leader goes at once, but not before the others stand.
    while not os.path.exists(notes) or len(open(notes).read().split()) < 2 * len(grow):
        time.sleep(0.005)
    print("said", flush=True)
    note()
    os._exit(7)
more()
""".replace("FAN", str(FAN))
SIZES = {
    "plain": 2, "deaf": 2, "setsid": 2, "daemon": 2, "hidden": 2, "all": 6, "fan": FAN + 1, "bomb": 3, "gone": 2,
    "left": 2,
}  # fmt: skip
"""How many processes of each shape last until they are ended."""


def program(kind: str, notes: Path) -> list[str]:
    """The command that grows a tree."""
    return [sys.executable, "-I", "-S", "-c", _GROW, kind, str(notes)]


def eventually(condition: Callable[[], bool], seconds: float = 20.0) -> bool:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def members(notes: Path) -> list[SpawnedProcess]:
    """The processes of a tree that have written themselves down so far."""
    words = notes.read_text().split() if notes.exists() else []
    return [SpawnedProcess(int(pid), began) for pid, began in zip(words[::2], words[1::2], strict=True)]


def grown(kind: str, notes: Path) -> bool:
    """Whether a tree stands in full."""
    return len(members(notes)) >= SIZES[kind]


def survivors(notes: Path) -> list[SpawnedProcess]:
    return [member for member in members(notes) if is_alive(*member)]
