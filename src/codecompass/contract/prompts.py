"""MCP prompts: the table of tasks that a client offers as commands, and how an argument is completed."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Literal

COMPLETION_TOOL = "complete_value"
"""The internal tool that completes values; clients cannot call it by name."""
MAX_COMPLETIONS = 100
"""Most values of one answer, by the protocol."""

ValueKind = Literal["ref", "path", "name", "module"]
"""What can be completed: refs, files, names of definitions, modules of the project's memory."""

_TOOL_NAME = re.compile(r"\b[a-z]+(?:_[a-z]+)+\b")
_PARAMETERS = frozenset({"detail_level", "base_ref", "head_ref"})
_PLACE = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class PromptArgument:
    """One argument of a prompt."""

    name: str
    description: str
    required: bool = False
    kind: ValueKind | None = None
    """How its value is completed, if at all."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """A task in words. A line that has a place for an argument which was not given is left out."""

    name: str
    title: str
    description: str
    arguments: tuple[PromptArgument, ...]
    lines: tuple[str, ...]

    @property
    def tools(self) -> frozenset[str]:
        """The tools that its text names."""
        return frozenset(_TOOL_NAME.findall(" ".join(self.lines))) - _PARAMETERS

    def render(self, given: Mapping[str, str]) -> str:
        """Return the text with the arguments in their places."""
        kept = [line for line in self.lines if set(_PLACE.findall(line)) <= given.keys()]
        return "\n".join(_PLACE.sub(lambda place: given[place[1]], line) for line in kept)


PROMPTS = (
    Prompt("find_where", "Find where", "Where something is defined, configured or done.",
           (PromptArgument("what", "A name, or what it does", required=True, kind="name"),),
           ("Find where this is in the repository: {what}",
            "If it is a name, call locate_symbol; else call search_code with detail_level code.",
            "If nothing fits, call grep_codebase with a literal part of it.",
            "Answer with path:line of each place and one sentence on why it is the right one.")),
    Prompt("impact_of_change", "Impact of this change", "What breaks if a definition changes, and who must be told.",
           (PromptArgument("symbol", "The definition that changes", required=True, kind="name"),
            PromptArgument("path", "Its file, if the name is not unique", kind="path"),
            PromptArgument("change", "What will change")),
           ("Say what is affected if this changes: {symbol}",
            "It is defined in {path}.",
            "The change: {change}",
            "Call find_references for every use; those with resolution ambiguous or textual are uncertain.",
            "Call get_code_context with sections callers and tests for the code around the uses.",
            "List the places that must change, the tests that cover them, and what remains uncertain.")),
    Prompt("why_is_it_so", "Why is it so", "The decision or rule behind a piece of code, and whether it still holds.",
           (PromptArgument("what", "The code, rule or behaviour in question", required=True, kind="name"),),
           ("Say why this is so: {what}",
            "Call context_search first: it has recorded decisions, rules and their freshness.",
            "Call search_code for the code itself and compare it with what was decided.",
            "Quote the source of each reason; say clearly where no reason is recorded.")),
    Prompt("review_diff", "Review this diff", "Review what changed between two refs, with the callers of what changed.",
           (PromptArgument("base", "Where the change begins; default: the last commit", kind="ref"),
            PromptArgument("head", "Where it ends; default: the working tree", kind="ref")),
           ("Review the change in this repository.",
            "It begins at {base} (base_ref).",
            "It ends at {head} (head_ref).",
            "Call diff_context for the changed symbols and their callers.",
            "For each changed signature or behaviour call find_references and read callers that may break.",
            "Call context_search for rules that the change may violate.",
            "Report faults first, each with path:line and a failing case; then questions.")),
    Prompt("onboard_me", "Onboard me", "A tour of the repository or of one part of it.",
           (PromptArgument("area", "A directory or file to begin with", kind="path"),),
           ("Explain this repository to an engineer who is new to it.",
            "Begin with {area}.",
            "Call context_search for the rules and decisions, and search_code for entry points, configuration, tests.",
            "Call get_file_outline for the three or four files that matter most, before reading any.",
            "Answer in one page: purpose, structure, how a request flows, where to change what, how to test.")),
)  # fmt: skip


def select_prompts(served: Collection[str]) -> tuple[Prompt, ...]:
    """Return the prompts whose tools are all served."""
    return tuple(prompt for prompt in PROMPTS if prompt.tools <= frozenset(served))
