"""Errors: the Failure exception and the table of error codes.

    Failure
      └─ code: a row of CODES — its spelling in each tool family, HTTP status, JSON-RPC code and exit code

Any module raises Failure(code, message); only the runtime converts one to the format of a protocol.
"""

import errno
import os
from dataclasses import dataclass, field
from typing import Literal

ErrorCode = Literal[
    "INVALID_REQUEST",
    "UNAUTHORIZED",
    "FORBIDDEN",
    "TOKEN_REQUIRED",
    "UNSAFE_PERMISSIONS",
    "NOT_FOUND",
    "FILE_NOT_FOUND",
    "SYMBOL_NOT_FOUND",
    "RESULT_NOT_FOUND",
    "REF_NOT_INDEXED",
    "WORKSPACE_NOT_REGISTERED",
    "PROJECT_NOT_FOUND",
    "JOB_NOT_FOUND",
    "NO_INDEX",
    "INDEX_INCOMPATIBLE",
    "INDEX_STALE",
    "INDEX_IN_PROGRESS",
    "SYNC_IN_PROGRESS",
    "CAPABILITY_MISSING",
    "QUEUE_OVERLOADED",
    "RATE_LIMITED",
    "TOOL_TIMEOUT",
    "CANCELLED",
    "DOWNLOAD_FAILED",
    "DOWNLOAD_VERIFY_FAILED",
    "ARCHIVE_UNSAFE",
    "ARCHIVE_TOO_LARGE",
    "DISK_FULL",
    "DISK_FAILED",
    "INTERNAL",
]
"""Names of the rows of CODES."""


@dataclass(frozen=True, slots=True)
class ErrorRow:
    """One row of the error table."""

    name: ErrorCode
    compass: str
    cleats: ErrorCode
    http: int
    exit: int
    retryable: bool
    meaning: str
    hint: str = ""
    rpc: int = -32603


CODES = (
    ErrorRow(
        "INVALID_REQUEST",
        "invalid_input",
        "INVALID_REQUEST",
        400,
        2,
        False,
        "An argument is missing, unknown or wrong.",
        "Compare the arguments with the tool's input schema.",
        -32602,
    ),
    ErrorRow(
        "UNAUTHORIZED", "workspace_not_allowed", "UNAUTHORIZED", 401, 4, False, "No valid token came with the request."
    ),
    ErrorRow(
        "FORBIDDEN",
        "workspace_not_allowed",
        "FORBIDDEN",
        403,
        4,
        False,
        "The path lies outside the allowed roots.",
        "Start the server with --allowed-root for that directory.",
    ),
    ErrorRow(
        "TOKEN_REQUIRED",
        "token_required",
        "FORBIDDEN",
        403,
        4,
        False,
        "A tool that changes, downloads, deletes, loads or decides was called over HTTP without the server's token.",
        "Send 'Authorization: Bearer TOKEN'; on the server's machine 'codecompass http-token' prints the token.",
    ),
    ErrorRow(
        "UNSAFE_PERMISSIONS",
        "unsafe_permissions",
        "FORBIDDEN",
        403,
        4,
        False,
        "Another user owns, or may change, what would be loaded.",
        "Run 'codecompass doctor'; it names the command that repairs this.",
    ),
    ErrorRow(
        "NOT_FOUND", "not_found", "NOT_FOUND", 404, 5, False, "No tool, method or object has that name.", "", -32602
    ),
    ErrorRow(
        "FILE_NOT_FOUND",
        "file_not_found",
        "NOT_FOUND",
        404,
        5,
        False,
        "The view has no file at that path.",
        "Use search_code to find the path, or sync_repo if the file is new.",
    ),
    ErrorRow(
        "SYMBOL_NOT_FOUND",
        "symbol_not_found",
        "NOT_FOUND",
        404,
        5,
        False,
        "No definition has that name or handle.",
        "Use locate_symbol or search_code to find the right name.",
    ),
    ErrorRow(
        "RESULT_NOT_FOUND",
        "result_not_found",
        "NOT_FOUND",
        404,
        5,
        False,
        "That result handle is not in the view.",
        "Search again; the file may have changed.",
    ),
    ErrorRow(
        "REF_NOT_INDEXED",
        "ref_not_indexed",
        "NOT_FOUND",
        404,
        5,
        False,
        "That ref has no view yet.",
        "Call index_repo with this ref first.",
    ),
    ErrorRow(
        "WORKSPACE_NOT_REGISTERED",
        "workspace_not_registered",
        "NOT_FOUND",
        404,
        5,
        False,
        "No project is registered there.",
        "Run 'codecompass init' in that directory.",
    ),
    ErrorRow(
        "PROJECT_NOT_FOUND",
        "project_not_found",
        "NOT_FOUND",
        404,
        5,
        False,
        "The workspace was never initialised.",
        "Run 'codecompass init' in that directory.",
    ),
    ErrorRow(
        "JOB_NOT_FOUND",
        "job_not_found",
        "NOT_FOUND",
        404,
        5,
        False,
        "No running job has that id.",
        "index_status lists the active job and the recent ones.",
    ),
    ErrorRow(
        "NO_INDEX",
        "index_not_ready",
        "NO_INDEX",
        409,
        6,
        True,
        "The project has not been indexed yet.",
        "Call index_repo, or run 'codecompass index'.",
    ),
    ErrorRow(
        "INDEX_INCOMPATIBLE",
        "index_incompatible",
        "INDEX_INCOMPATIBLE",
        409,
        7,
        False,
        "The index is damaged or of another version.",
        "Run 'codecompass index --force' to rebuild it from the sources; records are kept.",
    ),
    ErrorRow(
        "INDEX_STALE",
        "index_stale",
        "INDEX_STALE",
        409,
        8,
        True,
        "The sources changed after they were indexed.",
        "Call sync_repo to update the index before querying.",
    ),
    ErrorRow(
        "INDEX_IN_PROGRESS",
        "index_in_progress",
        "INDEX_IN_PROGRESS",
        409,
        9,
        True,
        "A job is already running for this project.",
        "Wait for it: index_status shows its progress.",
    ),
    ErrorRow(
        "SYNC_IN_PROGRESS",
        "sync_in_progress",
        "INDEX_IN_PROGRESS",
        409,
        9,
        True,
        "A sync is already running for this ref.",
        "Wait for it: index_status shows its progress.",
    ),
    ErrorRow(
        "CAPABILITY_MISSING",
        "capability_missing",
        "CAPABILITY_MISSING",
        501,
        3,
        False,
        "A required component is not installed.",
    ),
    ErrorRow(
        "QUEUE_OVERLOADED",
        "overloaded",
        "QUEUE_OVERLOADED",
        429,
        10,
        True,
        "Too many calls are already waiting.",
        "Try again in a moment.",
        -32001,
    ),
    ErrorRow(
        "RATE_LIMITED",
        "rate_limited",
        "RATE_LIMITED",
        429,
        10,
        True,
        "This tool's calls per minute are used up.",
        "Wait until the window has passed.",
    ),
    ErrorRow(
        "TOOL_TIMEOUT", "timeout", "TOOL_TIMEOUT", 504, 11, True, "The work took longer than allowed and was stopped."
    ),
    ErrorRow("CANCELLED", "cancelled", "CANCELLED", 499, 130, True, "The caller cancelled the work."),
    ErrorRow(
        "DOWNLOAD_FAILED",
        "download_failed",
        "DOWNLOAD_FAILED",
        502,
        12,
        True,
        "A source could not be fetched.",
        "Check the address and the network, then try again.",
    ),
    ErrorRow(
        "DOWNLOAD_VERIFY_FAILED",
        "download_verify_failed",
        "DOWNLOAD_VERIFY_FAILED",
        422,
        12,
        False,
        "The downloaded bytes do not match the expected hash or size.",
    ),
    ErrorRow(
        "ARCHIVE_UNSAFE",
        "archive_unsafe",
        "ARCHIVE_UNSAFE",
        422,
        12,
        False,
        "The archive would write outside its directory.",
    ),
    ErrorRow(
        "ARCHIVE_TOO_LARGE",
        "archive_too_large",
        "ARCHIVE_TOO_LARGE",
        422,
        12,
        False,
        "The archive exceeds a stated limit.",
    ),
    ErrorRow(
        "DISK_FULL",
        "disk_full",
        "INTERNAL",
        500,
        13,
        True,
        "The disk has no space left for the index.",
        "Free some space; the last published index keeps answering.",
    ),
    ErrorRow(
        "DISK_FAILED",
        "disk_failed",
        "INTERNAL",
        500,
        13,
        True,
        "The disk or the system refused a read or a write.",
        "Check the system log for disk errors, then run 'codecompass sync'; published indexes are not damaged.",
    ),
    ErrorRow(
        "INTERNAL",
        "internal_error",
        "INTERNAL",
        500,
        1,
        False,
        "An unexpected error; the log has the details.",
        "Run 'codecompass doctor'.",
    ),
)

