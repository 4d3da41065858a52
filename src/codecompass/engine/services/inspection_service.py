"""Inspection service: returns all facts of one symbol, and the diagnostics of files."""

from collections import Counter

from codecompass.engine.navigation.imports.module_index import get_module_index
from codecompass.engine.navigation.resolver.resolver import Resolver
from codecompass.engine.navigation.symbols.near_targets import find_near_paths
from codecompass.engine.navigation.symbols.target_symbol import find_target_symbol
from codecompass.engine.results.file_diagnostics import read_diagnostics, select_risks
from codecompass.engine.view.pinned_view import PinnedView
from codecompass.engine.workspace.project_access import ProjectAccess
from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.model.code.facts import Definition
from codecompass.model.code.traits import Traits
from codecompass.model.path_text import display_path, parse_displayed_path
from codecompass.model.queries.symbol_inspection import DiagnosticReport, FileDiagnostic, InspectQuery, SymbolInspection
from codecompass.model.states import FreshnessPolicy


class InspectionService:
    """Reads the extracted facts; resolves no references."""

    def __init__(self, access: ProjectAccess) -> None:
        self._access = access

    def inspect(self, workspace: str | None, query: InspectQuery, call: Call) -> SymbolInspection:
        with self._access.view(workspace, query.ref) as opened:
            project, view = opened.project, opened.view
            meant = find_target_symbol(Resolver(view, get_module_index(project, view)), query.target)
            first = meant.symbol
            item = first.definition
            insight = view.snapshot.analysis(view.entries[first.path].blob)
            traits = next((row for row in insight.traits if row.at == first.position), Traits(first.position))
            messages, linted = read_diagnostics(view, first.path)
            call.step("history", 0)
            history = project.history(view, call)
            history.count_changes((first.path,))
            call.check()
            return SymbolInspection(
                symbol=meant.node,
                visibility=item.visibility,
                doc=item.doc,
                decorators=item.decorators,
                traits=traits,
                diagnostics=tuple(row for row in messages if item.line_start <= row.line <= item.line_end),
                risks=select_risks(insight.risks, first.position),
                linted=linted,
                history=history.file_history(first.path),
                authors=history.line_authors(first.path, item.line_start, item.line_end) if query.authors else None,
                others=meant.others,
                state=self._access.state(opened, query.freshness, (first.path,)),
            )

    def list_diagnostics(
        self,
        workspace: str | None,
        ref: str | None,
        within: tuple[str, ...],
        limit: int,
        freshness: FreshnessPolicy,
        call: Call,
    ) -> DiagnosticReport:
        """Return messages of parsers and linters about the files below `within`, or about all."""
        with self._access.view(workspace, ref) as opened:
            view = opened.view
            rows: list[FileDiagnostic] = []
            codes: Counter[str] = Counter()
            paths = find_paths_below(view, within)
            for number, path in enumerate(paths):
                call.step("files", number, len(paths))
                messages, _ = read_diagnostics(view, path)
                codes.update(row.code for row in messages)
                definitions = view.facts(path).definitions if messages and len(rows) < limit else ()
                remaining = max(limit - len(rows), 0)
                rows += [
                    FileDiagnostic(display_path(path), row, _find_enclosing_name(definitions, row.line))
                    for row in messages[:remaining]
                ]
            state = self._access.state(opened, freshness, tuple({row.path for row in rows}))
            return DiagnosticReport(tuple(rows), codes.total(), dict(codes.most_common()), len(paths), state)


def find_paths_below(view: PinnedView, within: tuple[str, ...]) -> list[str]:
    """Return the indexed files at or below the given paths; all without any."""
    every = sorted(path for path, entry in view.entries.items() if entry.blob)
    if not within:
        return every
    wanted = [parse_displayed_path(word).replace("\\", "/").removeprefix("./").strip("/") for word in within]
    found = [path for path in every if any(path == one or path.startswith(one + "/") or not one for one in wanted)]
    if not found:
        name = within[0][:200]
        near = find_near_paths(view, wanted[0], directories=True)
        raise Failure("FILE_NOT_FOUND", f"No indexed file is at or below '{name}'.",
                      {"path": name, **({"near": near} if near else {})},
                      hint="Use one of the paths in `near`." if near else "")  # fmt: skip
    return found


def _find_enclosing_name(definitions: tuple[Definition, ...], line: int) -> str:
    """Return the qualified name of the innermost definition around a line."""
    found = ""
    for item in definitions:
        if item.line_start > line:
            break
        if line <= item.line_end:
            found = ".".join(part for part in (item.scope, item.name) if part)
    return found
