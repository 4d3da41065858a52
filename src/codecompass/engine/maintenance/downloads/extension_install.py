"""Extensions: libraries that SQLite loads: what a package brought, or a hash in the user's own settings vouches for.

Neither a tool call nor a workspace can add to these. This process loads none of them: whether one works is tried in a
process without rights.
"""

import json
import os
import platform as machine
import sys
from pathlib import Path
from typing import Any

from codecompass.engine.maintenance.downloads.download_directory import Placed, Shelf, Source, hash_file, parse_source
from codecompass.errors import Failure
from codecompass.fetch.archives import kind_of, open_archive
from codecompass.model.call import Call
from codecompass.model.maintenance.download_values import ExtensionReport, ProbeOrder, Trial
from codecompass.ownership import require_own
from codecompass.repo.process.child_process import run
from codecompass.store.ports import Store

ENDINGS = {"linux": ".so", "macos": ".dylib", "windows": ".dll"}
_MAGIC = {
    ".so": (b"\x7fELF",), ".dll": (b"MZ",),
    ".dylib": (b"\xcf\xfa\xed\xfe", b"\xce\xfa\xed\xfe", b"\xca\xfe\xba\xbe", b"\xfe\xed\xfa\xcf"),
}  # fmt: skip
_SYSTEMS = {"darwin": "macos", "win32": "windows", "osx": "macos", "mac": "macos", "win": "windows"}
_PROCESSORS = {"amd64": "x86_64", "x64": "x86_64", "arm64": "aarch64"}
STEM = "vec0"
MAX_PATH = 4_096
TRIAL_S = 20.0
_TRIAL_OUTPUT = 65_536
_ENVIRONMENT = {"PATH": os.defpath, "LC_ALL": "C.UTF-8"}


def platform_key(system: str = "", processor: str = "") -> str:
    """`linux-x86_64`: one spelling for what systems and processors are called; this machine's where nothing is said."""
    system = (system or sys.platform).lower()
    processor = (processor or machine.machine()).lower()
    system = _SYSTEMS.get(system, system)
    if system not in ENDINGS:
        raise Failure("INVALID_REQUEST", f"No extension is known for the system '{system[:20]}'.",
                      hint=f"Known: {', '.join(ENDINGS)}.")  # fmt: skip
    return f"{system}-{_PROCESSORS.get(processor, processor)}"


def ending_of(key: str) -> str:
    return ENDINGS[key.partition("-")[0]]


def trusted_hashes(configured: tuple[str, ...], key: str) -> frozenset[str]:
    """What a library for a platform may hash to: the SHA-256 that the user's own settings name, and no other."""
    named = (parse_source(text) for text in configured if text.startswith(f"{key}="))
    return frozenset(source.sha256 for source in named if source.sha256)


def require_trusted(source: Source, trusted: frozenset[str]) -> None:
    """What will be executed is fetched only when the user's own settings say what it must be."""
    if source.url.lower().startswith("file:"):
        raise Failure(
            "FORBIDDEN",
            "A library is never taken from a file: source, for it would be executed.",
            hint="Use the packaged one: pip install sqlite-vec",
        )
    if not source.sha256:
        raise Failure(
            "DOWNLOAD_VERIFY_FAILED",
            f"No SHA-256 was given for {source.name}, and nothing that is executed is fetched without one.",
            hint="Add #sha256= and the hash that its makers publish to the URL.",
        )
    if source.sha256 not in trusted:
        raise Failure(
            "FORBIDDEN",
            f"The settings name no such SHA-256 for {source.name}, and a call alone cannot have a library loaded.",
            hint="Put platform=url#sha256=… into downloads.extensions of your own config file.",
        )


