"""Evidence: gather what the repository contains about a finding.

This is manifests that name its package, files that import it, calls of its vulnerable symbols, the reported lines, and
search results in code and documents.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from codecompass.engine.navigation.imports.module_index import get_module_index
from codecompass.engine.navigation.resolver.resolver import Resolver
from codecompass.engine.navigation.uses.references import Mention
from codecompass.engine.triage.package_names import (
    ModuleName,
    find_module_names,
    find_search_words,
    is_manifest,
    names_package,
)
from codecompass.engine.triage.package_reexports import ReexportedName, find_reexported_names
from codecompass.engine.view.pinned_view import PinnedView
from codecompass.engine.workspace.project import Project
from codecompass.languages.extraction.name_chains import LOCAL
from codecompass.model.call import Call
from codecompass.model.code.facts import Import
from codecompass.model.path_text import display_path
from codecompass.model.queries.results import Hit, Hits
from codecompass.model.states import TextMode
from codecompass.model.triage_values import EvidenceHit, EvidenceLine, EvidenceQuery, RepositoryEvidence, TriageRecord

MAX_MANIFEST_LINES = 30
MAX_LINES_PER_MANIFEST = 5
"""Maximum lines of one manifest: a lock file names a package many times."""
MAX_IMPORTS = 50
MAX_CALLS = 50
MAX_PLACES = 20
CONTEXT_LINES = 2
MAX_HITS = 5
MAX_TEXT = 240
MAX_FILES = 5_000
"""Maximum files with a package's name to search for imports."""
CALL_ROLES = frozenset(("call", "instance", "decorator", "throw"))
_CHAIN_SEPARATOR = re.compile(r"[.(\[/\\]|::?|->|\?\.")
"""Separates the names of a member chain."""
_LAST_NAME = re.compile(r"[A-Za-z_$][\w$]*(?=[^\w$]*$)")
SEARCH_MODES: tuple[TextMode, ...] = ("code", "prose", "extracted-prose")


