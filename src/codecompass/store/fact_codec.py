"""Fact codec: facts and mentions as bytes: MessagePack arrays without field names, Zstandard-compressed."""

from array import array
from collections.abc import Iterable
from sys import intern

import msgspec
import xxhash
import zstandard

from codecompass.model.code.facts import REFERENCE_ROLES, Bindings, DefinitionHeaders, Facts, Reference, References
from codecompass.model.code.risk_facts import Risks
from codecompass.model.code.traits import Analysis, Diagnostic


class _AnalysisRisks(msgspec.Struct, array_like=True):
    """An analysis from which only the risks are decoded."""

    traits: msgspec.Raw
    diagnostics: msgspec.Raw
    risks: Risks = Risks()


_LEVEL = 3
_FAST_LEVEL = -5
_ROLE_CODE = {role: code for code, role in enumerate(REFERENCE_ROLES)}
_ENCODER = msgspec.msgpack.Encoder()
_WORDS = tuple[str, ...]
_HEADS = msgspec.msgpack.Decoder(tuple[str, str, int, _WORDS, _WORDS, _WORDS, list[int]])
_FACTS = msgspec.msgpack.Decoder(Facts)
_USES = msgspec.msgpack.Decoder(References)
_VALUES = msgspec.msgpack.Decoder(Bindings)
_INSIGHT = msgspec.msgpack.Decoder(Analysis)
_LINT = msgspec.msgpack.Decoder(tuple[Diagnostic, ...])
_RISKS = msgspec.msgpack.Decoder(_AnalysisRisks)
_PLACES = msgspec.msgpack.Decoder(tuple[list[int], list[str]])


class Packer:
    """Packs facts with one reused compressor; creating one costs more than most packs. For one thread."""

    def __init__(self) -> None:
        self._compressor = zstandard.ZstdCompressor(level=_LEVEL)

    def pack(self, facts: Facts) -> tuple[bytes, bytes, bytes, bytes, bytes]:
        """Pack facts, references, bindings, analysis and definition headers separately: display needs the first,
        resolving a name also the third, filters the fourth; a search ranks hundreds of files by the last.
        """
        uses = References(facts.references, facts.comments)
        values = Bindings(facts.bindings, tuple(item for item in facts.references if item.role == "inherit"))
        rest = facts._replace(references=(), comments=(), bindings=(), insight=Analysis())
        compress, encode = self._compressor.compress, _ENCODER.encode
        heads = DefinitionHeaders.from_facts(facts)
        columns = (
            heads.language, heads.package, heads.line_count, heads.kinds, heads.names, heads.scopes,
            heads.numbers.tolist(),
        )  # fmt: skip
        return (
            compress(encode(rest)), compress(encode(uses)), compress(encode(values)), compress(encode(facts.insight)),
            compress(encode(columns)),
        )  # fmt: skip

    def pack_document_text(self, text: str) -> bytes:
        """Pack the text of a document."""
        return self._compressor.compress(text.encode("utf-8", "replace"))


class ContentPacker:
    """Compresses file contents for in-memory caches, with a fast level. For one thread."""

    def __init__(self) -> None:
        self._compressor = zstandard.ZstdCompressor(level=_FAST_LEVEL)
        self._decompressor = zstandard.ZstdDecompressor()

    def pack(self, data: bytes) -> bytes:
        return self._compressor.compress(data)

    def unpack(self, pack: bytes) -> bytes:
        return self._decompressor.decompress(pack)


def unpack_facts(pack: bytes) -> Facts:
    return _FACTS.decode(zstandard.ZstdDecompressor().decompress(pack))


def unpack_definition_headers(pack: bytes) -> DefinitionHeaders:
    """Unpack what ranking needs. Names and scopes repeat across files, so strings are interned."""
    language, package, lines, *words, numbers = _HEADS.decode(zstandard.ZstdDecompressor().decompress(pack))
    kinds, names, scopes = (tuple(map(intern, column)) for column in words)
    return DefinitionHeaders(intern(language), package, lines, kinds, names, scopes, array("i", numbers))


def unpack_references(pack: bytes) -> References:
    return _USES.decode(zstandard.ZstdDecompressor().decompress(pack))


def unpack_bindings(pack: bytes) -> Bindings:
    return _VALUES.decode(zstandard.ZstdDecompressor().decompress(pack))


def unpack_risks(pack: bytes) -> Risks:
    """Unpack the risks of an analysis and skip the rest."""
    return _RISKS.decode(zstandard.ZstdDecompressor().decompress(pack)).risks


def unpack_analysis(pack: bytes) -> Analysis:
    return _INSIGHT.decode(zstandard.ZstdDecompressor().decompress(pack))


def unpack_document_text(pack: bytes) -> str:
    return zstandard.ZstdDecompressor().decompress(pack).decode("utf-8", "replace")


def pack_lint(messages: tuple[Diagnostic, ...]) -> bytes:
    return _ENCODER.encode(messages)


def unpack_lint(pack: bytes) -> tuple[Diagnostic, ...]:
    return _LINT.decode(pack)


def hash_name(name: str) -> int:
    """Hash a name to its key in `mentions`; 63 bits, because SQLite integers are signed."""
    return xxhash.xxh3_64_intdigest(name.encode("utf-8", "surrogatepass")) >> 1


def pack_mentions(references: Iterable[Reference]) -> list[tuple[int, bytes]]:
    """Group mentions by name: (key, packed role, line, column, owner and receiver of each).

    Receivers repeat, so each is stored once and referenced by its number.
    """
    places: dict[str, tuple[list[int], dict[str, int]]] = {}
    for item in references:
        numbers, receivers = places.setdefault(item.name, ([], {}))
        at = receivers.setdefault(item.receiver, len(receivers))
        numbers.extend((_ROLE_CODE[item.role], item.line, item.col, item.owner, at))
    return [(hash_name(name), _ENCODER.encode((one, list(two)))) for name, (one, two) in places.items()]


def unpack_mentions(packed: bytes) -> list[tuple[str, int, int, int, str]]:
    """Return (role, line, column, owner, receiver) of each mention."""
    plain, receivers = _PLACES.decode(packed)
    numbers = iter(plain)
    return [
        (REFERENCE_ROLES[role], line, col, owner, receivers[at])
        for role, line, col, owner, at in zip(numbers, numbers, numbers, numbers, numbers, strict=True)
    ]
