"""The reader of SCIP indexes, and what their symbols and columns mean."""

from pathlib import Path

import pytest
from bench.accuracy.scip import DEFINITION, UTF8, UTF32, ScipError, read_index
from bench.accuracy.sources import byte_column
from bench.accuracy.symbols import named

from tests.bench.scipfile import Mention, document, figure, part, write_index


def test_an_index_is_read_back(tmp_path: Path) -> None:
    """BENCH-SCIP: documents, ranges of three and four numbers, roles and unknown fields are read as written."""
    long = part(1, bytes([3, 4, 5, 6])) + part(2, b"local 1") + part(99, b"later") + figure(98, 300)
    body = part(2, part(1, b"b.py") + part(2, long) + figure(6, UTF8))
    file = tmp_path / "index.scip"
    file.write_bytes(document("a.py", [Mention(300, 4, 9, "x y z 0 a/f().", 1)]) + body)
    first, second = read_index(file)
    assert (first.path, second.path, second.encoding) == ("a.py", "b.py", UTF8)
    (known,) = first.occurrences
    assert (known.line, known.column, known.end_line, known.end_column) == (300, 4, 300, 9)
    assert known.roles & DEFINITION
    (other,) = second.occurrences
    assert (other.line, other.column, other.end_line, other.end_column, other.symbol) == (3, 4, 5, 6, "local 1")


def test_a_cut_index_is_refused(tmp_path: Path) -> None:
    """BENCH-SCIP: an index that was not written to its end is never taken for a smaller one."""
    file = write_index(tmp_path / "index.scip", {"a.py": [Mention(0, 0, 1, "local 1")]})
    file.write_bytes(file.read_bytes()[:-3])
    with pytest.raises(ScipError):
        read_index(file)


@pytest.mark.parametrize(
    ("symbol", "expected"),
    [
        ("scip-python python flask 0 `flask.app`/Flask#run().", ("Flask.run", "method")),
        ("scip-python python flask 0 `flask.app`/Flask#", ("Flask", "type")),
        ("scip-python python flask 0 `flask.app`/make().", ("make", "function")),
        ("scip-python python flask 0 `flask.globals`/request.request.", ("request", "variable")),
        ("scip-python python flask 0 `flask.app`/Flask#name.", ("Flask.name", "member")),
        ("scip-python python flask 0 `flask.app`/make().inner().", ("make.inner", "nested")),
        ("scip-python python flask 0 `flask.app`/make().(argument)", None),
        ("scip-python python flask 0 `flask.app`/__init__:", None),
        ("scip-typescript npm hono 4.1.0 src/`context.ts`/Layout#[T]", None),
        ("scip-typescript npm hono 4.1.0 src/`context.ts`/Context#`<get>res`().", ("Context.res", "method")),
        ("scip-typescript npm hono 4.1.0 src/jsx/`base.ts`/JSX/Element#", ("JSX.Element", "type")),
        ("scip-typescript npm hono 4.1.0 src/`context.test.ts`/message0:", None),
        ("scip-typescript npm hono 4.1.0 src/`hono.ts`/Hono#`#clone`().", ("Hono.#clone", "method")),
        ("local 12", None),
    ],
)
def test_symbols_have_names(symbol: str, expected: tuple[str, str] | None) -> None:
    """BENCH-SCIP: what can be asked for by name has a name, a scope and a kind; the rest has none."""
    found = named(symbol)
    assert (None if found is None else (found.dotted, found.kind)) == expected


@pytest.mark.parametrize(("encoding", "column"), [(0, 6), (UTF32, 5), (UTF8, 9)])
def test_columns_become_bytes(encoding: int, column: int) -> None:
    """BENCH-SCIP: columns in UTF-16, UTF-32 and UTF-8 units are brought to bytes."""
    line = "é𝒳 = call()".encode()
    assert line[byte_column(line, column, encoding) :] == b"call()"
