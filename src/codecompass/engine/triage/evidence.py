"""Evidence: gather what the repository contains about a finding.

This is manifests that name its package, files that import it, calls of its vulnerable symbols, the reported lines, and
search results in code and documents.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from codecompass.engine.navigation.imports.module_index import get_module_index
from codecompass.engine.navigation.resolver.resolver import Resolver
from codecompass.engine.navigation.uses.references import Mention
from codecompass.engine.triage.package_names import ModuleName, is_manifest, module_names, names_package, spellings
from codecompass.engine.view.pinned_view import PinnedView, shown
from codecompass.engine.workspace.project import Project
from codecompass.languages.extraction.name_chains import LOCAL
from codecompass.model.call import Call
from codecompass.model.code.facts import Import
from codecompass.model.queries.results import Hit, Hits
from codecompass.model.triage_values import EvidenceHit, EvidenceQuery, Record, Surroundings, Trace

MANIFEST_LINES = 30
LINES_EACH = 5
"""Maximum lines of one manifest: a lock file names a package many times."""
IMPORTS = 50
CALLS = 50
PLACES = 20
AROUND = 2
HITS = 5
TEXT = 240
MOST_FILES = 5_000
"""Maximum files with a package's name to search for imports."""
CALLING = frozenset(("call", "instance", "decorator", "throw"))
_HEAD = re.compile(r"[.(\[/\\]|::?|->|\?\.")
"""Separates the names of a member chain."""
_LAST_NAME = re.compile(r"[A-Za-z_$][\w$]*(?=[^\w$]*$)")
MODES = ("code", "prose", "extracted-prose")


