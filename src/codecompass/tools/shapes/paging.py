"""Paging of list tools: which part of its lists an answer shows, and the cursor of the next part.

A cursor holds the number of items shown so far, a digest of the query, and a digest of the items shown and of the
generation they came from. The next call builds the lists again: if the same items lead them, the page continues them
without repeating or losing any; else the caller is told that the list changed.
"""

import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import blake2s
from typing import Any, TypeVar

import msgspec

from codecompass.contract.codec import make_violation, to_invalid_request
from codecompass.contract.tool import Host, Params
from codecompass.errors import Failure
from codecompass.model.call import Call

T = TypeVar("T")

CURSOR_BYTES = 120
"""Bytes reserved for `next_cursor`."""
_CURSOR = re.compile(r"(\d{1,12}(?:_\d{1,12}){0,3})-([0-9a-f]{8})-([0-9a-f]{12})", re.ASCII)
_PAGE_FIELDS = ("cursor", "limit", "top", "output")
"""Parameters that may differ between the pages of one list: they do not change which items it has."""
CHANGED = "the list changed since this cursor was made; call again without cursor"


@dataclass(frozen=True, slots=True)
class AnswerPage:
    """The part of the lists that one answer may show."""

    limit: int
    """Items of each list at most."""
    offsets: tuple[int, ...]
    """Items of each list that earlier pages showed."""
    max_bytes: int
    query_digest: str
    shown_digest: str = ""
    """Digest of what earlier pages showed; empty on the first."""

    @property
    def end(self) -> int:
        """Number of items to ask of the engine, from the start of each list."""
        return max(self.offsets) + self.limit

    def select(self, generation: int, *lists: "tuple[Sequence[Any], Callable[[Any], object]]") -> "PageItems":
        """Return the items of this page; each list comes from its start, with the identity of an item."""
        found = PageItems(self, generation, lists)
        if self.shown_digest and self.shown_digest != found.digest_shown(self.offsets):
            raise _refuse(CHANGED)
        return found


@dataclass(frozen=True, slots=True)
class PageItems:
    """The items of one page of each list."""

    page: AnswerPage
    generation: int
    lists: "tuple[tuple[Sequence[Any], Callable[[Any], object]], ...]"

    def get_items(self, at: int = 0) -> Sequence[Any]:
        """Return the items of one list that this page may show."""
        start = self.page.offsets[at]
        return self.lists[at][0][start : start + self.page.limit]

    def make_cursor(self, shown: Sequence[int], *, truncated: bool) -> dict[str, str]:
        """Return `next_cursor` after so many items of each list, or nothing if none is left.

        `truncated`: the engine has more items than it was asked for. A list shorter than asked for has no more.
        """
        ends = tuple(offset + count for offset, count in zip(self.page.offsets, shown, strict=True))
        sizes = [len(items) for items, _ in self.lists]
        more = any(size > end or (truncated and size >= self.page.end) for size, end in zip(sizes, ends, strict=True))
        if not more or not any(shown):
            return {}
        offsets = "_".join(map(str, ends))
        return {"next_cursor": f"{offsets}-{self.page.query_digest}-{self.digest_shown(ends)}"}

    def digest_shown(self, ends: tuple[int, ...]) -> str:
        """Return a digest of the generation and of the first items of each list."""
        digest = blake2s(str(self.generation).encode(), digest_size=6)
        for (items, identify), end in zip(self.lists, ends, strict=True):
            digest.update(repr([identify(item) for item in items[:end]]).encode(errors="backslashreplace"))
        return digest.hexdigest()


def open_page(
    host: Host, call: Call, params: Params, limit: int, lists: int = 1, *, fixed_limit: bool = False
) -> AnswerPage:
    """Return the page that a call wants of its lists; a cursor of another query is refused.

    `fixed_limit`: the order of the list depends on the limit, so all its pages must have the same.
    """
    digest = _digest_query(params, () if fixed_limit else _PAGE_FIELDS)
    room = host.defaults.max_response_bytes - CURSOR_BYTES
    if call.wanted is not None:
        # A caller in this process: its answer is not a message.
        wanted = call.wanted
        size = limit if wanted.limit is None else wanted.limit or sys.maxsize // 2
        return AnswerPage(size, (wanted.offset,) * lists, sys.maxsize, digest)
    cursor = getattr(params, "cursor", msgspec.UNSET)
    if cursor is msgspec.UNSET:
        return AnswerPage(limit, (0,) * lists, room, digest)
    parts = _CURSOR.fullmatch(cursor)
    offsets = tuple(map(int, parts[1].split("_"))) if parts else ()
    if parts is None or len(offsets) != lists:
        raise _refuse("is not a next_cursor of this tool")
    if parts[2] != digest:
        raise _refuse("belongs to a call with other arguments; repeat those, or call without cursor")
    return AnswerPage(limit, offsets, room, digest, parts[3])


def _digest_query(params: Params, ignored: tuple[str, ...]) -> str:
    given = msgspec.to_builtins(params)
    named = {key: value for key, value in given.items() if key not in ("cursor", *ignored)}
    text = msgspec.json.encode([type(params).__name__, named], order="sorted")
    return blake2s(text, digest_size=4).hexdigest()


def _refuse(reason: str) -> Failure:
    return to_invalid_request([make_violation("/cursor", "cursor", reason)])
