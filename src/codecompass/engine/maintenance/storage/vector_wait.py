"""Vector wait: let a build wait for the vectors of the view it indexed."""

import time

from codecompass.engine.workspace.project import Project
from codecompass.model.call import Call, Progress
from codecompass.model.queries.vector_state import SemanticState

POLL_SECONDS = 0.25
STALL_SECONDS = 20.0
"""Seconds without progress after which the vector build is considered dead."""
MARGIN_SECONDS = 5.0
"""Seconds of the call's time reserved for the rest of the answer."""


def wait_for_vectors(project: Project, ref: str, call: Call) -> SemanticState:
    """Wait until every file has vectors, progress stops, or the call's time is nearly over."""
    moved_at = time.monotonic()
    covered = -1
    while True:
        call.check()
        with project.open_view(ref) as view:
            state = project.embedder.state(view)
        now = time.monotonic()
        if state.covered != covered and state.state != "off":
            covered, moved_at = state.covered, now
            call.report(Progress("embed", state.covered, state.total))
        late = call.deadline is not None and now > call.deadline - MARGIN_SECONDS
        if state.state != "building" or late or now - moved_at > STALL_SECONDS or not project.options.build_vectors:
            return state
        time.sleep(POLL_SECONDS)


def describe_vectors(project: Project, state: SemanticState) -> tuple[str, ...]:
    """Describe incomplete vectors in a build report."""
    if state.state != "building":
        return ()
    message = f"{state.covered} of {state.total} files have vectors"
    if not project.options.build_vectors:
        return (f"{message}: building them is disabled here.",)
    return (f"{message}; the others follow in the background, and until then search finds them by words only.",)
