"""Command `open`: open a line of a file, or a definition, in the user's editor."""

import argparse
import os
import re
import shlex
from collections.abc import Callable, Sequence
from typing import Any

from codecompass.contract.envelope import Reply
from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.model.editor_links import EDITOR_ARGUMENTS
from codecompass.surfaces.cli.output import print_line, show_failure
from codecompass.surfaces.cli.path_args import list_candidate_paths

_LINE = re.compile(r"(?s)(.+?):(\d{1,9})(?::\d{1,9})?:?")
NO_EDITOR = "Run 'export EDITOR=vim', or set terminal.editor to a command such as 'code --goto {path}:{line}'."

ToolCall = Callable[[str, dict[str, Any], Call], Reply]
ProgramRunner = Callable[[Sequence[str]], None]
"""Runs a program in place of this process."""


def run_open(args: argparse.Namespace, call: ToolCall, workspace: str, editor: str, run_program: ProgramRunner) -> int:
    """Run the editor in place of this process, or print its command."""
    path, line = find_place(args.place, call, workspace)
    if args.only_print:
        print_line(shlex.join(build_editor_command(editor, path, line)))
        return 0
    return run_editor(editor, path, line, run_program)


def run_editor(editor: str, path: str, line: int, run_program: ProgramRunner) -> int:
    """Run the editor in place of this process; it returns only if that is not possible."""
    command = build_editor_command(editor, path, line)
    try:
        run_program(command)
    except OSError as error:
        message = f"The editor {ascii(command[0])} could not be started: {error.strerror}."
        return show_failure(Failure("NOT_FOUND", message, hint=NO_EDITOR))
    return 0


def find_place(text: str, call: ToolCall, workspace: str) -> tuple[str, int]:
    """Return the absolute path and the line that an argument names; a file goes before a definition of that name."""
    place = _LINE.fullmatch(text)
    for named, line in ((text, 1), *([(place[1], int(place[2]))] if place else [])):
        for path in (os.path.join(os.getcwd(), named), *_list_project_paths(workspace, named)):
            if os.path.isfile(path):
                return os.path.normpath(path), max(line, 1)
    if place or "/" in text:
        _refuse_missing_file(place[1] if place else text, int(place[2]) if place else 0, call)
    reply = call("locate_symbol", {"name": text, "limit": 1, "detail_level": "location"}, Call(id="cli"))
    if reply.failure is not None:
        raise reply.failure
    results = reply.payload["results"]
    if not results or reply.payload.get("match") == "prefix":
        raise Failure("SYMBOL_NOT_FOUND", f"No file and no definition is named {ascii(text[:200])}.",
                      hint=f"Run {shlex.join(['codecompass', 'search', text[:200]])}")  # fmt: skip
    return os.path.join(workspace, results[0]["path"]), results[0]["line_start"]


def _refuse_missing_file(named: str, line: int, call: ToolCall) -> None:
    """Fail with the indexed files whose names are like a path that does not exist."""
    reply = call("get_file_outline", {"path": named, "depth": "top"}, Call(id="cli"))
    near = reply.failure.details.get("near") if reply.failure is not None else None
    if near and isinstance(near, list):
        where = f":{line}" if line else ""
        raise Failure("FILE_NOT_FOUND", f"There is no file {ascii(named[:200])}.",
                      {"given": named + where, "near": [f"{one}{where}" for one in near]})  # fmt: skip


def _list_project_paths(workspace: str, named: str) -> list[str]:
    return [os.path.join(workspace, path) for path in list_candidate_paths(workspace, named)]


def build_editor_command(editor: str, path: str, line: int) -> list[str]:
    """Return the words of the command that opens a line; every value is one word, whatever it contains."""
    try:
        words = shlex.split(editor)
    except ValueError as error:
        raise Failure("INVALID_REQUEST", f"The editor's command cannot be read: {error}.", hint=NO_EDITOR) from None
    if not words:
        raise Failure("INVALID_REQUEST", "No editor is set.", hint=NO_EDITOR)
    if not any("{path}" in word for word in words):
        program = os.path.basename(words[0]).lower().removesuffix(".exe").removesuffix(".cmd")
        words += EDITOR_ARGUMENTS.get(program, ("{path}",))
    return [word.replace("{line}", str(line)).replace("{path}", path) for word in words]
