"""Assertions: decide which parts of a text say something about the present. Pure.

A name beside "removed" or "used to" is history, a changelog tells what was, and a commit what was done. Of a decision
record only the sections that decide are assertions: what it describes as the situation was true when it was written.
"""

import re

_SENTENCE_BREAK = re.compile(r"(?:[.!?;](?:\s|$)|\n\s*(?:\n|[-*+]\s|\d+[.)]\s|\|))")
_FENCE = re.compile(r"^\s*(?:```|~~~)([^`\n]*)$", re.MULTILINE)
_HISTORY = re.compile(
    r"\b(?:no longer|used to(?= (?:be|have|live|call|exist|do|use|contain|return|require))"
    r"|previously|formerly|historically|in the past"
    r"|obsolete|superseded|at the time|back then|for historical reasons|legacy|until (?:recently|version|v?\d)"
    r"|prior to|before v?\d|as of v?\d|since v?\d|in v?\d+\.\d+|introduced in|deprecated|does(?:n['’]t| not) exist"
    r"|(?:will|would|could|might|should|to) be (?:removed|deleted|dropped|renamed|replaced|added|introduced|created)"
    r"|(?:was|were|been|is|are|got) (?:removed|deleted|dropped|renamed|replaced|moved|retired)|has moved"
    r"|in the future|not yet|eventually|hypothetical|imagine|TODO|FIXME)\b",
    re.IGNORECASE,
)
"""Words that make a whole sentence one about another time."""
_DENIED_BEFORE = re.compile(
    r"(?:\b(?:remov(?:e[sd]?|ing)|delet(?:e[sd]?|ing)|drop(?:s|ped|ping)?|renam(?:e[sd]?|ing)|replac(?:e[sd]?|ing)"
    r"|retir(?:e[sd]?|ing)|instead of|rather than|in place of|as opposed to|unlike|without|get(?:ting)? rid of"
    r"|(?:migrat|mov|switch|upgrad|convert)(?:e[sd]?|ed|ing)? (?:away )?(?:from|off)|there (?:is|are) no|has no"
    r"|(?:do not|don['’]t|never|avoid|not|no longer) (?:us(?:e|ing)|need|add|import|want|depend on)"
    r"|e\.g\.?|for example,?|for instance,?|such as|something like|named? (?:it"
    r"|them))\b[^.;\n]{0,30}|\b(?:the )?(?:old|former|legacy|deprecated)\s*)$",
    re.IGNORECASE,
)
_DENIED_AFTER = re.compile(
    r"^[`)\s]*(?:\([^)\n]{0,40}\)\s*)?(?:was|were|is being|has been|have been|got|had"
    r"|must not (?:come|be (?:used|added)))\b",
    re.IGNORECASE,
)
_CHANGELOG = re.compile(
    r"(?:^|/)[^/]*(?:change|history|release|news|upgrad|migrat|whatsnew|what-s-new)[^/]*\.?\w*$"
    r"|(?:^|/)(?:changelog\.d|changelogs?|changes|changesets?|\.changeset|\.changes|release[-_]?notes?|releases?|news|newsfragments"
    r"|whatsnew|upgrad\w*|migrations?|rfcs?|proposals?|blogs?|_posts|posts|archived?|old|legacy|deprecated|rejected)/",
    re.IGNORECASE,
)
_VERSIONED = re.compile(
    r"(?:^|/)(?:versioned_\w+|versions?|version-[^/]+|v?\d+\.(?:\d+|x)(?:\.(?:\d+|x))?|v\d+)/", re.IGNORECASE
)
_UNSETTLED_HEADING = re.compile(
    r"\b(?:context|problem|background|motivation|considered|options?|alternatives?|drivers?|status|links?|references?|history"
    r"|changelog|current (?:state|situation)|proposals?|open questions?|pros|cons"
    r"|discussion|related|more information|further)\b",
    re.IGNORECASE,
)
_SETTLED_HEADING = re.compile(
    r"\b(?:decisions?|outcome|consequences?|resolution|implementation|rules?)\b", re.IGNORECASE
)
_ASSERTING_SOURCES = ("adr", "agent_file", "document", "comment", "recorded", "triage")


def is_denied(text: str, start: int, end: int) -> bool:
    """Whether the words around a place say that it is not, or no longer, so."""
    breaks = [match.end() for match in _SENTENCE_BREAK.finditer(text, 0, start)]
    first = breaks[-1] if breaks else 0
    after = _SENTENCE_BREAK.search(text, end)
    last = after.start() if after else len(text)
    if _HISTORY.search(text, first, last):
        return True
    before = text[max(first, start - 60) : start].rstrip("`\"' ([")
    return bool(_DENIED_BEFORE.search(before) or _DENIED_AFTER.search(text[end : min(end + 60, last)]))


def blank_fences(text: str) -> tuple[str, list[tuple[int, str]]]:
    """Blank the samples between fences; return the rest, and (offset, line) of each line of the samples.

    A piece of a longer text may begin inside a fence: then the first mark is a bare one, and the number of marks odd.
    """
    marks = list(_FENCE.finditer(text))
    inside = len(marks) % 2 == 1 and not marks[0][1].strip()
    kept, samples, offset = [], list[tuple[int, str]](), 0
    for line in text.split("\n"):
        if _FENCE.match(line):
            inside = not inside
            kept.append(" " * len(line))
        elif inside:
            samples.append((offset, line.strip()))
            kept.append(" " * len(line))
        else:
            kept.append(line)
        offset += len(line) + 1
    return "\n".join(kept), samples


def is_asserting_source(kind: str, path: str) -> bool:
    """Whether texts of a source describe the present: not those of commits, changelogs and versioned documents."""
    if kind not in _ASSERTING_SOURCES:
        return False
    return kind not in ("document", "adr") or not (_CHANGELOG.search(path) or _VERSIONED.search(path))


def is_asserting_section(kind: str, title: str) -> bool:
    """Whether a section asserts something; of a decision record, what led to it does not."""
    if kind != "adr":
        return not re.search(
            r"\b(?:changelog|history|release notes|migrat\w+|upgrading|roadmap|known issues)\b", title, re.IGNORECASE
        )
    heading = title.rpartition("›")[2] if "›" in title else ""
    return not heading or bool(_SETTLED_HEADING.search(heading)) or not _UNSETTLED_HEADING.search(heading)
