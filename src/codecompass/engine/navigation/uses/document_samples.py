"""Document samples: find uses of a symbol in the code blocks of documents and in examples after prompts.

A sample is not a complete program: it may lack its imports, and no resolver reads the document that contains it. Its
imports are followed; every other match by name is listed as unresolved.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from codecompass.engine.navigation.resolver.resolver import Resolver
from codecompass.engine.navigation.symbols.reexports import find_reexported
from codecompass.engine.navigation.uses.prompt_examples import find_example_files, read_examples
from codecompass.engine.navigation.uses.references import UseSite
from codecompass.engine.view.file_modes import CODE, detect_mode
from codecompass.engine.view.pinned_view import ContentReader, PinnedView, Symbol
from codecompass.languages.extraction.name_chains import LOCAL, UNKNOWN
from codecompass.languages.language_spec import LanguageSpec
from codecompass.languages.qualified_names import get_bound_name
from codecompass.model.call import Call
from codecompass.model.code.facts import Facts, Import
from codecompass.model.states import RESOLUTIONS, Resolution

Mention = tuple[str, int, int, int, str]


def is_document(view: PinnedView, path: str) -> bool:
    """Return whether a file is prose that may contain code, rather than code."""
    return detect_mode(path, view.language_of(path), looks_like_records=False) != CODE


def find_sample_uses(resolver: Resolver, symbol: Symbol, reader: ContentReader, call: Call) -> list[UseSite]:
    """Return uses in the code blocks of documents and in examples after prompts, certain ones first."""
    view, name = resolver.view, symbol.definition.name
    classifier = _SampleClassifier(resolver, symbol)
    found: list[UseSite] = []
    for blob, mentions in view.snapshot.mentions(name):
        for path in view.paths.get(blob, ()):
            if not is_document(view, path):
                continue
            facts = view.facts(path)
            for mention in mentions:
                call.check()
                role, line, column, owner, _ = mention
                certainty = classifier.classify(facts, mention)
                if certainty:
                    found.append(UseSite(path, line, column, role, certainty, owner, 1, name, in_document=True))
    listed = {(use.path, use.line, use.column) for use in found}
    found += [
        use for use in _find_example_uses(classifier, reader, call) if (use.path, use.line, use.column) not in listed
    ]
    return sorted(found, key=lambda use: (RESOLUTIONS.index(use.resolution), use.path, use.line, use.column))


def _find_example_uses(classifier: "_SampleClassifier", reader: ContentReader, call: Call) -> Iterator[UseSite]:
    """Yield uses after the prompts of the symbol's language."""
    symbol, view = classifier.symbol, classifier.resolver.view
    language = view.registry.get(view.language_of(symbol.path))
    if language is None or not language.spec.prompts:
        return
    name = symbol.definition.name
    for path in find_example_files(view, language, name):
        call.check()
        facts = read_examples(view, reader, language, path, name)
        for item in facts.references if facts is not None else ():
            if item.name != name or facts is None:
                continue
            certainty = classifier.classify(facts, (item.role, item.line, item.col, item.owner, item.receiver))
            if certainty:
                owner = _find_owner(view, path, item.line)
                yield UseSite(path, item.line, item.col, item.role, certainty, owner, 1, name, in_document=True)


def _find_owner(view: PinnedView, path: str, line: int) -> int:
    """Return the position of the innermost definition around a line, or -1."""
    around = [
        (item.line_start, position)
        for position, item in enumerate(view.facts(path).definitions)
        if item.line_start <= line <= item.line_end
    ]
    return max(around)[1] if around else -1


@dataclass
class _SampleClassifier:
    """Classifies how certainly mentions in samples refer to one symbol."""

    resolver: Resolver
    symbol: Symbol
    _resolutions: dict[str, Resolution | Literal[""]] = field(default_factory=dict)

    def classify(self, facts: Facts, mention: Mention) -> Resolution | Literal[""]:
        """Return one of RESOLUTIONS, or empty if the mention refers to something else."""
        role, line, _, _, receiver = mention
        spec = self._find_language(facts, line)
        scope = self.resolver.scope(self.symbol.path)
        if spec is None or spec.resolve.imports != scope.rule.imports or receiver == LOCAL:
            return ""
        name = self.symbol.definition.name
        own_imports = (item for item in facts.imports if self._find_language(facts, item.line) == spec)
        imports = {get_bound_name(spec, item): item for item in own_imports}
        if role == "import":
            own = [item for item in facts.imports if item.line == line and name in (item.name, item.alias)]
            return self._resolve_import(own[0], []) if own else ""
        if not receiver:
            if name in imports:
                return self._resolve_import(imports[name], [])
            return "" if self._is_member else "unresolved"
        return self._resolve_member(receiver, imports)

    def _resolve_member(self, receiver: str, imports: dict[str, Import]) -> Resolution | Literal[""]:
        """Resolve a name after a receiver, as far as the imports of the document allow."""
        unknown: Resolution | Literal[""] = "unresolved" if self._is_member else ""
        if receiver.startswith((LOCAL, UNKNOWN)) or any(char in receiver for char in "()[]"):
            return unknown
        head, *rest = receiver.split(".")
        name = self.symbol.definition.name
        if head in imports:
            return self._resolve_import(imports[head], [*rest, name])
        return self._resolve_path(".".join((receiver, name))) or unknown

    def _resolve_import(self, item: Import, rest: list[str]) -> Resolution | Literal[""]:
        if item.module.startswith("."):
            return "unresolved"  # the location of the sample is unknown
        named = [item.name] if item.name not in ("", "*") else []
        return self._resolve_path(".".join([item.module, *named, *rest]))

    def _resolve_path(self, path: str) -> Resolution | Literal[""]:
        """Return how certainly a full path leads to the symbol; empty if it does not."""
        if path not in self._resolutions:
            definition, wanted = self.symbol.definition, self.symbol
            places = {
                (one.symbol.path, one.symbol.definition.scope, one.symbol.definition.name)
                for one in find_reexported(self.resolver, path)
            }
            own = (wanted.path, definition.scope, definition.name) in places
            self._resolutions[path] = ("resolved" if len(places) == 1 else "ambiguous") if own else ""
        return self._resolutions[path]

    @property
    def _is_member(self) -> bool:
        scope = self.resolver.scope(self.symbol.path)
        return scope.find_container(self.symbol.position) >= 0 or bool(self.symbol.definition.scope)

    def _find_language(self, facts: Facts, line: int) -> LanguageSpec | None:
        """Return the language of the innermost sample around a line."""
        around = [item for item in facts.segments if item.line_start <= line <= item.line_end]
        return self.resolver.view.spec(around[-1].language) if around else None
