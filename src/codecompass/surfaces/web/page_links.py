"""Links: the address of every view. The address is the whole state of a view."""

from dataclasses import dataclass, replace
from urllib.parse import quote, urlencode

SAFE = "/:@!$,;=~+*()"


@dataclass(frozen=True, slots=True)
class PagePlace:
    """Which workspace and ref a page is about; empty means the server's own."""

    repo: str = ""
    at: str = ""

    def link(self, path: str, /, **query: object) -> str:
        """Build the address of a page at this place; empty parameters are left out."""
        return build_address(path, {**query, "repo": self.repo, "at": query.get("at", self.at)})

    def file(self, path: str, line: int = 0, last: int = 0, **query: object) -> str:
        """Build the address of a file, with its lines marked."""
        lines = f"{line}-{last}" if last > line else f"{line}" if line else ""
        address = self.link(f"/file/{quote(path, safe=SAFE)}", lines=lines, **query)
        return f"{address}#L{line}" if line else address

    def raw(self, path: str) -> str:
        """Build the address of a file's plain text."""
        return self.link(f"/raw/{quote(path, safe=SAFE)}")

    def symbol(self, handle: str, **query: object) -> str:
        """Build the address of a symbol by its handle."""
        return self.link(f"/symbol/{quote(handle, safe=SAFE)}", **query)

    def search(self, query: str, **more: object) -> str:
        """Build the address of a search."""
        return self.link("/", q=query, **more)

    def at_ref(self, ref: str) -> "PagePlace":
        """Return the same workspace at another ref."""
        return replace(self, at=ref)


def build_address(path: str, query: dict[str, object]) -> str:
    """Build an address; parameters that are empty are left out."""
    kept = {name: str(value) for name, value in query.items() if value not in (None, "", 0)}
    return f"{path}?{urlencode(kept, quote_via=quote, safe=SAFE)}" if kept else path
