"""Vector wait: a build waits for the vectors of what it indexed, while they are being made."""

import time

from codecompass.engine.workspace.project import Project
from codecompass.model.call import Call, Progress
from codecompass.model.queries.vector_state import SemanticState

POLL_SECONDS = 0.25
STALL_SECONDS = 20.0
"""Without one more file in so long nobody is making vectors any more."""
MARGIN_SECONDS = 5.0
"""What is left of the call's time for the rest of the answer."""


def wait_for_vectors(project: Project, ref: str, call: Call) -> SemanticState:
    """Wait until every file has its vectors, until nothing moves any more, or until the call's time is nearly over."""
    moved = time.monotonic()
    covered = -1
    while True:
        call.check()
        with project.pinned(ref) as view:
            state = project.semantics.state(view)
        now = time.monotonic()
        if state.covered != covered and state.state != "off":
            covered, moved = state.covered, now
            call.report(Progress("embed", state.covered, state.total))
        late = call.deadline is not None and now > call.deadline - MARGIN_SECONDS
        if state.state != "building" or late or now - moved > STALL_SECONDS or not project.options.build_vectors:
            return state
        time.sleep(POLL_SECONDS)


def describe_vectors(project: Project, state: SemanticState) -> tuple[str, ...]:
    """What a build has to say about vectors that are not all there."""
    if state.state != "building":
        return ()
    said = f"{state.covered} of {state.total} files have vectors"
    if not project.options.build_vectors:
        return (f"{said}: making them is turned off here.",)
    return (f"{said}; the others follow in the background, and until then search finds them by words only.",)
