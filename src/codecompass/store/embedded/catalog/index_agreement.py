"""Agreement of the catalog and the text index: both hold the same blobs, each with all its documents.

A document whose blob the catalog does not know is a stray: it must never be an answer, and counts in the statistics of
words. A blob that a view holds and that lacks documents is missing: words do not find it. Strays are deleted. What is
missing is taken from the generation that was published last; what lacks there as well can only be indexed anew.
"""

from collections.abc import Collection, Iterable
from pathlib import Path

import apsw

from codecompass.errors import Failure
from codecompass.store.embedded.databases.sqlite_connection import rows
from codecompass.store.embedded.text.text_index import TextWriter, blobs_of, contained, file_documents, open_index
from codecompass.store.fact_codec import name_key, unpack_facts, unpack_heads, unpack_uses
from codecompass.store.text_query import TextAgreement

PUBLISHED = "text_documents"
"""The key under which a publish notes how many documents it proved to be there."""
_HEADS = "SELECT blob, pack FROM heads"
_HELD = "SELECT DISTINCT blob FROM entries WHERE blob != 0"


def compare(connection: apsw.Connection, documents: int, blobs: Collection[int]) -> TextAgreement:
    """The catalog beside a text index that has so many documents, and of these blobs the one of the whole file."""
    found = rows(connection, "SELECT value FROM meta WHERE key = ?", (PUBLISHED,))
    known = {int(row[0]) for row in rows(connection, "SELECT id FROM blobs")}
    held = {int(row[0]) for row in rows(connection, _HELD)}
    here = set(blobs)
    return TextAgreement(documents, int(found[0][0]) if found else None, len(here - known), len(held - here))


def agrees(connection: apsw.Connection, text: Path) -> bool:
    """Whether the published text index is the one that the catalog describes."""
    generation = int(rows(connection, "SELECT value FROM meta WHERE key = 'text_generation'")[0][0])
    with contained("opened"):
        index = open_index(text / f"g{generation}")
        searcher = index.searcher()
        blobs = blobs_of(searcher, file_documents(index.schema))
        return compare(connection, int(searcher.num_docs), blobs).holds


def expected_documents(connection: apsw.Connection) -> dict[int, int]:
    """Blob → how many documents it has: one for each chunk, and one for the whole file."""
    return {int(blob): unpack_heads(bytes(pack)).chunk_count + 1 for blob, pack in connection.execute(_HEADS)}


def mend(connection: apsw.Connection, text: TextWriter, published: int) -> int:
    """Make the text index hold what the catalog says; returns how many documents it has then.

    INDEX_INCOMPATIBLE where a view holds what only its source could bring back: then everything is indexed anew.
    """
    expected = expected_documents(connection)
    found = text.documents()
    if published and any(found[blob] != count for blob, count in expected.items()):
        # A writer that died between its commit and the catalog's left other documents than the catalog knows.
        text.restore(published)
        found = text.documents()
    wrong = {blob for blob, count in expected.items() if found[blob] != count}
    lost = wrong & {int(row[0]) for row in rows(connection, _HELD)}
    if lost:
        message = f"The text index lacks documents of {len(lost):,} contents that the catalog names."
        raise Failure("INDEX_INCOMPATIBLE", message, {"schema_status": "corrupt_manifest", "part": "text"})
    text.remove(blob for blob in found if blob in wrong or blob not in expected)
    text.commit()
    forget_blobs(connection, wrong)
    total = sum(count for blob, count in expected.items() if blob not in wrong)
    if text.count() != total:
        raise miscounted(text.count(), total)
    return total


def miscounted(found: int, expected: int) -> Failure:
    """A commit of the text index did something else than it was told."""
    message = f"The text index holds {found:,} documents where the catalog demands {expected:,}."
    return Failure("INDEX_INCOMPATIBLE", message, {"schema_status": "corrupt_manifest", "part": "text"})


def lacking(table: str) -> Failure:
    """A view names a content of which the catalog has no row."""
    message = f"The catalog lacks a row of its table {table} that a view needs."
    return Failure("INDEX_INCOMPATIBLE", message, {"schema_status": "corrupt_manifest", "part": "catalog"})


def forget_blobs(connection: apsw.Connection, blobs: Iterable[int]) -> int:
    """Delete every row of these blobs; returns how many documents they have in the text index."""
    documents = 0
    for blob in blobs:
        pack, uses = rows(connection, "SELECT pack, uses FROM facts WHERE blob = ?", (blob,))[0]
        facts = unpack_facts(bytes(pack))
        documents += len(facts.chunks) + 1
        symbols = {item.name.casefold() for item in facts.definitions}
        mentions = {name_key(item.name) for item in unpack_uses(bytes(uses)).references}
        connection.executemany("DELETE FROM symbols WHERE folded = ? AND blob = ?", [(name, blob) for name in symbols])
        connection.executemany("DELETE FROM mentions WHERE key = ? AND blob = ?", [(key, blob) for key in mentions])
        for table in ("facts", "heads", "facets", "lint", "renditions"):
            connection.execute(f"DELETE FROM {table} WHERE blob = ?", (blob,))
        connection.execute("DELETE FROM blobs WHERE id = ?", (blob,))
    return documents


def forget_views(connection: apsw.Connection, names: Iterable[str]) -> None:
    """End views; what only they held is swept with the rest."""
    gone = [(name,) for name in names]
    for table in ("entries", "skips"):
        connection.executemany(f"DELETE FROM {table} WHERE view = (SELECT id FROM views WHERE name = ?)", gone)
    connection.executemany("DELETE FROM views WHERE name = ?", gone)
