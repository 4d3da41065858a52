"""Memory summaries: overviews of a project and its modules for newcomers."""

from collections import Counter
from collections.abc import Sequence

from codecompass.engine.memory.claims.claim_checker import ClaimChecker, compute_freshness
from codecompass.engine.memory.conflicts import find_conflicts
from codecompass.engine.memory.corpus import Corpus, CorpusEntry, derive_module, is_in_module
from codecompass.engine.memory.manifests.ci_pipelines import is_ci_file
from codecompass.engine.memory.manifests.manifest_reader import is_manifest
from codecompass.engine.memory.source_weights import SOURCE_PRIORS
from codecompass.engine.search.paths.path_roles import is_test
from codecompass.engine.view.pinned_view import PinnedView
from codecompass.model.memory_values import Discovery, MemoryHit, ModuleMemory, ProjectMemory, SearchCoverage
from codecompass.model.path_text import display_path
from codecompass.model.queries.results import ViewState

_MAX_MODULES = 40
_MAX_SHOWN = 12
_MAX_KEY_FILES = 12
_ENTRY_FILE_NAMES = ("main", "index", "app", "cli", "__init__", "__main__", "mod", "lib", "server", "manage")


def classify_role(path: str) -> str:
    """Classify a file as `entry`, `config`, `test` or `core`."""
    name = path.rpartition("/")[2]
    if is_test(path):
        return "test"
    if is_manifest(path) or is_ci_file(path) or "config" in name.lower() or "settings" in name.lower():
        return "config"
    return "entry" if name.partition(".")[0] in _ENTRY_FILE_NAMES else "core"


def select_best(items: Sequence[CorpusEntry], limit: int) -> list[CorpusEntry]:
    """Select what a newcomer should read first: written decisions and rules before comments and commits."""
    types = {"decision": 0, "rule": 1, "issue": 2, "pattern": 3}
    firm = {"recorded": 0, "adr": 1, "agent_file": 2, "triage": 3, "document": 4, "revert": 5, "comment": 6}

    def order(entry: CorpusEntry) -> tuple[int, int, float, int, str]:
        item = entry.discovery
        kind = item.source.kind
        return firm.get(kind, 7), types.get(item.type, 4), -SOURCE_PRIORS.get(kind, 0), -entry.time, item.id

    return sorted((entry for entry in items if entry.discovery.state == "active"), key=order)[:limit]


def make_hits(corpus: Corpus, items: Sequence[CorpusEntry], checker: ClaimChecker) -> tuple[MemoryHit, ...]:
    """Make hits with verdicts, in the given order."""
    found = []
    for entry in items:
        verdicts = checker.check(entry)
        fresh = compute_freshness(entry.discovery, verdicts)
        found.append(MemoryHit(entry.discovery, 1.0, (), fresh, verdicts, find_conflicts(corpus, entry)))
    return tuple(found)


def add_blame(item: Discovery, entry: CorpusEntry, checker: ClaimChecker) -> Discovery:
    """Add the author, date and commit of its lines to a discovery from a file."""
    commit, _ = checker.line_blame.find_commit(entry)
    if commit is None:
        return item
    source = item.source._replace(commit=commit.id)
    return item._replace(date=commit.date, author=item.author or commit.author, source=source)


def count_modules(view: PinnedView) -> Counter[str]:
    """Count the files of each module."""
    return Counter(name for path, entry in view.entries.items() if entry.blob and (name := derive_module(path)))


def summarize_project(
    name: str, view: PinnedView, corpus: Corpus, checker: ClaimChecker, state: ViewState, searched: SearchCoverage
) -> ProjectMemory:
    counts: dict[str, dict[str, int]] = {}
    for entry in corpus.items:
        if entry.discovery.state == "active":
            row = counts.setdefault(entry.discovery.type, {})
            row[entry.discovery.source.kind] = row.get(entry.discovery.source.kind, 0) + 1
    return ProjectMemory(
        name, view.row.files, view.snapshot.language_counts(view.row), detect_stack(checker),
        tuple((display_path(one), count) for one, count in count_modules(view).most_common(_MAX_MODULES)), counts,
        make_hits(corpus, select_best(corpus.items, _MAX_SHOWN), checker), searched, state,
    )  # fmt: skip


def detect_stack(checker: ClaimChecker) -> tuple[tuple[str, str], ...]:
    """Detect runtimes, package managers and commands from the manifests near the root."""
    found: dict[str, str] = {}
    for path, manifest in checker.view_tree.read_root_manifests().items():
        if path.count("/") > 1:
            continue
        if manifest.runtime:
            found.setdefault(f"runtime ({display_path(path)})", manifest.runtime)
        for slot, value in manifest.slots:
            found.setdefault(slot, value)
        for script, command in manifest.scripts:
            if script in ("test", "build", "lint", "start", "dev", "check", "format"):
                found.setdefault(f"{script} ({display_path(path)})", command[:160])
    return tuple(found.items())[:20]


def summarize_module(name: str, view: PinnedView, corpus: Corpus, checker: ClaimChecker) -> ModuleMemory | None:
    """Summarize one module; None if it has no files."""
    wanted = name.strip("/")
    paths = [path for path, entry in sorted(view.entries.items()) if entry.blob and _is_inside(path, wanted)]
    if not paths:
        return None
    entries = [one for one in corpus.items if is_in_module(one, wanted) and one.discovery.state == "active"]
    sizes = {path: view.entries[path].size for path in paths}
    roles = {"entry": 0, "core": 1, "config": 2, "test": 3}
    key = sorted(paths, key=lambda path: (roles[classify_role(path)], -sizes[path], path))[:_MAX_KEY_FILES]
    return ModuleMemory(
        display_path(wanted),
        len(paths),
        dict(Counter(view.language_of(path) or "text" for path in paths).most_common(8)),
        tuple((display_path(path), classify_role(path)) for path in key),
        make_hits(corpus, select_best(entries, _MAX_SHOWN), checker),
        dict(Counter(one.discovery.type for one in entries)),
    )


def _is_inside(path: str, wanted: str) -> bool:
    plain = wanted.replace("::", "/").casefold()
    plain = plain if "/" in plain else plain.replace(".", "/")
    home, stem = path.rpartition("/")[0].casefold(), path.rpartition(".")[0].casefold()
    return f"/{plain}/" in f"/{home}/" or f"/{plain}/" in f"/{stem}/"
