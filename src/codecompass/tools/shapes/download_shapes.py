"""JSON shapes of downloads and installed models, and parameters shared by the download tools."""

from typing import Annotated, Any

from msgspec import Meta

from codecompass.contract.fields import UnsetType
from codecompass.errors import ErrorCode
from codecompass.model.maintenance.download_values import (
    DictionaryState,
    DownloadReport,
    DownloadResult,
    InstalledDownloads,
)

Urls = Annotated[str | list[str], Meta(description="name=url, with #sha256=… where known.")]
Directory = str
Update = Annotated[bool, Meta(description="Fetch what has changed.")]
ERRORS: tuple[ErrorCode, ...] = (
    "INVALID_REQUEST", "PROJECT_NOT_FOUND", "WORKSPACE_NOT_REGISTERED", "FORBIDDEN", "DOWNLOAD_FAILED",
    "DOWNLOAD_VERIFY_FAILED", "ARCHIVE_UNSAFE", "ARCHIVE_TOO_LARGE", "TOOL_TIMEOUT", "CANCELLED", "DISK_FULL",
    "INTERNAL",
)  # fmt: skip


def to_url_list(given: str | list[str] | UnsetType) -> tuple[str, ...]:
    """Return the given URLs as a tuple: none, one or several."""
    if isinstance(given, UnsetType):
        return ()
    return (given,) if isinstance(given, str) else tuple(given)


def shape_downloads(report: DownloadReport) -> dict[str, Any]:
    """Shape the result of every download source."""
    shaped: dict[str, Any] = {
        "repoPath": report.root,
        "output": report.directory,
        "downloaded": report.list_names("downloaded"),
        "skipped": report.list_names("present", "not_modified"),
        "failed": report.list_names("failed"),
        "sources": [_shape_download(item) for item in report.deliveries],
    }
    return shaped | ({"notes": list(report.notes)} if report.notes else {})


def _shape_download(item: DownloadResult) -> dict[str, Any]:
    shaped: dict[str, Any] = {"name": item.name, "status": item.status, "source": item.source}
    if item.failure is not None:
        error = {
            "code": item.failure.error_code.cleats,
            "message": item.failure.message,
            "hint": item.failure.effective_hint,
        }
        return shaped | {"error": {key: value for key, value in error.items() if value}}
    shaped |= {"path": item.path, "bytes": item.bytes, "verified": item.verified}
    known = {"sha256": item.sha256, "resumedBytes": item.resumed}
    return shaped | {key: value for key, value in known.items() if value}


def shape_models(found: InstalledDownloads) -> dict[str, Any]:
    """Shape the installed models, as status tools show them."""
    shaped = []
    for card in found.models:
        row: dict[str, Any] = {"name": card.name, "kind": card.kind, "bytes": card.bytes, "usable": not card.trouble}
        shaped.append(row | ({"trouble": card.trouble} if card.trouble else {}))
    return {"dir": found.model_directory, "installed": shaped}


def shape_dictionaries(state: DictionaryState) -> dict[str, Any]:
    """Shape the installed word lists and whether the index uses them."""
    shaped: dict[str, Any] = {"dir": state.directory, "files": list(state.files), "enabled": state.enabled}
    known = {"digest": state.digest, "indexDigest": state.applied, "message": state.message}
    return shaped | {key: value for key, value in known.items() if value}