CODES_BY_NAME: dict[str, ErrorRow] = {row.name: row for row in CODES}
"""Text from outside becomes an ErrorCode by the name of its row here."""


@dataclass
class Failure(Exception):
    """The only exception whose message is shown to users: a code, a sentence, details and a hint."""

    code: ErrorCode
    message: str
    details: dict[str, object] = field(default_factory=dict)
    hint: str = ""

    def __post_init__(self) -> None:
        super().__init__(self.message)

    def __reduce__(self) -> tuple[type["Failure"], tuple[object, ...]]:
        # Exceptions are pickled by their args, which hold the message alone; pools of processes pickle them.
        return type(self), (self.code, self.message, self.details, self.hint)

    @property
    def error_code(self) -> ErrorRow:
        return CODES_BY_NAME[self.code]

    @property
    def effective_hint(self) -> str:
        return self.hint or self.error_code.hint


_DISK_FULL_ERRNOS = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_EXHAUSTED_ERRNOS = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOMEM})
_REFUSED_ERRNOS = _EXHAUSTED_ERRNOS | {errno.EIO, errno.EROFS, errno.EACCES, errno.EPERM, errno.ESTALE}
OPEN_FILES_HINT = "Raise the limit of open files ('ulimit -n 4096'), then run 'codecompass sync'."


def is_resource_exhaustion(error: OSError) -> bool:
    """Whether this process or the machine has run out of a resource: the file in question may be fine."""
    return error.errno in _EXHAUSTED_ERRNOS


def to_system_failure(number: int | None, doing: str) -> Failure:
    """Convert an errno to a Failure for the caller; `doing` describes the attempted operation."""
    reason = os.strerror(number) if number else "the system gave no reason"
    if number in _DISK_FULL_ERRNOS:
        return Failure("DISK_FULL", f"No room to {doing}.")
    hint = OPEN_FILES_HINT if number in (errno.EMFILE, errno.ENFILE) else ""
    return Failure("DISK_FAILED", f"The system refused to {doing}: {reason}.", hint=hint)


def find_system_failure(error: OSError) -> Failure | None:
    """Return the Failure for an error whose cause is the system or a name that is too long; None for any other."""
    if error.errno == errno.ENAMETOOLONG:
        return Failure("INVALID_REQUEST", "A file name is longer than the file system allows.")
    if error.errno in _DISK_FULL_ERRNOS or error.errno in _REFUSED_ERRNOS:
        return to_system_failure(error.errno, "read or write what the call needs")
    return None