def place_extension(shelf: Shelf, source: Source, came: Path, key: str, call: Call) -> Placed:
    """Put the one library of an archive, or the file itself, where it is looked for."""
    ending = ending_of(key)
    with shelf.staging(source.name) as staged:
        library = came
        if kind_of(came):
            names = open_archive(came, staged, name=STEM + ending, check=call.check)
            libraries = [name for name in names if name.endswith(ending)]
            best = [name for name in libraries if Path(name).stem == STEM] or libraries
            if len(best) != 1:
                raise _no_library(f"the archive holds {len(best)} files that end in {ending}")
            library = staged / best[0]
        with library.open("rb") as file:
            if not file.read(4).startswith(_MAGIC[ending]):
                raise _no_library("the file is no library of that system")
        digest = hash_file(library)
        target = shelf.claim(f"{key}/{STEM}{ending}")
        target.parent.mkdir(exist_ok=True, mode=0o755)
        with library.open("rb") as file:
            os.fsync(file.fileno())
        os.replace(library, target)
    return Placed(f"{key}/{STEM}{ending}", digest)


def _no_library(why: str) -> Failure:
    return Failure("DOWNLOAD_FAILED", f"This is no extension that can be used: {why}.",
                   hint="Name the library itself, or an archive with the one for this platform.")  # fmt: skip


def find_extension(shelf: Shelf, store: Store, key: str, trusted: frozenset[str]) -> tuple[str, str]:
    """(path, origin) of the extension for a platform: a download that is vouched for, else the package's; or empty."""
    record = next((item for item in shelf.records.values() if item.platform == key), None)
    if record is not None and record.sha256 in trusted and shelf.intact(record):
        return str(shelf.directory / record.file), "download"
    if key == platform_key() and (packaged := store.packaged_extension()):
        return packaged, "package"
    return "", ""


def examine(shelf: Shelf, store: Store, order: ProbeOrder, trusted: frozenset[str]) -> ExtensionReport:
    """What is there and whether it works; that there is none is an answer, not an error."""
    key = platform_key(*order.machine)
    path, origin = find_extension(shelf, store, key, trusted)
    report = ExtensionReport(platform=key, encoding=order.encoding)
    if order.path is not None and ("\0" in order.path or len(order.path) > MAX_PATH):
        return _refused(report, "that is no path; nothing else is loaded")
    if order.path is not None:
        wanted = os.path.realpath(shelf.directory / order.path)
        if wanted not in [os.path.realpath(known) for known in (path, store.packaged_extension()) if known]:
            known = {os.path.realpath(shelf.directory / item.file) for item in shelf.records.values()}
            why = "it is gone, was changed, or the settings do not name its SHA-256" if wanted in known else (
                "download_extensions has not put it there"
            )  # fmt: skip
            return _refused(report, f"{why}; nothing else is loaded")
        if origin != "download" or wanted != os.path.realpath(path):
            path, origin = store.packaged_extension(), "package"
    if not path:
        return _refused(report, f"there is no extension for {key}")
    if origin == "download":
        try:
            for file in (Path(path), shelf.manifest):
                require_own(file, shelf.directory.parent, "the data directory")
        except Failure as failure:
            return _refused(report, f"{failure.message} {failure.advice}")
    if key != platform_key():
        return _found(report, path, origin, Trial(False, False, "it is for another platform than this one"), Trial())
    if not order.load:
        return _found(report, path, origin, Trial(), Trial())
    return _found(report, path, origin, *_try(store, path, order.encoding))


def _try(store: Store, path: str, encoding: str) -> tuple[Trial, Trial, str]:
    """Have a process of its own load a library and use it."""
    command = store.trial_command(path, hash_file(Path(path)), encoding)
    try:
        done = run(command, env=_ENVIRONMENT, timeout=TRIAL_S, max_output=_TRIAL_OUTPUT)
        answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
        load, smoke = Trial(**answer["load"]), Trial(**answer.get("smoke", {}))
        return load, smoke, str(answer.get("version", ""))
    except Failure as failure:
        return Trial(True, False, failure.message), Trial(), ""
    except (ValueError, KeyError, TypeError, IndexError):
        return Trial(True, False, "the process that tried it died"), Trial(), ""


def _refused(report: ExtensionReport, why: str) -> ExtensionReport:
    return ExtensionReport(platform=report.platform, encoding=report.encoding, load=Trial(False, False, why))


def _found(
    report: ExtensionReport, path: str, origin: str, load: Trial, smoke: Trial, version: str = ""
) -> ExtensionReport:
    return ExtensionReport(
        path=path, origin=origin, exists=True, version=version, platform=report.platform, encoding=report.encoding,
        load=load, smoke=smoke,
    )  # fmt: skip
