"""Frame checksum: the checksum of a frame of a write-ahead log. Loads numpy, which reading an empty log does not need.

The checksum of a frame continues that of the frame before it. It is linear in the words it covers (modulo 2³²), so it
is two scalar products with constant weights.
"""

from functools import cache

import numpy as np

_WORD = 2**32


class ChecksumWeights:
    """Weights of a frame's words, and of the previous checksum, in the frame's checksum."""

    def __init__(self, size: int) -> None:
        pairs = size // 8
        first, second = np.empty(pairs * 2, np.uint32), np.empty(pairs * 2, np.uint32)
        # One pair of words (a, b) takes the checksum (s, t) to (s + t + a, s + 2t + a + b).
        s, t, u, v = 1, 0, 0, 1
        for at in range(pairs - 1, -1, -1):
            first[at * 2], first[at * 2 + 1] = (s + t) % _WORD, t
            second[at * 2], second[at * 2 + 1] = (u + v) % _WORD, v
            s, t, u, v = (s + t) % _WORD, (s + 2 * t) % _WORD, (u + v) % _WORD, (u + 2 * v) % _WORD
        self._first, self._second = first, second
        self._carry = (s, t, u, v)

    def checksum(self, frame: bytes, before: tuple[int, int], *, is_little: bool) -> tuple[int, int]:
        """Compute the checksum of a frame from its bytes and the previous frame's checksum."""
        words = np.frombuffer(frame, "<u4" if is_little else ">u4").astype(np.uint32, copy=False)
        s, t, u, v = self._carry
        one = int(np.dot(self._first, words)) + s * before[0] + t * before[1]
        two = int(np.dot(self._second, words)) + u * before[0] + v * before[1]
        return one % _WORD, two % _WORD


@cache
def get_weights(size: int) -> ChecksumWeights:
    """Return the cached weights of frames that cover so many bytes."""
    return ChecksumWeights(size)
