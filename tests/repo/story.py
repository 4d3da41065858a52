"""Stories: histories told commit by commit and written with `git fast-import`; every name and date is chosen."""

import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.repo.gitrepo import ENV, git, make_repo

FIRST = 1_600_000_000
HOUR = 3_600


@dataclass
class Story:
    """Commits to be made; `write` makes them and gives their hashes."""

    path: Path
    clock: int = FIRST
    _stream: list[bytes] = field(default_factory=list)
    _count: int = 0

    def commit(
        self,
        files: Mapping[str, str | None],
        author: str = "Ada",
        parents: Sequence[int] | None = None,
        committed: int | None = None,
    ) -> int:
        """The number of a new commit: these files written or (None) deleted; without parents it follows the last."""
        self.clock += HOUR
        self._count += 1
        parents = (self._count - 1,) if parents is None and self._count > 1 else parents or ()
        when = self.clock if committed is None else committed
        self._say(f"commit refs/story/{self._count}\nmark :{self._count}")
        self._say(f"author {author} <a@example.org> {self.clock} +0200\ncommitter C <c@example.org> {when} +0000")
        self._say(f"data 1\n{self._count % 10}")
        for word, parent in zip(("from", *("merge",) * len(parents)), parents, strict=False):
            self._say(f"{word} :{parent}")
        for name, text in files.items():
            if text is None:
                self._say(f"D {quoted(name)}")
            else:
                data = text.encode("utf-8", "surrogateescape")
                self._say(f"M 100644 inline {quoted(name)}\ndata {len(data)}")
                self._stream.append(data)
        return self._count

    def _say(self, line: str) -> None:
        self._stream.append(line.encode("utf-8", "surrogateescape"))

    def write(self, *, checkout: bool = True) -> list[str]:
        """Make the commits; the hash of number n is at position n. The branch `main` is at the last one."""
        make_repo(self.path)
        self._say(f"reset refs/heads/main\nfrom :{self._count}")
        marks = self.path / ".git" / "marks"
        argv = ["git", "fast-import", "--quiet", f"--export-marks={marks}"]
        subprocess.run(argv, cwd=self.path, env=ENV, input=b"\n".join(self._stream) + b"\n", check=True)
        if checkout:
            git(self.path, "reset", "-q", "--hard", "main")
        rows = dict(line.split() for line in marks.read_text().splitlines())
        return ["", *(rows[f":{number}"] for number in range(1, self._count + 1))]


def quoted(name: str) -> str:
    """A path in git's quotes, so that it may hold any byte."""
    data = name.encode("utf-8", "surrogateescape")
    return '"' + "".join(chr(byte) if chr(byte).isalnum() and byte < 128 else f"\\{byte:03o}" for byte in data) + '"'


def lines(count: int, word: str = "line") -> str:
    """A text of that many different lines."""
    return "".join(f"{word} {number} of a text that is long enough to be known again\n" for number in range(count))
