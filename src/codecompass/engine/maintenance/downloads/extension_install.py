"""Extension install: SQLite libraries from an installed package, or with a hash from the user's settings.

Neither a tool call nor a workspace can add trusted hashes. This process loads no library: a separate process without
privileges tries whether it works.
"""

import json
import os
import platform as machine
import sys
from pathlib import Path
from typing import Any

from codecompass.atomic import make_directory, move_into_place
from codecompass.engine.maintenance.downloads.download_directory import (
    DownloadDirectory,
    DownloadSource,
    InstalledFile,
    hash_file,
    parse_source,
)
from codecompass.errors import Failure
from codecompass.fetch.archives import detect_kind, extract_archive
from codecompass.model.call import Call
from codecompass.model.maintenance.download_values import ExtensionProbeRequest, ExtensionReport, ProbeResult
from codecompass.ownership import require_own
from codecompass.repo.process.child_process import run
from codecompass.store.ports import Store

SUFFIXES = {"linux": ".so", "macos": ".dylib", "windows": ".dll"}
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
    """Return the normalised platform name, such as `linux-x86_64`; by default that of this machine."""
    system = (system or sys.platform).lower()
    processor = (processor or machine.machine()).lower()
    system = _SYSTEMS.get(system, system)
    if system not in SUFFIXES:
        raise Failure("INVALID_REQUEST", f"No extension is known for the system '{system[:20]}'.",
                      hint=f"Known: {', '.join(SUFFIXES)}.")  # fmt: skip
    return f"{system}-{_PROCESSORS.get(processor, processor)}"


def get_suffix(key: str) -> str:
    return SUFFIXES[key.partition("-")[0]]


def get_trusted_hashes(configured: tuple[str, ...], key: str) -> frozenset[str]:
    """Return the accepted SHA-256 hashes of a platform's library: only those in the user's settings."""
    named = (parse_source(text) for text in configured if text.startswith(f"{key}="))
    return frozenset(source.sha256 for source in named if source.sha256)


def require_trusted(source: DownloadSource, trusted: frozenset[str]) -> None:
    """Refuse to download a library whose hash is not in the user's settings: it would be executed."""
    if source.url.lower().startswith("file:"):
        raise Failure(
            "FORBIDDEN",
            "A library is never installed from a file: source, because it would be executed.",
            hint="Use the packaged one: pip install sqlite-vec",
        )
    if not source.sha256:
        raise Failure(
            "DOWNLOAD_VERIFY_FAILED",
            f"No SHA-256 was given for {source.name}, and executable code is never downloaded without one.",
            hint="Add #sha256= and the hash that its authors publish to the URL.",
        )
    if source.sha256 not in trusted:
        raise Failure(
            "FORBIDDEN",
            f"The settings name no such SHA-256 for {source.name}, and a call cannot cause a library to be loaded.",
            hint="Put platform=url#sha256=… into downloads.extensions of your own config file.",
        )


def install_extension(
    downloads: DownloadDirectory, source: DownloadSource, downloaded: Path, key: str, call: Call
) -> InstalledFile:
    """Install the library: the file itself, or the only one in an archive."""
    ending = get_suffix(key)
    with downloads.open_staging(source.name) as staged:
        library = downloaded
        if detect_kind(downloaded):
            names = extract_archive(downloaded, staged, name=STEM + ending, check=call.check)
            libraries = [name for name in names if name.endswith(ending)]
            best = [name for name in libraries if Path(name).stem == STEM] or libraries
            if len(best) != 1:
                raise _make_library_failure(f"the archive holds {len(best)} files that end in {ending}")
            library = staged / best[0]
        with library.open("rb") as file:
            if not file.read(4).startswith(_MAGIC[ending]):
                raise _make_library_failure("the file is not a library for that system")
        digest = hash_file(library)
        target = downloads.reserve(f"{key}/{STEM}{ending}")
        make_directory(target.parent, 0o755)
        move_into_place(library, target)
    return InstalledFile(f"{key}/{STEM}{ending}", digest)


