"""Packing: facts and places as bytes, the same for every store: arrays without field names, Zstandard-compressed."""

from collections.abc import Iterable

import msgspec
import xxhash
import zstandard

from codecompass.model.code import ROLES, Facts, Reference, Uses, Values

_LEVEL = 3
_ROLE_CODE = {role: code for code, role in enumerate(ROLES)}
_ENCODER = msgspec.msgpack.Encoder()
_FACTS = msgspec.msgpack.Decoder(Facts)
_USES = msgspec.msgpack.Decoder(Uses)
_VALUES = msgspec.msgpack.Decoder(Values)
_PLACES = msgspec.msgpack.Decoder(tuple[list[int], list[str]])


class Packer:
    """Packs facts with one compressor; making a compressor costs more than most packs. For one thread."""

    def __init__(self) -> None:
        self._compressor = zstandard.ZstdCompressor(level=_LEVEL)

    def pack(self, facts: Facts) -> tuple[bytes, bytes, bytes]:
        """Facts, uses and values apart: most questions need only the first, following a name the first and the last."""
        uses = Uses(facts.references, facts.comments)
        values = Values(facts.bindings, tuple(item for item in facts.references if item.role == "inherit"))
        rest = facts._replace(references=(), comments=(), bindings=())
        compress = self._compressor.compress
        return compress(_ENCODER.encode(rest)), compress(_ENCODER.encode(uses)), compress(_ENCODER.encode(values))


def unpack_facts(pack: bytes) -> Facts:
    return _FACTS.decode(zstandard.ZstdDecompressor().decompress(pack))


def unpack_uses(pack: bytes) -> Uses:
    return _USES.decode(zstandard.ZstdDecompressor().decompress(pack))


def unpack_values(pack: bytes) -> Values:
    return _VALUES.decode(zstandard.ZstdDecompressor().decompress(pack))


def name_key(name: str) -> int:
    """The key of a name in `mentions`; SQLite integers are signed, hence 63 bits."""
    return xxhash.xxh3_64_intdigest(name.encode("utf-8", "surrogatepass")) >> 1


def pack_mentions(references: Iterable[Reference]) -> list[tuple[int, bytes]]:
    """Mentions grouped by name: (key, packed role, line, column, owner and receiver of each).

    Receivers repeat, so each stands once and is named by its number.
    """
    places: dict[str, tuple[list[int], dict[str, int]]] = {}
    for item in references:
        numbers, receivers = places.setdefault(item.name, ([], {}))
        at = receivers.setdefault(item.receiver, len(receivers))
        numbers.extend((_ROLE_CODE[item.role], item.line, item.col, item.owner, at))
    return [(name_key(name), _ENCODER.encode((one, list(two)))) for name, (one, two) in places.items()]


def unpack_mentions(packed: bytes) -> list[tuple[str, int, int, int, str]]:
    """(role, line, column, owner, receiver) of each mention."""
    plain, receivers = _PLACES.decode(packed)
    numbers = iter(plain)
    return [
        (ROLES[role], line, col, owner, receivers[at])
        for role, line, col, owner, at in zip(numbers, numbers, numbers, numbers, numbers, strict=True)
    ]
