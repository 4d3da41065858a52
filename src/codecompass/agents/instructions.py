"""Instructions: the block in an agent's instruction file, and the skill, that tell an agent when to ask CodeCompass."""

BEGIN, END = "<!-- codecompass:begin -->", "<!-- codecompass:end -->"

BLOCK = f"""\
{BEGIN}
## CodeCompass

If the MCP server `codecompass` is connected, ask it before you search this repository with grep or read whole files:

- `search_code` finds code by a question or by words; `get_code_context` collects the code that answers a question.
- `locate_symbol` finds a definition, `find_references` its uses, `get_file_outline` the symbols of a file.
- `grep_codebase` matches a regular expression in any branch; `diff_context` shows what a change touches.
- `context_search` knows what the project decided and whether it still holds.

Each answer says whether it matches the files on disk. Without the MCP server, the command `codecompass` has the same
answers (`codecompass search`, `locate`, `references`, `grep`). If neither is available, ignore this section.
{END}
"""

RULE_HEAD = """\
---
description: Ask CodeCompass before searching the code
alwaysApply: true
---

"""

SKILL = """\
---
name: codecompass
description: Find code, definitions, references, callers and project decisions with the CodeCompass MCP tools. Use it \
before grep or reading whole files, in repositories where the server codecompass is connected or the command \
codecompass is installed.
---

# Ask CodeCompass

Choose by the question:

| question | MCP tool | command without MCP |
|---|---|---|
| where is the code that does this | `search_code` | `codecompass search "…"` |
| which code do I need to read for this task | `get_code_context` | `codecompass bundle "…"` |
| where is this name defined | `locate_symbol` | `codecompass locate NAME` |
| who uses this | `find_references` | `codecompass references NAME` |
| what is in this file | `get_file_outline` | `codecompass outline FILE` |
| which lines match this pattern | `grep_codebase` | `codecompass grep PATTERN` |
| what does my change touch | `diff_context` | `codecompass diff` |
| what did the project decide about this | `context_search` | `codecompass context search "…"` |

- `freshness_status` says whether the answer matches the files on disk; `result_completeness` whether something is left
  out.
- Pass the `symbol_id` or `result_id` of a result to the next tool instead of searching again.
- `ref` names another branch, tag or commit.
- If the index is missing, call `index_repo` (or run `codecompass index`) once.
"""

NOTE = (
    "If the MCP server codecompass is connected, use its tools first: search_code for questions, locate_symbol and "
    "find_references for names, get_file_outline for a file, grep_codebase for patterns."
)
"""What the hook `guide` says at the start of a session."""


def insert_block(text: str) -> str:
    """Insert the block, or replace the one that is there."""
    newline = "\r\n" if "\r\n" in text else "\n"
    block = BLOCK.replace("\n", newline)
    span = _find_block(text)
    if span is not None:
        return text[: span[0]] + block + text[span[1] :]
    between = "" if not text else newline if text.endswith("\n") else newline * 2
    return text + between + block


def remove_block(text: str) -> str:
    """Remove the block with the empty line before it."""
    span = _find_block(text)
    if span is None:
        return text
    before = text[: span[0]]
    for newline in ("\r\n", "\n"):
        if before.endswith(newline * 2) or before == newline:
            before = before.removesuffix(newline)
            break
    return before + text[span[1] :]


def has_block(text: str) -> bool:
    return _find_block(text) is not None


def _find_block(text: str) -> tuple[int, int] | None:
    start = text.find(BEGIN)
    end = text.find(END, start)
    if start < 0 or end < 0:
        return None
    end += len(END)
    return start, end + (2 if text.startswith("\r\n", end) else 1 if text.startswith("\n", end) else 0)
