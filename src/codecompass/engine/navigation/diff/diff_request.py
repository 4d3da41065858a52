"""Diff request: resolve the two sides of a comparison and the commit that the head is compared with."""

from dataclasses import dataclass, replace

from codecompass.engine.navigation.diff.ref_list import find_default_branch
from codecompass.engine.workspace.project import DEFAULT_REF_KEY, Project
from codecompass.errors import Failure
from codecompass.model.path_text import display_path
from codecompass.model.queries.symbol_difference import DiffQuery, DiffSide
from codecompass.repo.git.repository import read_head as head_of
from codecompass.repo.process.child_process import StopCheck
from codecompass.repo.workspace import LIVE, is_working_tree_ref


@dataclass(frozen=True)
class DiffRequest:
    """Both sides as requested, and the commits they resolve to."""

    base: DiffSide
    head: DiffSide
    start: str
    """The commit whose tree is the base; empty for the working tree and before the first commit."""
    merge_base: str = ""
    warnings: tuple[str, ...] = ()


def resolve_sides(project: Project, query: DiffQuery, stop: StopCheck | None = None) -> DiffRequest:
    """Resolve ref names to commits, with defaults for omitted refs."""
    workspace = project.workspace
    if workspace.git is None:
        raise Failure("REF_NOT_INDEXED", "Not a git repository: there is nothing to compare with.",
                      hint="Run 'git init' and commit once, or use search_code and get_file_outline.")  # fmt: skip
    now = head_of(workspace.git)
    named = query.head_ref
    if named is None or is_working_tree_ref(workspace, named):
        head = DiffSide(named or now.branch or LIVE, now.commit or "", live=True)
    else:
        head = DiffSide(named, _resolve_commit(project, named, stop))
    if query.base_ref is not None:
        return _resolve_base(project, query, head, query.base_ref, stop)
    if named is None or named == LIVE:
        # Compare with the last commit; before the first one everything is new.
        return DiffRequest(DiffSide("HEAD", head.commit), head, head.commit)
    default = find_default_branch(workspace.git, project.store.records.get(DEFAULT_REF_KEY))
    if default is None:
        raise Failure("INVALID_REQUEST", "No default branch is known to compare with.",
                      hint="Name base_ref; list_refs shows the refs there are.")  # fmt: skip
    return _resolve_base(project, query, head, default, stop)


def _resolve_base(project: Project, query: DiffQuery, head: DiffSide, name: str, stop: StopCheck | None) -> DiffRequest:
    if name in (query.base_ref if query.head_ref == query.base_ref else None, LIVE if head.live else None):
        return DiffRequest(replace(head, ref=name), replace(head, ref=name), head.commit)
    if name == LIVE:
        now = head_of(project.workspace.git).commit if project.workspace.git else None
        return DiffRequest(DiffSide(LIVE, now or "", live=True), head, "")
    base = DiffSide(name, _resolve_commit(project, name, stop))
    if query.direct or not head.commit:
        return DiffRequest(base, head, base.commit)
    merge_base = project.git().find_merge_base(base.commit, head.commit, stop)
    if merge_base is None:
        message = "The two refs have no common history here, so their trees were compared directly."
        return DiffRequest(base, head, base.commit, warnings=(message,))
    behind = merge_base == head.commit != base.commit and not head.live
    first, second = display_path(head.ref)[:80], display_path(name)[:80]
    message = f"'{first}' is contained in '{second}'; direct: true compares the two trees."
    return DiffRequest(base, head, merge_base, merge_base, (message,) if behind else ())


def _resolve_commit(project: Project, ref: str, stop: StopCheck | None) -> str:
    try:
        return project.git().resolve(ref, stop)
    except Failure as failure:
        if failure.code != "REF_NOT_INDEXED":
            raise
        name = display_path(ref)
        raise Failure("REF_NOT_INDEXED", f"There is no ref or commit '{name[:100]}'.",
                      {**failure.details, "ref": name[:200]}, hint=failure.effective_hint) from None  # fmt: skip
