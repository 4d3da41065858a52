"""Questions to memory."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.model.memory_values import MemoryQuery
from tests.engine.memory.memorylab import Lab, lab_on


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    with lab_on(tmp_path_factory.mktemp("shop"), "shop") as lab:
        yield lab


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("where do we store orders", "Orders are stored in Postgres"),
        ("why are prices cached", "Cache prices for an hour"),
        ("what happened with double charging", "Fix double charge"),
        ("retrying a charge idempotency", "Never retry a charge"),
        ("docstring for public functions", "Public functions must have a docstring"),
    ],
)
def test_finds_what_decides(shop: Lab, question: str, first: str) -> None:
    """MEM-RECALL: the deciding statement comes first, and says where from."""
    answer = shop.ask(question)
    assert answer.hits and first in answer.hits[0].discovery.content
    assert answer.searched.model and 0 < answer.hits[0].score <= 1
    assert {factor.name for factor in answer.hits[0].factors} >= {"words", "meaning", "source", "age"}


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("which database has the purchases and orders", "Orders are stored in Postgres"),
        ("are prices remembered since the catalogue is expensive", "Cache prices for an hour"),
        ("a card was billed two times after a deadline of the gateway", "Fix double charge"),
    ],
)
def test_other_words_for_it(shop: Lab, question: str, first: str) -> None:
    """MEM-RECALL: a question in the words of the trade finds what was written with others."""
    assert any(first in text for text in shop.found(question)[:2])


def test_same_text_stands_once_at_the_top(tmp_path: Path) -> None:
    """MEM-RECALL: copies of a commit do not fill the places of what else answers."""
    copied = "Queue mails for an hour ({})\n\nThe relay refuses bursts, so that mails must wait for their turn."
    commits = [{"message": copied.format(f"#{number}"), "files": {"a.txt": str(number)}} for number in range(6)]
    other = {"message": "Send mails by the relay\n\nThe queue of mails was lost at every restart of the old one."}
    with lab_on(tmp_path, {"commit": [other, *commits]}) as lab:
        found = lab.found("why do mails wait in a queue for the relay", limit=2)
        assert [text.partition("\n")[0][:5] for text in found] == ["Queue", "Send "]


def test_superseded_stands_below(shop: Lab) -> None:
    """MEM-SUPERSEDE: the old decision is there, below the new one, and names it."""
    hits = shop.ask("orders stored in").hits
    contents = [hit.discovery.content for hit in hits]
    new = next(at for at, text in enumerate(contents) if "Postgres" in text)
    old = next(at for at, text in enumerate(contents) if "SQLite" in text)
    assert new < old and hits[old].discovery.superseded_by == hits[new].discovery.id


@pytest.mark.parametrize(
    "question",
    [
        "which kubernetes cluster runs staging",
        "graphql schema stitching policy",
        "quantum flux capacitor wiring",
        "why are orders stored in Oracle",
    ],
)
def test_nothing_recorded(shop: Lab, question: str) -> None:
    """MEM-ABSTAIN: no weak guess; what was searched is told."""
    answer = shop.ask(question)
    assert answer.hits == () and answer.total == 0
    assert sum(answer.searched.counts.values()) > 10


def test_filters_narrow_first(shop: Lab) -> None:
    """MEM-RECALL: type and module hold for every hit, and the counts are of what passes them."""
    for hit in shop.ask("charge a card", type="issue").hits:
        assert hit.discovery.type == "issue"
    inside = shop.ask("charge a card idempotency key", module="billing")
    assert inside.hits and all("billing" in hit.discovery.module for hit in inside.hits)
    assert set(inside.searched.counts) < set(shop.ask("charge a card").searched.counts)
    assert shop.ask("charge a card", module="nowhere").hits == ()


def test_contradictions_stand_together(shop: Lab) -> None:
    """MEM-CONFLICT: the manifest says pnpm, the file for agents says yarn: each names the other."""
    hit = shop.show("Use `yarn` for everything")
    (one,) = [one for one in hit.conflicts if one.source.path == "package.json"]
    assert (one.about, one.says, one.other_says) == ("JavaScript package manager", "yarn", "pnpm")
    back = shop.engine.discovery(None, one.id, None, Call())
    assert hit.discovery.id in {other.id for other in back.conflicts}


def test_code_and_sessions_stand_behind(shop: Lab) -> None:
    """MEM-FURTHER: further sources are of their own kind, never the asking session's, and fill only what is left."""
    shop.engine.note(None, "s1", "query", "how does the refund of an order work", "tester")
    shop.engine.note(None, "s1", "read", "src/billing/charge.py", "tester")
    answer = shop.ask("how does the refund of an order work", sources=("discovery", "code", "session"), limit=20)
    kinds = [hit.kind for hit in answer.hits]
    assert "session" in kinds and {"discovery", "session", "code"} >= set(kinds)
    assert kinds == sorted(kinds, key=["discovery", "session", "code"].index)
    mine = shop.ask("how does the refund of an order work", sources=("session",), session="s1")
    assert mine.hits == ()
    code = shop.ask("refund", sources=("code",), limit=5)
    assert [hit.discovery.source.path for hit in code.hits][:1] == ["src/billing/charge.py"]


