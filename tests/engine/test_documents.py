"""PDF and DOCX files are indexed as the text they hold, by page and heading."""

from pathlib import Path

import pytest

from codecompass.model.call import Call
from codecompass.model.queries.search_query import SearchQuery
from codecompass.text import documents
from codecompass.text.documents import MAX_TEXT, UnreadableDocument, read_document
from tests.engine.docfiles import make_docx, make_pdf
from tests.engine.support import Desk, desk_on
from tests.repo.gitrepo import git, make_repo

PDF = make_pdf(
    ["Orders are shipped on Monday\nand paid on Friday", "The quota for couriers is forty two"],
    [("Shipping", 0), ("Quotas", 1)],
)
DOCX = make_docx(
    [
        ("Heading1", "Handbook"),
        ("", "Welcome aboard."),
        ("Heading2", "Refunds"),
        ("", "Refunds need a supervisor (always)."),
    ]
)


def repo_with(path: Path, files: dict[str, bytes]) -> Path:
    repo = make_repo(path, {"main.py": "def main():\n    pass\n"})
    for name, data in files.items():
        (repo / name).parent.mkdir(parents=True, exist_ok=True)
        (repo / name).write_bytes(data)
    git(repo, "add", ".")
    git(repo, "commit", "-qm", "documents")
    return repo


def first(desk: Desk, words: str, ref: str | None = None) -> tuple[str, str, int, str]:
    """(path, enclosing section, line, text) of the best hit."""
    query = SearchQuery(words, ref=ref, limit=5, detail="context", freshness="best_effort")
    hit = desk.engine.search(None, query, Call()).hits[0]
    return hit.path, hit.name or "", hit.line_start, hit.body_preview or ""


def reasons(desk: Desk) -> dict[str, int]:
    return desk.engine.status(None, None).skipped


def test_a_page_is_found_and_shown(tmp_path: Path) -> None:
    """DOC-PDF: the words of a PDF are found, with the page they stand on and their line of the text."""
    repo = repo_with(tmp_path / "repo", {"docs/guide.pdf": PDF})
    with desk_on(repo, tmp_path / "data") as desk:
        desk.index()
        path, name, line, snippet = first(desk, "quota for couriers")
        assert (path, name, line) == ("docs/guide.pdf", "page 2: Quotas", 3)
        assert "forty two" in snippet
        nodes = desk.engine.outline(None, "docs/guide.pdf", None, "all", Call(), "best_effort").nodes
        assert [(node.name, node.line_start, node.line_end) for node in nodes] == [
            ("page 1: Shipping", 1, 2),
            ("page 2: Quotas", 3, 3),
        ]


def test_a_heading_is_found_and_shown(tmp_path: Path) -> None:
    """DOC-DOCX: the words of a DOCX are found below the heading they stand under."""
    repo = repo_with(tmp_path / "repo", {"handbook.docx": DOCX})
    with desk_on(repo, tmp_path / "data") as desk:
        desk.index()
        path, name, _, snippet = first(desk, "refunds supervisor")
        assert (path, name) == ("handbook.docx", "Refunds")
        assert "Refunds need a supervisor (always)." in snippet
        assert desk.places("Handbook") == {"handbook.docx:1"}


def test_a_commit_gives_the_same_text(tmp_path: Path) -> None:
    """DOC-PDF: a document of a branch is read from the object database, whatever the working tree holds now."""
    repo = repo_with(tmp_path / "repo", {"guide.pdf": PDF})
    git(repo, "branch", "old")
    (repo / "guide.pdf").write_bytes(make_pdf(["Nothing of the kind"]))
    with desk_on(repo, tmp_path / "data") as desk:
        desk.index()
        desk.index("old")
        assert first(desk, "quota couriers", "old")[1] == "page 2: Quotas"
        assert [hit.path for hit in desk.search("quota couriers").hits] == []


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("broken.pdf", PDF[:200]),
        ("locked.pdf", make_pdf(["x"], None, "/Encrypt << /Filter /Standard /V 1 /R 2 /O (a) /U (b) /P -4 >>")),
        ("broken.docx", DOCX[:-30]),
        ("other.docx", make_docx([]).replace(b"word/document.xml", b"word/documenx.xml")),
        ("bomb.docx", make_docx([("", "x")], {"word/big.bin": b"\0" * (documents.MAX_BYTES * 4 + 1)})),
        ("empty.pdf", make_pdf([])),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_cannot_be_read_is_noted(tmp_path: Path, name: str, data: bytes) -> None:
    """DOC-HOSTILE: broken, locked and exploding documents cost nothing but their text."""
    repo = repo_with(tmp_path / "repo", {name: data})
    with desk_on(repo, tmp_path / "data") as desk:
        assert desk.index().status == "published"
        assert desk.places("main") == {"main.py:1"}
        assert not [hit for hit in desk.search("x anything").hits if hit.path == name]


def test_a_wrong_ending_is_no_document(tmp_path: Path) -> None:
    """DOC-HOSTILE: the first bytes must agree with the ending."""
    repo = repo_with(tmp_path / "repo", {"text.pdf": b"just words about couriers\n", "pdf.docx": PDF})
    with desk_on(repo, tmp_path / "data") as desk:
        desk.index()
        assert desk.paths("couriers") == []


def test_without_the_extra_the_reason_says_how(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """DOC-EXTRA: without the readers documents are left out, and the reason and the doctor name the extra."""
    monkeypatch.setattr("codecompass.engine.index.sync.can_read", lambda name: False)
    monkeypatch.setattr("codecompass.engine.maintenance.health.doctor.can_read", lambda name: False)
    repo = repo_with(tmp_path / "repo", {"guide.pdf": PDF})
    with desk_on(repo, tmp_path / "data") as desk:
        desk.index()
        assert desk.paths("couriers") == []
        with desk.engine._projects.open_for_query(None).open_view("main") as view:
            assert view.snapshot.skips(view.row) == {"needs_extra_documents": 1}
        (row,) = [check for check in desk.engine.doctor(None) if check.name == "documents"]
        assert "codecompass[documents]" in row.remedy


def test_long_documents_are_cut() -> None:
    """DOC-BOUNDS: a document gives so many pages and characters and no more, and says that it was cut."""
    many = read_document("pdf", make_pdf(["short"] * 2_500))
    assert len(many.pages) == 2_000 and many.truncated
    long = read_document("pdf", make_pdf(["\n".join(["word " * 18] * 40)] * 700))
    assert len(long.text) <= MAX_TEXT and long.truncated
    assert long.pages[-1].line_end <= long.text.count("\n") + 1


def test_control_characters_are_gone() -> None:
    """DOC-BOUNDS: what cannot be shown is not in the text."""
    text = read_document("pdf", make_pdf(["a\\001b\\033c"])).text
    assert "\x01" not in text and "\x1b" not in text


def test_nonsense_is_unreadable() -> None:
    """DOC-HOSTILE: bytes that only begin like a document are refused as one."""
    for name, data in (("pdf", b"%PDF-1.4 and nothing"), ("docx", b"PK\x03\x04 and nothing"), ("pdf", b"")):
        with pytest.raises(UnreadableDocument):
            read_document(name, data)