def _make_library_failure(why: str) -> Failure:
    return Failure("DOWNLOAD_FAILED", f"This is not a usable extension: {why}.",
                   hint="Name the library itself, or an archive with the one for this platform.")  # fmt: skip


def find_extension(downloads: DownloadDirectory, store: Store, key: str, trusted: frozenset[str]) -> tuple[str, str]:
    """Return (path, origin) of a platform's extension: a trusted download, else the packaged one; or empty."""
    record = next((item for item in downloads.records.values() if item.platform == key), None)
    if record is not None and record.sha256 in trusted and downloads.is_intact(record):
        return str(downloads.directory / record.file), "download"
    if key == platform_key() and (packaged := store.packaged_extension()):
        return packaged, "package"
    return "", ""


def check_extension(
    downloads: DownloadDirectory, store: Store, order: ExtensionProbeRequest, trusted: frozenset[str]
) -> ExtensionReport:
    """Report whether the extension exists and works; a missing extension is not an error."""
    key = platform_key(*order.machine)
    path, origin = find_extension(downloads, store, key, trusted)
    report = ExtensionReport(platform=key, encoding=order.encoding)
    if order.path is not None and ("\0" in order.path or len(order.path) > MAX_PATH):
        return _report_unusable(report, "that is not a path; nothing else is loaded")
    if order.path is not None:
        wanted = os.path.realpath(downloads.directory / order.path)
        if wanted not in [os.path.realpath(known) for known in (path, store.packaged_extension()) if known]:
            known = {os.path.realpath(downloads.directory / item.file) for item in downloads.records.values()}
            why = "it is gone, was changed, or the settings do not name its SHA-256" if wanted in known else (
                "download_extensions has not put it there"
            )  # fmt: skip
            return _report_unusable(report, f"{why}; nothing else is loaded")
        if origin != "download" or wanted != os.path.realpath(path):
            path, origin = store.packaged_extension(), "package"
    if not path:
        return _report_unusable(report, f"there is no extension for {key}")
    if origin == "download":
        try:
            for file in (Path(path), downloads.manifest):
                require_own(file, downloads.directory.parent, "the data directory")
        except Failure as failure:
            return _report_unusable(report, f"{failure.message} {failure.effective_hint}")
    if key != platform_key():
        return _report_found(
            report, path, origin, ProbeResult(False, False, "it is for another platform than this one"), ProbeResult()
        )
    if not order.load:
        return _report_found(report, path, origin, ProbeResult(), ProbeResult())
    return _report_found(report, path, origin, *_try_load(store, path, order.encoding))


def _try_load(store: Store, path: str, encoding: str) -> tuple[ProbeResult, ProbeResult, str]:
    """Load and use a library in a separate process."""
    command = store.trial_command(path, hash_file(Path(path)), encoding)
    try:
        done = run(command, env=_ENVIRONMENT, timeout=TRIAL_S, max_output=_TRIAL_OUTPUT)
        answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
        load, smoke = ProbeResult(**answer["load"]), ProbeResult(**answer.get("smoke", {}))
        return load, smoke, str(answer.get("version", ""))
    except Failure as failure:
        return ProbeResult(True, False, failure.message), ProbeResult(), ""
    except (ValueError, KeyError, TypeError, IndexError):
        return ProbeResult(True, False, "the process that tried it died"), ProbeResult(), ""


def _report_unusable(report: ExtensionReport, why: str) -> ExtensionReport:
    return ExtensionReport(platform=report.platform, encoding=report.encoding, load=ProbeResult(False, False, why))


def _report_found(
    report: ExtensionReport, path: str, origin: str, load: ProbeResult, smoke: ProbeResult, version: str = ""
) -> ExtensionReport:
    return ExtensionReport(
        path=path, origin=origin, exists=True, version=version, platform=report.platform, encoding=report.encoding,
        load=load, smoke=smoke,
    )  # fmt: skip