@dataclass
class Gatherer:
    """Gathers evidence for one finding from one view."""

    project: Project
    view: PinnedView
    record: Record
    call: Call
    left_out: Counter[str] = field(default_factory=Counter)
    warnings: list[str] = field(default_factory=list)
    _lines: dict[str, list[str]] = field(default_factory=dict)

    @cached_property
    def _modules(self) -> tuple[ModuleName, ...]:
        package = self.record.package
        return module_names(package.name, package.ecosystem, package.modules)

    def gather(self, ask: Callable[[str, str], Hits]) -> Surroundings:
        package = self.record.package
        manifests = self._kept("manifests", self._manifests(), MANIFEST_LINES) if package.name else ()
        importing = list(self._imports())
        imports = self._kept("imports", iter(importing), IMPORTS)
        calls = self._kept("calls", self._calls({trace.path for trace in importing}), CALLS)
        places = self._kept("places", self._places(), PLACES)
        queries = tuple(self._queries(ask))
        return Surroundings(
            manifests, imports, calls, places, queries, dict(self.left_out), tuple(dict.fromkeys(self.warnings))
        )

    def _kept(self, name: str, traces: Iterator[Trace], most: int) -> tuple[Trace, ...]:
        found = list(dict.fromkeys(traces))
        if len(found) > most:
            self.left_out[name] += len(found) - most
        return tuple(found[:most])

    # -- manifests -------------------------------------------------------------------------------------------------

    def _manifests(self) -> Iterator[Trace]:
        package = self.record.package
        paths = [path for path, entry in self.view.entries.items() if entry.blob and is_manifest(path)]
        # The manifest that the finding names comes first, then those nearest to the root.
        named = package.manifest_path.strip("/")
        paths.sort(key=lambda path: (path != named, path.count("/"), path))
        for path in paths:
            self.call.check()
            hits = [
                (number, line)
                for number, line in enumerate(self._source(path), 1)
                if names_package(line, package.name, package.ecosystem)
            ]
            if len(hits) > LINES_EACH:
                self.left_out["manifests"] += len(hits) - LINES_EACH
            for number, line in hits[:LINES_EACH]:
                yield self._trace(path, number, line, f"names {package.name}")
        if named and named not in self.view.entries:
            self.warnings.append(f"The finding names the manifest {named!r}, which is not in the view.")

    # -- imports and calls -----------------------------------------------------------------------------------------

    def _imports(self) -> Iterator[Trace]:
        for path in sorted(self._holding(spellings(self._modules))):
            self.call.check()
            for item in self.view.facts(path).imports:
                if self._is_ours(item):
                    yield self._trace(path, item.line, "", f"imports {item.module}")

    def _holding(self, words: tuple[str, ...]) -> set[str]:
        """Return files that may contain one of the words, from the trigram index where possible."""
        found: set[str] = set()
        for word in words:
            blobs = self.view.snapshot.blobs_containing(word, self.view.row, MOST_FILES)
            if blobs is None:
                blobs = set(sorted(self.view.paths)[:MOST_FILES])
                if len(self.view.paths) > MOST_FILES:
                    self.warnings.append(f"Only {MOST_FILES:,} files were searched for imports.")
            found |= {path for blob in blobs for path in self.view.paths.get(blob, ())}
        return found

    def _calls(self, importing: set[str]) -> Iterator[Trace]:
        """Find calls of the advisory's vulnerable symbols in files that import the package."""
        if not self.record.vuln.symbols:
            return
        resolver = Resolver(self.view, get_module_index(self.project, self.view))
        for symbol in self.record.vuln.symbols:
            last = _LAST_NAME.search(symbol)
            if last is None:
                continue
            for path, name, mentions in self._mentioned(last[0], importing):
                self.call.check()
                yield from self._called(resolver, path, symbol, name, mentions)

    def _mentioned(self, name: str, importing: set[str]) -> Iterator[tuple[str, str, list[Mention]]]:
        """Find mentions of a name and of its import aliases."""
        aliases: dict[str, set[str]] = {name: set(importing)}
        for path in importing:
            for item in self.view.facts(path).imports:
                if item.name == name and item.alias and item.alias != name:
                    aliases.setdefault(item.alias, set()).add(path)
        for alias, within in aliases.items():
            for blob, mentions in self.view.snapshot.mentions(alias):
                for path in self.view.paths.get(blob, ()):
                    if path in within:
                        yield path, alias, mentions

    def _called(
        self, resolver: Resolver, path: str, symbol: str, name: str, mentions: list[Mention]
    ) -> Iterator[Trace]:
        """Yield calls that may refer to the symbol, not those of project definitions or other modules.

        Certain calls are labelled `calls`, others `may call`.
        """
        ours, others = self._bound(path)
        for role, line, _, owner, receiver in mentions:
            if role not in CALLING or receiver == LOCAL:
                continue
            head = _HEAD.split(receiver)[0] if receiver else name
            if head in others and head not in ours:
                continue
            if resolver.resolve(path, role, name, owner, receiver, line).places:
                continue
            if not receiver and head not in ours and not self._brings_all(path):
                continue
            around = self.view.symbol(path, owner).qualified_name if owner >= 0 else ""
            yield self._trace(path, line, "", f"{'calls' if head in ours else 'may call'} {symbol}", around)

    def _bound(self, path: str) -> tuple[set[str], set[str]]:
        """Return the names that a file binds by importing the package, and those bound by other imports."""
        ours: set[str] = set()
        others: set[str] = set()
        for item in self.view.facts(path).imports:
            names = {item.alias} if item.alias else {item.name} if item.name else set(_HEAD.split(item.module))
            (ours if self._is_ours(item) else others).update(names - {""})
        return ours, others

    def _brings_all(self, path: str) -> bool:
        """Whether an import of the package may bind names that it does not list."""
        return any(item.name in ("", "*") and not item.alias for item in self.view.facts(path).imports
                   if self._is_ours(item))  # fmt: skip

    def _is_ours(self, item: Import) -> bool:
        written = f"{item.module}.{item.name}" if item.name else item.module
        return any(one.fits(item.module) or one.fits(written) for one in self._modules)

    # -- places and questions --------------------------------------------------------------------------------------

    def _places(self) -> Iterator[Trace]:
        """Read the lines that a scanner reported, with some context."""
        for place in self.record.places:
            path = next((one for one in _spellings(place.path) if one in self.view.entries), None)
            if path is None or not self.view.entries[path].blob:
                self.warnings.append(f"The finding points at {place.path!r}, which is not in the view.")
                continue
            source = self._source(path)
            first = max(place.line - AROUND, 1) if place.line else 1
            last = min((place.end_line or place.line or 1) + AROUND, first + 4 * AROUND, len(source))
            for number in range(first, last + 1):
                mark = "reported" if place.line <= number <= max(place.end_line, place.line) else "around"
                yield self._trace(path, number, source[number - 1], mark)

    def _queries(self, ask: Callable[[str, str], Hits]) -> Iterator[EvidenceQuery]:
        """Search code, documents and comments for the ids, the package and the endpoint."""
        vuln, package = self.record.vuln, self.record.package
        words = [vuln.cve, vuln.vuln_id, package.name, self.record.exposure.public_endpoint]
        for word in dict.fromkeys(f'"{one}"' for one in words if one and '"' not in one and len(one) < TEXT):
            for mode in MODES:
                self.call.check()
                found = ask(word, mode)
                exact = () if found.relaxed else found.hits
                if exact:
                    if found.total > len(exact):
                        self.left_out["hits"] += found.total - len(exact)
                    yield EvidenceQuery(word.strip('"'), mode, tuple(map(_hit, exact)), found.total)

    # -- text ------------------------------------------------------------------------------------------------------

    def _trace(self, path: str, line: int, text: str, why: str, symbol: str = "") -> Trace:
        if not text:
            source = self._source(path)
            text = source[line - 1] if 0 < line <= len(source) else ""
        return Trace(shown(path), line, text.strip()[:TEXT], why, symbol)

    def _source(self, path: str) -> list[str]:
        known = self._lines.get(path)
        if known is None:
            found = self.project.reader(self.view).lines(self.view, path)
            if found is None:
                self.warnings.append(f"{shown(path)} has changed since it was indexed; its lines are left out.")
            known = self._lines[path] = found or []
        return known


def _spellings(path: str) -> Iterator[str]:
    """Yield a reported path and its suffixes, because some scanners report absolute paths of their own machine."""
    yield path
    parts = path.lstrip("./").split("/")
    yield from ("/".join(parts[first:]) for first in range(max(len(parts) - 1, 1)))


def _hit(hit: Hit) -> EvidenceHit:
    facts = hit.facts
    return EvidenceHit(hit.path, hit.line_start, hit.kind, hit.name, (facts.doc if facts else "")[:TEXT],
                       round(hit.score, 4), (hit.snippet or hit.signature)[:TEXT])  # fmt: skip
