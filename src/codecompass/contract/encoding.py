"""JSON encoder. Separate from the codec, so that code that only writes does not load the validator."""

import msgspec

_encoder = msgspec.json.Encoder()


def encode(value: object) -> bytes:
    """Encode a value as compact JSON: UTF-8, on one line."""
    return _encoder.encode(value)