@dataclass
class EvidenceGatherer:
    """Gathers evidence for one finding from one view."""

    project: Project
    view: PinnedView
    record: TriageRecord
    call: Call
    left_out: Counter[str] = field(default_factory=Counter)
    warnings: list[str] = field(default_factory=list)
    _lines: dict[str, list[str]] = field(default_factory=dict)
    _reexported: dict[str, dict[str, ReexportedName]] = field(default_factory=dict)

    @cached_property
    def _resolver(self) -> Resolver:
        return Resolver(self.view, get_module_index(self.project, self.view))

    @cached_property
    def _modules(self) -> tuple[ModuleName, ...]:
        package = self.record.package
        return find_module_names(package.name, package.ecosystem, package.modules)

    def gather(self, ask: Callable[[str, TextMode], Hits]) -> RepositoryEvidence:
        package = self.record.package
        manifests = (
            self._limit_traces("manifests", self._find_manifest_lines(), MAX_MANIFEST_LINES) if package.name else ()
        )
        paths = {path: list(items) for path, items in self._find_imports()}
        self._reexported = find_reexported_names(self._resolver, paths, self._is_package_import)
        imports = self._limit_traces("imports", self._trace_imports(paths), MAX_IMPORTS)
        calls = self._limit_traces("calls", self._find_calls({*paths, *self._reexported}), MAX_CALLS)
        places = self._limit_traces("places", self._read_reported_lines(), MAX_PLACES)
        queries = tuple(self._run_queries(ask))
        return RepositoryEvidence(
            manifests, imports, calls, places, queries, dict(self.left_out), tuple(dict.fromkeys(self.warnings))
        )

    def _limit_traces(self, name: str, traces: Iterator[EvidenceLine], most: int) -> tuple[EvidenceLine, ...]:
        found = list(dict.fromkeys(traces))
        if len(found) > most:
            self.left_out[name] += len(found) - most
        return tuple(found[:most])

    # -- manifests -------------------------------------------------------------------------------------------------

    def _find_manifest_lines(self) -> Iterator[EvidenceLine]:
        package = self.record.package
        paths = [path for path, entry in self.view.entries.items() if entry.blob and is_manifest(path)]
        # The manifest that the finding names comes first, then those nearest to the root.
        named = package.manifest_path.strip("/")
        paths.sort(key=lambda path: (path != named, path.count("/"), path))
        for path in paths:
            self.call.check()
            hits = [
                (number, line)
                for number, line in enumerate(self._read_lines(path), 1)
                if names_package(line, package.name, package.ecosystem)
            ]
            if len(hits) > MAX_LINES_PER_MANIFEST:
                self.left_out["manifests"] += len(hits) - MAX_LINES_PER_MANIFEST
            for number, line in hits[:MAX_LINES_PER_MANIFEST]:
                yield self._make_trace(path, number, line, f"names {package.name}")
        if named and named not in self.view.entries:
            self.warnings.append(f"The finding names the manifest {named!r}, which is not in the view.")

    # -- imports and calls -----------------------------------------------------------------------------------------

    def _find_imports(self) -> Iterator[tuple[str, list[Import]]]:
        """Yield the files that import the package, with these imports."""
        for path in sorted(self._find_files_containing(find_search_words(self._modules))):
            self.call.check()
            items = [item for item in self.view.facts(path).imports if self._is_package_import(item)]
            if items:
                yield path, items

    def _trace_imports(self, importing: Mapping[str, list[Import]]) -> Iterator[EvidenceLine]:
        """Yield the imports of the package, then those of its names through other files of the project."""
        for path, items in importing.items():
            yield from (self._make_trace(path, item.line, "", f"imports {item.module}") for item in items)
        for path, names in sorted(self._reexported.items()):
            for one in names.values():
                why = f"imports {one.original} through {display_path(one.through)}"
                yield self._make_trace(path, one.line, "", why)

    def _find_files_containing(self, words: tuple[str, ...]) -> set[str]:
        """Return files that may contain one of the words, from the trigram index where possible."""
        found: set[str] = set()
        for word in words:
            blobs = self.view.snapshot.find_blobs_containing(word, self.view.row, MAX_FILES)
            if blobs is None:
                blobs = set(sorted(self.view.paths)[:MAX_FILES])
                if len(self.view.paths) > MAX_FILES:
                    self.warnings.append(f"Only {MAX_FILES:,} files were searched for imports.")
            found |= {path for blob in blobs for path in self.view.paths.get(blob, ())}
        return found

    def _find_calls(self, importing: set[str]) -> Iterator[EvidenceLine]:
        """Find calls of the advisory's vulnerable symbols in files that import the package."""
        for symbol in self.record.vuln.symbols:
            last = _LAST_NAME.search(symbol)
            if last is None:
                continue
            for path, name, mentions in self._find_mentions(last[0], importing):
                self.call.check()
                yield from self._filter_calls(self._resolver, path, symbol, name, mentions)

    def _find_mentions(self, name: str, importing: set[str]) -> Iterator[tuple[str, str, list[Mention]]]:
        """Find mentions of a name and of its import aliases."""
        aliases: dict[str, set[str]] = {name: set(importing)}
        for path in sorted(importing):
            for item in self.view.facts(path).imports:
                if item.name == name and item.alias and item.alias != name:
                    aliases.setdefault(item.alias, set()).add(path)
            for bound, one in self._reexported.get(path, {}).items():
                if one.original == name:
                    aliases.setdefault(bound, set()).add(path)
        for alias, within in aliases.items():
            for blob, mentions in self.view.snapshot.mentions(alias):
                for path in self.view.paths.get(blob, ()):
                    if path in within:
                        yield path, alias, mentions

    def _filter_calls(
        self, resolver: Resolver, path: str, symbol: str, name: str, mentions: list[Mention]
    ) -> Iterator[EvidenceLine]:
        """Yield calls that may refer to the symbol, not those of project definitions or other modules.

        Certain calls are labelled `calls`, others `may call`.
        """
        ours, others = self._collect_bound_names(path)
        for role, line, _, owner, receiver in mentions:
            if role not in CALL_ROLES or receiver == LOCAL:
                continue
            head = _CHAIN_SEPARATOR.split(receiver)[0] if receiver else name
            if head in others and head not in ours:
                continue
            if resolver.resolve(path, role, name, owner, receiver, line).places:
                continue
            if not receiver and head not in ours and not self._may_bind_all(path):
                continue
            around = self.view.symbol(path, owner).qualified_name if owner >= 0 else ""
            yield self._make_trace(path, line, "", f"{'calls' if head in ours else 'may call'} {symbol}", around)

    def _collect_bound_names(self, path: str) -> tuple[set[str], set[str]]:
        """Return the names that a file binds by importing the package, and those bound by other imports."""
        ours: set[str] = set()
        others: set[str] = set()
        for item in self.view.facts(path).imports:
            names = (
                {item.alias} if item.alias else {item.name} if item.name else set(_CHAIN_SEPARATOR.split(item.module))
            )
            (ours if self._is_package_import(item) else others).update(names - {""})
        return ours | self._reexported.get(path, {}).keys(), others

    def _may_bind_all(self, path: str) -> bool:
        """Whether an import of the package may bind names that it does not list."""
        return any(item.name in ("", "*") and not item.alias for item in self.view.facts(path).imports
                   if self._is_package_import(item))  # fmt: skip

    def _is_package_import(self, item: Import) -> bool:
        written = f"{item.module}.{item.name}" if item.name else item.module
        return any(one.matches(item.module) or one.matches(written) for one in self._modules)

    # -- places and questions --------------------------------------------------------------------------------------

    def _read_reported_lines(self) -> Iterator[EvidenceLine]:
        """Read the lines that a scanner reported, with some context."""
        for place in self.record.places:
            path = next((one for one in _iter_candidate_paths(place.path) if one in self.view.entries), None)
            if path is None or not self.view.entries[path].blob:
                self.warnings.append(f"The finding points at {place.path!r}, which is not in the view.")
                continue
            source = self._read_lines(path)
            first = max(place.line - CONTEXT_LINES, 1) if place.line else 1
            last = min((place.end_line or place.line or 1) + CONTEXT_LINES, first + 4 * CONTEXT_LINES, len(source))
            for number in range(first, last + 1):
                mark = "reported" if place.line <= number <= max(place.end_line, place.line) else "around"
                yield self._make_trace(path, number, source[number - 1], mark)

    def _run_queries(self, ask: Callable[[str, TextMode], Hits]) -> Iterator[EvidenceQuery]:
        """Search code, documents and comments for the ids, the package and the endpoint."""
        vuln, package = self.record.vuln, self.record.package
        words = [vuln.cve, vuln.vuln_id, package.name, self.record.exposure.public_endpoint]
        for word in dict.fromkeys(f'"{one}"' for one in words if one and '"' not in one and len(one) < MAX_TEXT):
            for mode in SEARCH_MODES:
                self.call.check()
                found = ask(word, mode)
                exact = () if found.relaxed else found.hits
                if exact:
                    if found.total > len(exact):
                        self.left_out["hits"] += found.total - len(exact)
                    yield EvidenceQuery(word.strip('"'), mode, tuple(map(_to_evidence_hit, exact)), found.total)

    # -- text ------------------------------------------------------------------------------------------------------

    def _make_trace(self, path: str, line: int, text: str, why: str, symbol: str = "") -> EvidenceLine:
        if not text:
            source = self._read_lines(path)
            text = source[line - 1] if 0 < line <= len(source) else ""
        return EvidenceLine(display_path(path), line, text.strip()[:MAX_TEXT], why, symbol)

    def _read_lines(self, path: str) -> list[str]:
        known = self._lines.get(path)
        if known is None:
            found = self.project.reader(self.view).read_lines(self.view, path)
            if found is None:
                self.warnings.append(f"{display_path(path)} has changed since it was indexed; its lines are left out.")
            known = self._lines[path] = found or []
        return known


def _iter_candidate_paths(path: str) -> Iterator[str]:
    """Yield a reported path and its suffixes, because some scanners report absolute paths of their own machine."""
    yield path
    parts = path.lstrip("./").split("/")
    yield from ("/".join(parts[first:]) for first in range(max(len(parts) - 1, 1)))


def _to_evidence_hit(hit: Hit) -> EvidenceHit:
    facts = hit.facts
    return EvidenceHit(hit.path, hit.line_start, hit.kind, hit.name, (facts.doc if facts else "")[:MAX_TEXT],
                       round(hit.score, 4), (hit.snippet or hit.signature)[:MAX_TEXT])  # fmt: skip