def test_a_question_is_no_answer(shop: Lab) -> None:
    """MEM-ABSTAIN: what was asked before and led to nothing is not told to who asks it again."""
    shop.engine.note(None, "s2", "query", "zanzibar quux frobnicator", "tester")
    answer = shop.ask("zanzibar quux frobnicator", sources=("discovery", "code", "session"))
    assert answer.hits == () and answer.searched.counts["session"]
    shop.engine.note(None, "s2", "read", "src/billing/charge.py", "tester")
    (hit,) = shop.ask("zanzibar quux frobnicator", sources=("session",)).hits
    assert "read: src/billing/charge.py" in hit.discovery.content


def test_ref_without_index(shop: Lab) -> None:
    """MEM-COVERAGE: an unindexed ref answers with nothing and says why; strictly it is refused."""
    answer = shop.ask("prices", ref="nowhere")
    assert answer.hits == () and not answer.searched.complete and answer.searched.notes
    with pytest.raises(Failure) as refused:
        shop.engine.recall(None, MemoryQuery("prices", ref="nowhere", freshness="strict"), Call())
    assert refused.value.code == "REF_NOT_INDEXED"


def test_time_runs_out_honestly(tmp_path_factory: pytest.TempPathFactory) -> None:
    """MEM-COVERAGE: without time nothing is mined, the answer says so, and the next one is whole."""
    with lab_on(tmp_path_factory.mktemp("late"), "shop") as lab:
        asked = MemoryQuery("why are prices cached", patience=0.0, sources=("discovery",))
        late = lab.engine.recall(None, asked, Call())
        assert not late.searched.complete and any("in time" in note for note in late.searched.notes)
        assert lab.ask("why are prices cached").searched.complete


def test_hits_show_the_sentences_that_answer(tmp_path: Path) -> None:
    """MEM-RECALL: of a long section the part that answers is shown, bounded, with the lines it stands in."""
    filler = [f"Item {number} of the list is kept here because the printer must know its tray." for number in range(9)]
    lines = ["# Guide", "", "## Operation", "", *filler[:5],
             "Backups run at night, because the disk must be idle.", *filler[5:], ""]  # fmt: skip
    with lab_on(tmp_path, {"commit": [{"message": "Guide", "files": {"docs/guide.md": "\n".join(lines)}}]}) as lab:
        hit = lab.ask("why are backups at night").hits[0]
        source = hit.discovery.source
        assert "Backups run at night" in hit.discovery.content and len(hit.discovery.content) <= 400
        shown = "\n".join(lines[source.line_start - 1 : source.line_end])
        assert hit.discovery.content.strip("… ") == shown


def test_age_ranks(tmp_path: Path) -> None:
    """MEM-RECALL, MEM-STEADY: of commits that say the same the newest stands first; checks change no place."""
    old = "Parcels wait in the depot\n\nThe depot is closed at night, so that parcels must wait until {}."
    rows = [
        {"message": old.format("`DEPOT` opens"), "files": {"depot.py": "DEPOT = 1\n"}},
        {"message": old.format("a porter opens")},
    ]
    with lab_on(tmp_path, {"commit": rows}) as lab:
        lab.commit({"message": old.format("somebody opens"), "files": {"a.txt": "a"}}, day=2_000)
        hits = lab.ask("why do parcels wait in the depot").hits
        ends = [hit.discovery.content.rpartition(" until ")[2] for hit in hits]
        ages = {hit.discovery.content.rpartition(" until ")[2]: factor.contribution
                for hit in hits for factor in hit.factors if factor.name == "age"}  # fmt: skip
        assert ages["somebody opens."] == 1.0 > ages["a porter opens."] >= ages["`DEPOT` opens."]
        assert ends.index("somebody opens.") < ends.index("a porter opens.")
        scores = [hit.score for hit in hits]
        assert scores[:1] == [max(scores)]
