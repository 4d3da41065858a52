"""Zstandard stream: read what a compressed file holds, in small steps and to a complete end.

A few compressed bytes may stand for thirty thousand times as many, and the library's own reader takes a truncated frame
for the end. This reader trusts neither.
"""

from typing import BinaryIO

import zstandard

MAX_READ_BYTES = 1 << 20
_INPUT_BYTES = 256
"""Compressed bytes that are decompressed at a time, so that no step makes more than a few megabytes."""


class ZstdStream:
    """Reader of consecutive frames. A frame that is cut short raises `EOFError`, a damaged one `ZstdError`."""

    def __init__(self, packed: BinaryIO, max_window: int) -> None:
        """`max_window` bounds the memory that a frame can require."""
        self._packed = packed
        self._max_window = max_window
        self._frame: zstandard.ZstdDecompressionObj | None = None
        self._input = b""
        self._output = memoryview(b"")
        self.frames = 0
        """Frames that were begun."""

    def read(self, size: int = -1) -> bytes:
        """Return some bytes, at most `size` and at most a megabyte; none at the end of a complete stream."""
        want = size if 0 <= size <= MAX_READ_BYTES else MAX_READ_BYTES
        while not self._output and self._decompress_step():
            pass
        data, self._output = bytes(self._output[:want]), self._output[want:]
        return data

    def _decompress_step(self) -> bool:
        self._input = self._input or self._packed.read(_INPUT_BYTES)
        if self._frame is None and self._input:
            self._frame = zstandard.ZstdDecompressor(max_window_size=self._max_window).decompressobj()
            self.frames += 1
        if self._frame is None:
            return False
        if not self._input:
            raise EOFError("a frame is cut short")
        self._output = memoryview(self._frame.decompress(self._input))
        self._input = self._frame.unused_data if self._frame.eof else b""
        if self._frame.eof:
            self._frame = None
        return True
