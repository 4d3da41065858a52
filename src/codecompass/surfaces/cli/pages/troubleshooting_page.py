"""Troubleshooting page: every error code with its usual causes and the way out, rendered from the error table."""

from codecompass.contract.export import GENERATED
from codecompass.errors import CODES, ErrorCode, ErrorRow
from codecompass.surfaces.cli.command_lines import to_shell_text

HEAD = """\
Start with two commands. `doctor` checks every part and names the command that repairs it. `status` says what is
indexed.

```console
$ codecompass doctor
$ codecompass status
```

An error on the command line is one line `error: …` and often one line `hint: …`. The exit code tells the kind:
"""
SYMPTOMS = (
    ("`codecompass: command not found`",
     "the directory of the program is not on the PATH",
     "`uv tool update-shell` or `pipx ensurepath`, then open a new shell; see [Install](install.md)"),
    ("the agent does not list the tools",
     "the agent was not restarted, or reads another file",
     "`codecompass doctor` names the file and tries the command; see [Agents](agents.md)"),
    ("answers say `stale`",
     "files changed after they were indexed",
     "`codecompass sync`; a running server does it by itself"),
    ("answers say `partial`",
     "indexing has not finished, or a file is too long",
     "wait, or look at `codecompass status`"),
    ("a file is never found",
     "an ignore file, a secret's name, or a binary excludes it",
     "`codecompass status` counts what was left out, with reasons"),
    ("search finds words but not meaning",
     "vectors are still being made",
     "`codecompass index` without `--no-embed`; `codecompass doctor` counts them"),
    ("the first index takes long",
     "every file is parsed once",
     "later runs parse only what changed; see [Benchmarks](benchmarks.md)"),
)  # fmt: skip
"""What a user sees without an error, its usual cause, and the way out."""
CAUSES: dict[ErrorCode, tuple[str, str]] = {
    "INVALID_REQUEST": ("A flag or an argument is misspelt, or a path is not a directory.",
                        "Run the command with `--help`. The message names the argument."),
    "UNAUTHORIZED": ("The server was started with a token of its own, and the request carries none or another.",
                     "Send `Authorization: Bearer TOKEN`."),
    "FORBIDDEN": ("A call names a repository that the server was not started for.",
                  "Start the server with `--workspace DIR` or `--allowed-root DIR`."),
    "TOKEN_REQUIRED": ("Reading is open on this machine; indexing, downloading and deleting are not.",
                       "Send the token that `codecompass http-token` prints."),
    "UNSAFE_PERMISSIONS": ("The data directory or a settings file belongs to another user, or others may write it.",
                           "Run the `chmod` or `chown` that the message names."),
    "NOT_FOUND": ("A tool, a method or an object is misspelt.", "`codecompass tool` lists the tools."),
    "FILE_NOT_FOUND": ("The path is written from another directory, or the file is new, ignored or a secret.",
                       "Search for its name, or run `codecompass sync`."),
    "SYMBOL_NOT_FOUND": ("The name is misspelt, or its language is indexed as text only.",
                         "`codecompass search NAME` finds near names; `codecompass languages` lists the languages."),
    "RESULT_NOT_FOUND": ("The file changed after the search that gave the handle.", "Search again."),
    "REF_NOT_INDEXED": ("Only the working tree is indexed so far.", "Run `codecompass index --ref NAME`."),
    "WORKSPACE_NOT_REGISTERED": ("The directory was never indexed.", "Run `codecompass index` there."),
    "PROJECT_NOT_FOUND": ("The directory was never indexed, or a server was started with `--no-auto-index`.",
                          "Run `codecompass index` there."),
    "JOB_NOT_FOUND": ("The job has ended.", "`codecompass jobs` lists the jobs."),
    "NO_INDEX": ("The project is registered, and nothing is published yet.", "Run `codecompass index`, or wait."),
    "INDEX_INCOMPATIBLE": ("Another version of the program wrote the index, or the disk damaged it.",
                           "Run `codecompass index --force`. Your records are kept."),
    "INDEX_STALE": ("`query.freshness_policy` is `strict`, and files changed.", "Run `codecompass sync`."),
    "INDEX_IN_PROGRESS": ("Another process indexes this project.", "Wait; `codecompass jobs` shows it."),
    "SYNC_IN_PROGRESS": ("Another process updates this ref.", "Wait; `codecompass jobs` shows it."),
    "CAPABILITY_MISSING": ("git or an optional package is not installed, or a package does not load on this Python.",
                           "Install what the message names; see [Install](install.md)."),
    "QUEUE_OVERLOADED": ("One client sends more calls than the server can answer.",
                         "Send fewer at once, or raise `mcp.queueMax`."),
    "RATE_LIMITED": ("A tool was called more often in a minute than the settings allow.",
                     "Wait a minute, or raise the limit in the [settings](settings.md)."),
    "TOOL_TIMEOUT": ("A very broad question on a very large repository.",
                     "Narrow it by path or language, or raise `mcp.toolTimeoutMs`."),
    "CANCELLED": ("You pressed Ctrl-C, or the client cancelled the call.", "Run it again; finished work is kept."),
    "DOWNLOAD_FAILED": ("No network, a proxy, or a server that is down.", "See [Downloads](downloads.md)."),
    "DOWNLOAD_VERIFY_FAILED": ("The file changed at its source, or the download was damaged.",
                               "Compare the hash with the one that its publisher names."),
    "ARCHIVE_UNSAFE": ("The archive holds links, devices or paths that lead out.", "Do not use this archive."),
    "ARCHIVE_TOO_LARGE": ("The archive unpacks to more than `downloads.max_mb` or the limits of a bundle.",
                          "Raise the limit if you trust the source."),
    "DISK_FULL": ("The disk of the data directory is full.",
                  "Free some space; `codecompass care gc` shows what it would remove."),
    "DISK_FAILED": ("The system refused to read or write: permissions, a broken disk, too many open files.",
                    "Follow the hint of the message, then run `codecompass sync`."),
    "INTERNAL": ("A fault of this program.", "Run `codecompass doctor`; report the log line it wrote; for "
                 "a security problem read [SECURITY.md](../SECURITY.md) first."),
}  # fmt: skip
"""Usual cause and way out of each code, for people."""


def render_troubleshooting_page() -> str:
    """Render the whole page."""
    lines = ["# Troubleshooting\n", GENERATED + HEAD, "| exit | codes |", "|---|---|"]
    for code in sorted({row.exit for row in CODES}):
        names = ", ".join(f"[{row.name}](#{_make_anchor(row)})" for row in CODES if row.exit == code)
        lines.append(f"| {code} | {names} |")
    lines += ["", "## No error, and yet something is wrong\n", "| you see | usual cause | do this |", "|---|---|---|"]
    lines += [*(f"| {seen} | {cause} | {cure} |" for seen, cause, cure in SYMPTOMS), ""]
    for row in CODES:
        lines += _render_code(row)
    return "\n".join(lines).rstrip("\n") + "\n"


def _render_code(row: ErrorRow) -> list[str]:
    cause, cure = CAUSES[row.name]
    retry = " The same call may succeed later." if row.retryable else ""
    spelt = f"Over MCP `{row.compass}`, over HTTP {row.http} with `{row.cleats}`, exit code {row.exit}.{retry}"
    lines = [f"## {row.name}\n", f"{row.meaning}\n", f"- Usual cause: {cause}", f"- Do this: {cure}"]
    lines += [f"- The hint says: {to_shell_text(row.hint)}"] if row.hint else []
    return [*lines, "", f"{spelt}\n"]


def _make_anchor(row: ErrorRow) -> str:
    return row.name.lower()
