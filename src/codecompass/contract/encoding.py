"""Encoding: a value as compact JSON. Apart from decoding, because who only writes need not load what validates."""

import msgspec

_encoder = msgspec.json.Encoder()


def encode(value: object) -> bytes:
    """Compact JSON, UTF-8, on one line."""
    return _encoder.encode(value)
