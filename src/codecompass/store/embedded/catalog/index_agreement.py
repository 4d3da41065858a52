"""Index agreement: checks and repairs that catalog and text index contain the same blobs with all their documents.

A document whose blob is not in the catalog is a stray: it must never be returned, and it distorts word statistics. A
blob that a view references and that lacks documents is missing: searches do not find it. Strays are deleted. Missing
documents are restored from the last published generation; if they are missing there too, only a reindex helps.
"""

from collections.abc import Collection, Iterable
from pathlib import Path

import apsw

from codecompass.errors import Failure
from codecompass.store.embedded.databases.sqlite_connection import query_rows
from codecompass.store.embedded.text.text_index import (
    TextWriter,
    find_blobs,
    make_file_query,
    map_tantivy_errors,
    open_index,
)
from codecompass.store.fact_codec import hash_name, unpack_definition_headers, unpack_facts, unpack_references
from codecompass.store.text_query import TextAgreement

PUBLISHED_DOCUMENTS_KEY = "text_documents"
"""The meta key of the document count that the last publish verified."""
_HEADS = "SELECT blob, pack FROM heads"
_REFERENCED_BLOBS = "SELECT DISTINCT blob FROM entries WHERE blob != 0"


def compare_with_catalog(connection: apsw.Connection, documents: int, blobs: Collection[int]) -> TextAgreement:
    """Compare the catalog with a text index of `documents` documents and a whole-file document of each of `blobs`."""
    found = query_rows(connection, "SELECT value FROM meta WHERE key = ?", (PUBLISHED_DOCUMENTS_KEY,))
    known = {int(row[0]) for row in query_rows(connection, "SELECT id FROM blobs")}
    held = {int(row[0]) for row in query_rows(connection, _REFERENCED_BLOBS)}
    here = set(blobs)
    return TextAgreement(documents, int(found[0][0]) if found else None, len(here - known), len(held - here))


def has_matching_text(connection: apsw.Connection, text: Path) -> bool:
    """Whether the published text index matches the catalog."""
    generation = int(query_rows(connection, "SELECT value FROM meta WHERE key = 'text_generation'")[0][0])
    with map_tantivy_errors("opened"):
        index = open_index(text / f"g{generation}")
        searcher = index.searcher()
        blobs = find_blobs(searcher, make_file_query(index.schema))
        return compare_with_catalog(connection, int(searcher.num_docs), blobs).is_consistent


def count_expected_documents(connection: apsw.Connection) -> dict[int, int]:
    """Return blob → number of documents: one for each chunk, and one for the whole file."""
    return {
        int(blob): unpack_definition_headers(bytes(pack)).chunk_count + 1 for blob, pack in connection.execute(_HEADS)
    }


def repair_text_index(connection: apsw.Connection, text: TextWriter, published: int) -> int:
    """Make the text index match the catalog; return its number of documents.

    INDEX_INCOMPATIBLE if documents are lost that only the source can restore: then everything must be reindexed.
    """
    expected = count_expected_documents(connection)
    found = text.count_by_blob()
    if published and any(found[blob] != count for blob, count in expected.items()):
        # A writer died between its text commit and the catalog's, so the working copy differs from the catalog.
        text.restore(published)
        found = text.count_by_blob()
    wrong = {blob for blob, count in expected.items() if found[blob] != count}
    lost = wrong & {int(row[0]) for row in query_rows(connection, _REFERENCED_BLOBS)}
    if lost:
        message = f"The text index lacks documents of {len(lost):,} contents that the catalog names."
        raise Failure("INDEX_INCOMPATIBLE", message, {"schema_status": "corrupt_manifest", "part": "text"})
    text.remove(blob for blob in found if blob in wrong or blob not in expected)
    text.commit()
    delete_blobs(connection, wrong)
    total = sum(count for blob, count in expected.items() if blob not in wrong)
    if text.count_documents() != total:
        raise make_miscount_failure(text.count_documents(), total)
    return total


def remove_unknown_blobs(connection: apsw.Connection, text: TextWriter) -> int:
    """Delete documents of blobs that the catalog does not name; return the number of documents that are left.

    A merge that ends beside a commit can bring deleted documents back.
    """
    known = {int(row[0]) for row in query_rows(connection, "SELECT id FROM blobs")}
    text.finish_merges()
    text.remove(blob for blob in text.count_by_blob() if blob not in known)
    text.commit()
    return text.count_documents()


def make_miscount_failure(found: int, expected: int) -> Failure:
    """Build the failure for a text commit that left an unexpected number of documents."""
    message = f"The text index has {found:,} documents, but the catalog expects {expected:,}."
    return Failure("INDEX_INCOMPATIBLE", message, {"schema_status": "corrupt_manifest", "part": "text"})


def make_missing_row_failure(table: str) -> Failure:
    """Build the failure for a blob that a view references and the catalog lacks."""
    message = f"The catalog lacks a row in table {table} that a view needs."
    return Failure("INDEX_INCOMPATIBLE", message, {"schema_status": "corrupt_manifest", "part": "catalog"})


def delete_blobs(connection: apsw.Connection, blobs: Iterable[int]) -> int:
    """Delete every row of these blobs; return their number of documents in the text index."""
    documents = 0
    for blob in blobs:
        pack, uses = query_rows(connection, "SELECT pack, uses FROM facts WHERE blob = ?", (blob,))[0]
        facts = unpack_facts(bytes(pack))
        documents += len(facts.chunks) + 1
        symbols = {item.name.casefold() for item in facts.definitions}
        mentions = {hash_name(item.name) for item in unpack_references(bytes(uses)).references}
        connection.executemany("DELETE FROM symbols WHERE folded = ? AND blob = ?", [(name, blob) for name in symbols])
        connection.executemany("DELETE FROM mentions WHERE key = ? AND blob = ?", [(key, blob) for key in mentions])
        for table in ("facts", "heads", "facets", "lint", "renditions"):
            connection.execute(f"DELETE FROM {table} WHERE blob = ?", (blob,))
        connection.execute("DELETE FROM blobs WHERE id = ?", (blob,))
    return documents


def delete_views(connection: apsw.Connection, names: Iterable[str]) -> None:
    """Delete views; blobs that only they referenced are swept later."""
    gone = [(name,) for name in names]
    for table in ("entries", "skips"):
        connection.executemany(f"DELETE FROM {table} WHERE view = (SELECT id FROM views WHERE name = ?)", gone)
    connection.executemany("DELETE FROM views WHERE name = ?", gone)
