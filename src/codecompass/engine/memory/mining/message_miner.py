"""Message miner: extract explanations, decisions, reverts and fixes from commit messages. Pure."""

import re

from codecompass.engine.memory.mining.cue_words import (
    DECISION_CUES,
    DECISION_VERBS,
    EXPLANATION_CUES,
    FIX_CUES,
    RULE_CUES,
)
from codecompass.engine.memory.mining.mined_item import MinedItem, make_item
from codecompass.engine.memory.mining.tool_choices import extract_tool_choices
from codecompass.model.history_facts import CommitMessage
from codecompass.model.states import DiscoveryType, SourceKind

_TRAILER = re.compile(
    r"^(?:[A-Z][A-Za-z]*-[A-Za-z-]+|Signed-off-by|Change-Id|Bug|Link|PR-URL|Reviewed-By|Refs|Fixes|Closes|Issue|Cc|See)"
    r"\s*:\s.*$|^\(?(?:cherry picked from|git-svn-id:).*$|^(?:Co-authored-by\b|-{5,}).*$",
    re.IGNORECASE,
)
_REVERTED = re.compile(r"[Tt]his reverts commit ([0-9a-f]{7,64})")
_REVERT = re.compile(r"^(?:[\w()!/.-]+:\s*)?(?:revert\b|back(?:ed)? out\b|undo\b)", re.IGNORECASE)
_NOISE = re.compile(
    r"^(?:merge (?:branch|pull request|remote|tag)|bump (?:version|the \w+ group|.+ from \S+ to \S+)"
    r"|release\b|version\b|v?\d+\.\d+|prepare (?:for )?release|changelog|update changelog|wip\b|typo"
    r"|fix(?:ed|es)? typos?\b|lint\b|whitespace|\[?pre-commit|⬆|📝 update release notes|👥|🌐|update release notes"
    r"|initial commit|cleanup\b|minor\b|oops|import translations|update translations)",
    re.IGNORECASE,
)
_ROUTINE = re.compile(
    r"^(?:\w+(?:\([^)\n]*\))?!?:\s*)?(?:bump\w*\b.* (?:from \S+ )?to v?\d|bump (?:the )?[\w@/-]+ (?:group|version)"
    r"|update (?:dependency|dependencies|rust crate|github.actions|module|all |docker tag"
    r"|\S+ to v?\d)|lock ?file maintenance"
    r"|release v?\d|releasing\b|(?:prepare|cut) (?:for )?(?:the )?(?:\S+ )?release"
    r"|v?\d+\.\d+\.\d+\S*$|\[release\]|version packages"
    r"|remove (?:an? )?accidental(?:ly)?\b|revert accidental|(?:address|apply"
    r"|fix) (?:code )?review|apply suggestions? from"
    r"|fix (?:lint|formatting|format|style|indentation|whitespace|spelling|typo"
    r"|merge conflicts?|ci|build)\b\W*$|rubocop$|prettier$"
    r"|run (?:prettier|black|gofmt|rustfmt|cargo fmt)|add (?:missing )?changelog"
    r"|update readme(?:\.md)?$|merge (?:branch|pull)\b"
    r"|regenerate\b|sync translations?|update (?:translations?|locales?|snapshots?"
    r"|submodules?|contributors|authors|copyright))",
    re.IGNORECASE,
)
"""Subjects of routine work, which decides nothing whatever its message quotes."""
_QUOTED = re.compile(r"^>.*$", re.MULTILINE)
MIN_BODY = 40
MIN_SUBJECT = 18


def mine_message(message: CommitMessage) -> MinedItem | None:
    """Mine one commit message; None if it says only what was done, and not why."""
    subject, _, rest = message.text.strip().partition("\n")
    subject = subject.strip()
    body = _clean_body(rest)
    reverted = _REVERTED.search(message.text)
    if reverted or _REVERT.match(subject):
        named = f"\nReverts {reverted[1][:12]}." if reverted else ""
        reason = _REVERTED.sub("", body).strip(" .\n")
        return _make_message_item("issue", "revert", subject, f"{subject}\n{reason}{named}", message)
    if _ROUTINE.match(subject) or _NOISE.match(subject) and not EXPLANATION_CUES.search(body):
        return None
    explained = len(body) >= MIN_BODY
    if FIX_CUES.search(subject):
        enough = explained or len(subject) >= MIN_SUBJECT
        return _make_message_item("issue", "fix", subject, f"{subject}\n{body}", message) if enough else None
    if explained or (
        len(subject) >= MIN_SUBJECT and (DECISION_VERBS.match(subject) or EXPLANATION_CUES.search(subject))
    ):
        return _make_message_item(_classify_message(subject, body), "commit", subject, f"{subject}\n{body}", message)
    return None


def _classify_message(subject: str, body: str) -> DiscoveryType:
    """Classify a message: a decision says why or what was chosen; a bare record of a change is a pattern."""
    if EXPLANATION_CUES.search(body) or EXPLANATION_CUES.search(subject) or DECISION_CUES.search(f"{subject}\n{body}"):
        return "decision"
    return "rule" if RULE_CUES.search(body) else "pattern"


def _make_message_item(
    type: DiscoveryType, kind: SourceKind, subject: str, text: str, message: CommitMessage
) -> MinedItem:
    item = make_item(type, kind, text, subject, key=message.commit.id)
    return item._replace(slots=extract_tool_choices(text))


def _clean_body(text: str) -> str:
    """Return the message body without trailers and quotations."""
    lines = [line.rstrip() for line in _QUOTED.sub("", text).split("\n")]
    return "\n".join(line for line in lines if not _TRAILER.match(line)).strip()
