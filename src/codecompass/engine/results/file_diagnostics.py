"""File diagnostics: parser and linter messages and risks of one file, as stored with its blob."""

from codecompass.engine.view.pinned_view import PinnedView
from codecompass.model.code.risk_facts import Risks
from codecompass.model.code.traits import Diagnostic


def select_risks(risks: Risks, position: int) -> Risks:
    """Select the risks that belong to one definition."""
    return Risks(
        uses=tuple(item for item in risks.uses if item.owner == position),
        flows=tuple(item for item in risks.flows if item.owner == position),
    )


def read_diagnostics(view: PinnedView, path: str) -> tuple[list[Diagnostic], bool]:
    """Return the parser and linter diagnostics of a file in order, and whether a linter checked it."""
    blob = view.entries[path].blob
    lint = view.snapshot.lint(blob)
    return sorted((*view.snapshot.analysis(blob).diagnostics, *(lint or ()))), lint is not None
