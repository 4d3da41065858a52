"""What the tests about the text index share: a repository that is saved again and again, and ways to damage it."""

from collections.abc import Callable
from pathlib import Path

from codecompass.store.embedded.databases.sqlite_connection import open_database, query_rows
from codecompass.store.embedded.text.segment_merge import count_stored_documents
from codecompass.store.embedded.text.text_index import TextWriter
from codecompass.store.ports import Document
from codecompass.store.text_query import TextAgreement
from tests.engine.support import Desk

FILES = 60
QUESTION = "price of a part of the shop"


def write_version(repo: Path, version: int, files: int = FILES) -> None:
    for number in range(files):
        target = repo / "shop" / f"part{number}.py"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(
            f'"""Part {number} of the shop, version {version}."""\n\n\n'
            f"def price_of_part{number}(amount):\n    return amount * {version + 1} + {number}\n"
        )


def agreement_of(desk: Desk) -> TextAgreement:
    with desk.engine._projects.open_for_query(None).store.pin() as snapshot:
        found = snapshot.text_agreement()
    assert found is not None
    return found


def dead_documents(home: Path) -> int:
    """Deleted documents that the published generation still holds."""
    (frozen,) = generations(home)
    writer = TextWriter(home / "text")
    try:
        return count_stored_documents(frozen) - writer.count_documents()
    finally:
        writer.close()


def generations(home: Path) -> list[Path]:
    return sorted((home / "text").glob("g*"))


def text_bytes(home: Path) -> int:
    """Bytes of the text index; a file that is linked counts once."""
    seen = {path.stat().st_ino: path.stat().st_size for path in (home / "text").rglob("*") if path.is_file()}
    return sum(seen.values())


def damage(home: Path, change: Callable[[TextWriter], None], *, counted: bool = False) -> None:
    """Publish a text index that was changed behind the catalog's back.

    As the versions did that deleted nothing and counted nothing, or, with `counted`, as damage would.
    """
    writer = TextWriter(home / "text")
    change(writer)
    writer.commit()
    connection = open_database(home / "index.db", write=True)
    (number,) = query_rows(connection, "SELECT value FROM meta WHERE key = 'generation'")[0]
    segments = writer.freeze(int(number) + 1)
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("DELETE FROM segments")
    connection.executemany("INSERT INTO segments VALUES (?, ?, ?)", segments)
    connection.execute("UPDATE meta SET value = value + 1 WHERE key = 'generation'")
    connection.execute("UPDATE meta SET value = ? WHERE key = 'text_generation'", (int(number) + 1,))
    if not counted:
        connection.execute("DELETE FROM meta WHERE key IN ('documents', 'text_documents')")
    connection.execute("COMMIT")
    connection.close()
    writer.close()


def add_strays(writer: TextWriter, count: int = 400) -> None:
    """Documents of contents that were swept long ago, with the words of the question."""
    for blob in range(500_000, 500_000 + count):
        body = f"price of a part of the shop {blob}"
        writer.add(blob, "python", [Document(0, "price part shop", body, "", body)], "")


def remove_first(writer: TextWriter) -> None:
    """The documents of one content that a view holds."""
    writer.remove([min(writer.count_by_blob())])
