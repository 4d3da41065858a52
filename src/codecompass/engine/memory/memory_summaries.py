"""Memory summaries: overviews of a project and its modules for newcomers."""

from collections import Counter
from collections.abc import Sequence

from codecompass.engine.memory.claims.claim_checker import Judge, freshness_of
from codecompass.engine.memory.conflicts import conflicts_of
from codecompass.engine.memory.corpus import Corpus, Kept, in_module, module_of
from codecompass.engine.memory.manifests.ci_pipelines import is_ci
from codecompass.engine.memory.manifests.manifest_reader import is_manifest
from codecompass.engine.memory.search.memory_tokens import PRIORS
from codecompass.engine.search.paths.path_roles import roles_of
from codecompass.engine.view.pinned_view import PinnedView, shown
from codecompass.model.memory_values import Discovery, MemoryHit, ModuleMemory, ProjectMemory, Searched
from codecompass.model.queries.results import ViewState

_MODULES = 40
_SHOWN = 12
_KEY_FILES = 12
_ENTRIES = ("main", "index", "app", "cli", "__init__", "__main__", "mod", "lib", "server", "manage")


def role_of(path: str) -> str:
    """Classify a file as `entry`, `config`, `test` or `core`."""
    name = path.rpartition("/")[2]
    if any(role.name == "test" for role in roles_of(path)):
        return "test"
    if is_manifest(path) or is_ci(path) or "config" in name.lower() or "settings" in name.lower():
        return "config"
    return "entry" if name.partition(".")[0] in _ENTRIES else "core"


def best(items: Sequence[Kept], limit: int) -> list[Kept]:
    """Select what a newcomer should read first: written decisions and rules before comments and commits."""
    types = {"decision": 0, "rule": 1, "issue": 2, "pattern": 3}
    firm = {"recorded": 0, "adr": 1, "agent_file": 2, "triage": 3, "document": 4, "revert": 5, "comment": 6}

    def order(entry: Kept) -> tuple[int, int, float, int, str]:
        item = entry.discovery
        kind = item.source.kind
        return firm.get(kind, 7), types.get(item.type, 4), -PRIORS.get(kind, 0), -entry.time, item.id

    return sorted((entry for entry in items if entry.discovery.state == "active"), key=order)[:limit]


def hits_of(corpus: Corpus, items: Sequence[Kept], checker: Judge) -> tuple[MemoryHit, ...]:
    """Make hits with verdicts, in the given order."""
    found = []
    for entry in items:
        verdicts = checker.judge(entry)
        fresh = freshness_of(entry.discovery, verdicts)
        found.append(MemoryHit(entry.discovery, 1.0, (), fresh, verdicts, conflicts_of(corpus, entry)))
    return tuple(found)


def dated(item: Discovery, entry: Kept, checker: Judge) -> Discovery:
    """Add the author, date and commit of its lines to a discovery from a file."""
    commit, _ = checker.births.commit_of(entry)
    if commit is None:
        return item
    source = item.source._replace(commit=commit.id)
    return item._replace(date=commit.date, author=item.author or commit.author, source=source)


def modules_of(view: PinnedView) -> Counter[str]:
    """Count the files of each module."""
    return Counter(name for path, entry in view.entries.items() if entry.blob and (name := module_of(path)))


def project_memory(
    name: str, view: PinnedView, corpus: Corpus, checker: Judge, state: ViewState, searched: Searched
) -> ProjectMemory:
    counts: dict[str, dict[str, int]] = {}
    for entry in corpus.items:
        if entry.discovery.state == "active":
            row = counts.setdefault(entry.discovery.type, {})
            row[entry.discovery.source.kind] = row.get(entry.discovery.source.kind, 0) + 1
    return ProjectMemory(
        name, view.row.files, view.snapshot.language_counts(view.row), stack_of(checker),
        tuple((shown(one), count) for one, count in modules_of(view).most_common(_MODULES)), counts,
        hits_of(corpus, best(corpus.items, _SHOWN), checker), searched, state,
    )  # fmt: skip


def stack_of(checker: Judge) -> tuple[tuple[str, str], ...]:
    """Detect runtimes, package managers and commands from the manifests near the root."""
    found: dict[str, str] = {}
    for path, manifest in checker.present.manifests().items():
        if path.count("/") > 1:
            continue
        if manifest.runtime:
            found.setdefault(f"runtime ({shown(path)})", manifest.runtime)
        for slot, value in manifest.slots:
            found.setdefault(slot, value)
        for script, command in manifest.scripts:
            if script in ("test", "build", "lint", "start", "dev", "check", "format"):
                found.setdefault(f"{script} ({shown(path)})", command[:160])
    return tuple(found.items())[:20]


def module_memory(name: str, view: PinnedView, corpus: Corpus, checker: Judge) -> ModuleMemory | None:
    """Summarize one module; None if it has no files."""
    wanted = name.strip("/")
    paths = [path for path, entry in sorted(view.entries.items()) if entry.blob and _inside(path, wanted)]
    if not paths:
        return None
    entries = [one for one in corpus.items if in_module(one, wanted) and one.discovery.state == "active"]
    sizes = {path: view.entries[path].size for path in paths}
    roles = {"entry": 0, "core": 1, "config": 2, "test": 3}
    key = sorted(paths, key=lambda path: (roles[role_of(path)], -sizes[path], path))[:_KEY_FILES]
    return ModuleMemory(
        shown(wanted), len(paths), dict(Counter(view.language_of(path) or "text" for path in paths).most_common(8)),
        tuple((shown(path), role_of(path)) for path in key), hits_of(corpus, best(entries, _SHOWN), checker),
        dict(Counter(one.discovery.type for one in entries)),
    )  # fmt: skip


def _inside(path: str, wanted: str) -> bool:
    plain = wanted.replace("::", "/").casefold()
    plain = plain if "/" in plain else plain.replace(".", "/")
    home, stem = path.rpartition("/")[0].casefold(), path.rpartition(".")[0].casefold()
    return f"/{plain}/" in f"/{home}/" or f"/{plain}/" in f"/{stem}/"
