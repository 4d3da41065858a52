"""File edits: change files of the user so that the change can be shown first and undone exactly.

Beside a changed file lies one backup with the former bytes. Its name has a digest of the bytes that were written, so
that `--undo` knows whether somebody changed the file since.
"""

import difflib
import hashlib
import os
import stat
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from codecompass.atomic import make_directory, write_file
from codecompass.errors import Failure, to_system_failure

MAX_FILE_BYTES = 32 * 2**20
BOM = "\ufeff"


@dataclass(slots=True)
class FileEdit:
    """A file as it is and as it shall be; None means that it does not exist."""

    path: Path
    """The real file: links are followed."""
    before: bytes | None
    after: bytes | None
    backup: bytes | None = None
    """What the backup holds afterwards; None if there is none."""

    @property
    def is_change(self) -> bool:
        return self.before != self.after


@dataclass(slots=True)
class EditSession:
    """All edits of one run; several edits of one file become one."""

    edits: dict[Path, FileEdit] = field(default_factory=dict)

    def read(self, path: Path) -> str | None:
        """Return the text of a file with the edits so far, without a byte order mark; None if it does not exist."""
        after = self._open(path).after
        return None if after is None else _decode(after, path).removeprefix(BOM)

    def write(self, path: Path, text: str | None) -> None:
        """Set the text of a file; None removes the file."""
        edit = self._open(path)
        if text is None:
            edit.after = None
            return
        has_mark = edit.before is not None and edit.before.startswith(BOM.encode())
        edit.after = ((BOM if has_mark else "") + text).encode()

    def change(self, path: Path, make: Callable[[str], str], check: Callable[[str], object]) -> None:
        """Change a file with a function of its text; the result is parsed again before anything is written."""
        old = self.read(path)
        try:
            new = make(old or "")
            check(new)
        except Failure as failure:
            message = f"{path} cannot be edited: {failure.message}. Nothing was written."
            raise Failure("INVALID_REQUEST", message, hint=f"Correct {path} and run the command again.") from None
        if new != (old or "") or old is None:
            self.write(path, new)

    def restore(self, path: Path) -> bool:
        """Take the bytes of the backup, if nobody changed the file since; return whether that was so."""
        edit = self._open(path)
        kept = _find_backup(edit.path, edit.before)
        if kept is None or edit.before is None:
            return False
        edit.after = kept.read_bytes()
        return True

    def read_backup(self, path: Path) -> str | None:
        """Return the text of the newest backup, though the file was changed since."""
        names = _list_backups(self._open(path).path)
        return _decode(names[0].read_bytes(), names[0]).removeprefix(BOM) if names else None

    def list_changes(self) -> list[FileEdit]:
        return [edit for edit in self.edits.values() if edit.is_change]

    def _open(self, path: Path) -> FileEdit:
        real = Path(os.path.realpath(path))
        if real not in self.edits:
            content = _read(real)
            self.edits[real] = FileEdit(real, content, content)
        return self.edits[real]


def apply_edits(edits: list[FileEdit], stop: Path, *, keeps_backup: bool) -> None:
    """Write all edits; a file that cannot be written is found before the first write.

    Empty directories are removed with a removed file, up to `stop`.
    """
    for edit in edits:
        _require_writable(edit)
    for edit in edits:
        try:
            _apply(edit, stop, keeps_backup=keeps_backup)
        except OSError as error:
            raise to_system_failure(error.errno, f"write {edit.path}") from None


def render_diff(edit: FileEdit) -> str:
    """Return the edit as a unified diff."""
    sides = [_show(content).splitlines() for content in (edit.before, edit.after)]
    names = [str(edit.path) if content is not None else os.devnull for content in (edit.before, edit.after)]
    return "\n".join(difflib.unified_diff(sides[0], sides[1], names[0], names[1], lineterm=""))


def _show(content: bytes | None) -> str:
    return (content or b"").decode("utf-8", "replace").removeprefix(BOM)


def _apply(edit: FileEdit, stop: Path, *, keeps_backup: bool) -> None:
    if _read(edit.path) != edit.before:
        raise Failure("INVALID_REQUEST", f"{edit.path} was changed meanwhile.", hint="Run the command again.")
    mode = stat.S_IMODE(edit.path.stat().st_mode) if edit.before is not None else 0o644
    older = _find_backup(edit.path, edit.before)
    # The oldest bytes are kept as long as only we changed the file.
    backup = (older.read_bytes() if older else edit.before) if keeps_backup else None
    make_directory(edit.path.parent)
    if backup is not None and edit.after is not None:
        write_file(_name_backup(edit.path, edit.after), backup, mode)
    if edit.after is None:
        edit.path.unlink(missing_ok=True)
        _remove_empty_directories(edit.path.parent, stop)
    else:
        write_file(edit.path, edit.after, mode)
        os.chmod(edit.path, mode)
    kept = _name_backup(edit.path, edit.after) if backup is not None and edit.after is not None else None
    for path in _list_backups(edit.path):
        if path != kept:
            path.unlink(missing_ok=True)


def _require_writable(edit: FileEdit) -> None:
    path = edit.path
    if edit.before is not None and not (path.stat().st_mode & 0o222 and os.access(path, os.W_OK)):
        raise Failure("INVALID_REQUEST", f"{path} is read-only. Nothing was written.", hint=f"chmod u+w '{path}'")
    above = next(one for one in path.parents if one.exists())
    if not above.is_dir():
        raise Failure("INVALID_REQUEST", f"{above} is not a directory. Nothing was written.")
    if not os.access(above, os.W_OK | os.X_OK):
        raise Failure("INVALID_REQUEST", f"{above} is read-only. Nothing was written.", hint=f"chmod u+wx '{above}'")


def _remove_empty_directories(directory: Path, stop: Path) -> None:
    while directory != stop and stop in directory.parents:
        try:
            directory.rmdir()
        except OSError:
            return
        directory = directory.parent


def _read(path: Path) -> bytes | None:
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise Failure("INVALID_REQUEST", f"{path} is not a file. Nothing was written.")
        with path.open("rb") as file:
            content = file.read(MAX_FILE_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise Failure("INVALID_REQUEST", f"{path} cannot be read: {error.strerror}.") from None
    if len(content) > MAX_FILE_BYTES:
        raise Failure("INVALID_REQUEST", f"{path} is larger than {MAX_FILE_BYTES >> 20} MiB. Nothing was written.")
    return content


def _decode(content: bytes, path: Path) -> str:
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        message = f"{path} cannot be edited: line {line} is not UTF-8. Nothing was written."
        raise Failure("INVALID_REQUEST", message, hint=f"Save {path} as UTF-8 and run the command again.") from None


def _name_backup(path: Path, written: bytes) -> Path:
    digest = hashlib.sha256(written).hexdigest()[:16]
    return path.with_name(f"{path.name}.codecompass-{digest}.bak")


def _find_backup(path: Path, written: bytes | None) -> Path | None:
    """Return the backup of a file that nobody changed since we wrote it."""
    found = None if written is None else _name_backup(path, written)
    return found if found is not None and found.is_file() else None


def _list_backups(path: Path) -> list[Path]:
    start = f"{path.name}.codecompass-"
    try:
        names = [entry for entry in path.parent.iterdir() if entry.name.startswith(start)]
    except OSError:
        return []
    return sorted(entry for entry in names if entry.name.endswith(".bak") and entry.is_file())
