"""What people and agents record: limits, secrets, marks, export, and what sessions leave behind."""

from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codecompass.engine.memory import markdown_export
from codecompass.engine.memory.markdown_export import make_recorded_id
from codecompass.engine.memory.mining.mined_item import sanitize_text
from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.model.memory_values import TYPES, Anchor, Claim, Discovery, DiscoverySource, MemoryFilter
from codecompass.model.states import DiscoveryType
from codecompass.store.embedded.databases.database_schema import RECORDS
from codecompass.store.embedded.databases.memory_records import EmbeddedMemoryRecords
from codecompass.store.embedded.databases.records_database import EmbeddedRecords
from codecompass.store.embedded.databases.sqlite_connection import open_database
from codecompass.store.memory_port import DiscoveryMark, RecordedDiscovery
from tests.engine.memory.memorylab import Lab, lab_on, put
from tests.engine.support import desk_on


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Lab]:
    with lab_on(tmp_path, "shop") as lab:
        yield lab


def test_recorded_and_checked(shop: Lab) -> None:
    """MEM-RECORD, MEM-STALE: a record is tied to what it named, even to what was never committed."""
    put(shop.repo, {"src/tax.py": "RATE = 19\n"})
    shop.index()
    made = shop.remember("The tax `RATE` is 19, see `src/billing/charge.py`.", type="rule", author="Ada", session="s1")
    assert (made.source.kind, made.source.commit, made.session) == ("recorded", shop.commits[-1], "s1")
    assert shop.remember("The  tax `RATE` is 19, see `src/billing/charge.py`.", type="rule").id == made.id
    assert shop.show("The tax").freshness == "fresh"
    put(shop.repo, {"src/tax.py": "RATE = 7\n"})
    shop.index()
    verdict = shop.verdict("The tax", "RATE")
    assert (verdict.status, verdict.was, verdict.now) == ("changed", "RATE = 19", "RATE = 7")
    assert shop.found("tax rate")[0].startswith("The tax")


@pytest.mark.parametrize(("content", "type"), [("short", "rule"), ("x" * 1_001, "rule"), ("long enough text", "idea")])
def test_limits(tmp_path: Path, content: str, type: str) -> None:
    """MEM-RECORD: 10 to 1,000 characters, one of four types."""
    (tmp_path / "repo").mkdir()
    with desk_on(tmp_path / "repo", tmp_path / "data") as desk:
        desk.engine.init(str(tmp_path / "repo"))
        with pytest.raises(Failure) as refused:
            Lab(tmp_path / "repo", desk, []).remember(content, type=type)
        assert refused.value.code == "INVALID_REQUEST"


def test_secrets_never_stay(shop: Lab) -> None:
    """MEM-REDACT: what looks like a secret is taken out of what is recorded and of what is mined."""
    key = "ghp_" + "a1B2" * 9
    made = shop.remember(f"Deploy with the token {key} from the vault, password=hunter2!")
    assert made.redacted and key not in made.content and "hunter2" not in made.content
    shop.commit({"message": f"Use the deploy bot\n\nBecause the key {key} belonged to somebody who left the team."})
    put(shop.repo, {"AGENTS.md": f"# Keys\n\nAlways send the header Authorization: Bearer {key} to the gateway.\n"})
    shop.index()
    told = " ".join(f"{item.title} {item.content}" for item in shop.all())
    assert "deploy bot" in told and "always send" in told.lower() and key not in told
    assert key.encode() not in b"".join(path.read_bytes() for path in shop.desk.home.glob("memory.db*"))


def test_unseen_is_shown(tmp_path: Path) -> None:
    """MEM-VISIBLE: what cannot be seen is spelled out, in what is recorded and in what is mined."""
    (tmp_path / "repo").mkdir()
    put(tmp_path / "repo", {"AGENTS.md": "# Rules\n\nNever trust \u202etxet\u202c or \x1b[31mred\x1b[0m letters.\n"})
    with desk_on(tmp_path / "repo", tmp_path / "data") as desk:
        desk.index()
        lab = Lab(tmp_path / "repo", desk, [])
        made = lab.remember("The build prints a \x07 bell at the end.")
        told = [made.content, lab.one("Never trust").content]
    assert "\\x07" in told[0] and "\\u202e" in told[1] and "\\x1b" in told[1]
    assert not [letter for text in told for letter in text if ord(letter) < 32 and letter != "\n" or letter == "\u202e"]


def test_forgotten_stays_forgotten(tmp_path: Path) -> None:
    """MEM-FORGET: not in a list, an answer or an export's text, after a rebuild and after a rename of its file."""
    with lab_on(tmp_path, "shop") as lab:
        name = lab.one("Never retry a charge").id
        assert lab.engine.forget(None, name, Call()).state == "forgotten"
        lab.commit({"move": {"src/billing/charge.py": "src/pay.py"}, "message": "Move it"})
        (lab.desk.home / "memory.db").unlink()
        lab.desk.index(force=True)
        assert not [item for item in lab.all() if item.id == name]
        assert not [text for text in lab.found("retry a charge idempotency key") if "Never retry" in text]
        exported = lab.engine.export_memory(None, Call())
        assert name in exported and "Never retry" not in exported
        with pytest.raises(Failure) as missing:
            lab.engine.discovery(None, name, None, Call())
        assert missing.value.code == "RESULT_NOT_FOUND"


def test_supersede(shop: Lab) -> None:
    """MEM-SUPERSEDE: by hand or with the new statement; in a circle or by nothing it is refused."""
    old = shop.one("Cache prices for an hour")
    new = shop.remember("Prices are cached for a minute since the flash sale.", supersedes=(old.id,))
    assert (shop.one("for an hour").state, shop.one("for an hour").superseded_by) == ("superseded", new.id)
    hits = shop.ask("for how long are prices cached").hits
    assert [hit.discovery.id for hit in hits][:2] == [new.id, old.id]
    for wrong, by in ((new.id, old.id), (new.id, new.id), (new.id, "disc_000000000000000")):
        with pytest.raises(Failure):
            shop.engine.supersede(None, wrong, by, Call())
    with pytest.raises(Failure):
        shop.remember("This replaces what is not there.", supersedes=("disc_000000000000000",))


def test_export_is_read_back(shop: Lab, tmp_path: Path) -> None:
    """MEM-EXPORT: another machine knows what was recorded, superseded and forgotten; twice changes nothing."""
    rule = shop.remember("`charge` is called once for each order.\n\n## not a heading\nand more", type="rule")
    shop.engine.forget(None, shop.one("TODO(ada)").id, Call())
    text = shop.engine.export_memory(None, Call())
    with desk_on(shop.repo, tmp_path / "elsewhere") as desk:
        desk.index()
        report = desk.engine.import_memory(None, text, Call())
        assert (report.added, report.refused) == (2, ())
        again = desk.engine.import_memory(None, text, Call())
        assert (again.added, again.known) == (0, 2)
        items = {item.id: item for item in desk.engine.discoveries(None, MemoryFilter(limit=1_000), Call()).items}
        assert items[rule.id].content == rule.content
        assert not [item for item in items.values() if "TODO(ada)" in item.content]
        assert desk.engine.export_memory(None, Call()) == text
        edited = desk.engine.import_memory(None, text.replace("once for", "twice for"), Call())
        assert edited.added == 0 and "was edited" in edited.refused[0]
        with pytest.raises(Failure):
            desk.engine.import_memory(None, "# Shopping list\n\nmilk\n", Call())


_TEXT = st.text(st.characters(codec="utf-8"), max_size=60)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(TYPES), st.lists(_TEXT, min_size=1, max_size=4), _TEXT), max_size=4))
def test_export_of_anything(rows: list[tuple[DiscoveryType, list[str], str]]) -> None:
    """MEM-EXPORT: whatever was recorded comes back the same, or was never as long as it must be."""
    made = []
    for type, lines, cell in rows:
        content, _ = sanitize_text("\n".join(lines))
        if len(content) >= 10:
            item = Discovery(make_recorded_id(type, content), type, content, DiscoverySource("recorded"))
            flat = " ".join(cell.split())
            made.append(RecordedDiscovery(item, ((Claim("path", flat, flat), Anchor(flat, "a\0b", "d", flat)),)))
    unique = {row.discovery.id: row for row in made}
    back = markdown_export.parse_export(
        markdown_export.write_export(unique.values(), [DiscoveryMark("disc_000000000000001", "forgotten", "", "t")])
    )
    assert {row.discovery.id: row.discovery.content for row in back.recorded} == {
        name: row.discovery.content for name, row in unique.items()
    }
    assert {row.discovery.id: row.anchors for row in back.recorded} == {n: r.anchors for n, r in unique.items()}
    assert back.rejections == () and len(back.marks) == 1


def test_diary(shop: Lab) -> None:
    """MEM-DIARY: a session is what it did; a file read often and lately scores above one read once."""
    engine = shop.engine
    for _ in range(5):
        engine.note(None, "s1", "read", "src/a.py", "agent")
    engine.note(None, "s1", "query", "where is the price", "agent")
    engine.note(None, "s2", "read", "src/b.py")
    engine.end_session(None, "s2")
    engine.end_session(None, "nobody")
    one = engine.session(None, "s1")
    assert one and (one.client, one.calls, one.ended) == ("agent", 6, "")
    assert one.events[-1].subject == "where is the price"
    assert {session.id for session in engine.sessions(None, 10)} == {"s1", "s2"}
    ended = engine.session(None, "s2")
    assert ended and ended.ended and engine.session(None, "s3") is None
    first, second = engine.accesses(None, 10)
    assert (first.path, first.count, second.path) == ("src/a.py", 5, "src/b.py")
    assert 1 >= first.score > second.score > 0


def test_records_are_brought_forward(tmp_path: Path) -> None:
    """MEM-MIGRATE: a file of the first version keeps what it has and gets the new tables; a newer one is refused."""
    path = tmp_path / "records.db"
    EmbeddedRecords(path).close()
    connection = open_database(path, write=True)
    made = "('discoveries', 'marks', 'sessions', 'session_events', 'access')"
    query = f"SELECT name FROM sqlite_schema WHERE type = 'table' AND name IN {made}"
    for (name,) in connection.execute(query).fetchall():
        connection.execute(f"DROP TABLE {name}")
    connection.execute("INSERT INTO meta VALUES ('repo_root', '/somewhere')")
    connection.pragma("user_version", 1)
    connection.close()
    records = EmbeddedRecords(path)
    memory = EmbeddedMemoryRecords(records)
    item = Discovery("disc_000000000000001", "rule", "some statement", DiscoverySource("recorded"))
    assert memory.record_discovery(RecordedDiscovery(item), "2026-01-01T00:00:00Z") and not memory.record_discovery(
        RecordedDiscovery(item), "x"
    )
    assert [row.discovery for row in memory.read_discoveries()] == [item] and records.get("repo_root") == "/somewhere"
    unknown = item._replace(id="disc_000000000000002", type=cast(DiscoveryType, "a newer type"))
    assert memory.record_discovery(RecordedDiscovery(unknown), "2026-01-02T00:00:00Z")
    assert [row.discovery for row in memory.read_discoveries()] == [item]  # one unknown record hides no other
    records.close()
    connection = open_database(path, write=True)
    assert connection.execute("SELECT count(*) FROM discoveries").fetchone() == (2,)
    assert connection.pragma("user_version") == len(RECORDS)
    connection.pragma("user_version", len(RECORDS) + 1)
    connection.close()
    with pytest.raises(Failure) as newer:
        EmbeddedRecords(path)
    assert newer.value.code == "INDEX_INCOMPATIBLE"


@pytest.mark.parametrize(
    "text",
    [
        "Deploy with password=hunter2hunter2.", 'api_key: "abcdef123456"; token = xyzxyzxyz', "Bearer abcdefgh.ijkl",
        "https://ann:pass@host/path", "Authorization: Basic QWxhZGRpbjpvcGVu", "key AKIAIOSFODNN7EXAMPLE, secret=[abc]",
    ],
)  # fmt: skip
def test_secrets_leave_once(text: str) -> None:
    """MEM-REDACT: what stands in the place of a secret is none: taking secrets out again changes nothing."""
    once, redacted = sanitize_text(text)
    assert redacted and sanitize_text(once) == (once, False)


def test_an_export_in_the_repository(shop: Lab, tmp_path: Path) -> None:
    """MEM-EXPORT: whoever has the file reads the statements, not their bookkeeping; importing adds none."""
    made = shop.remember("Refunds must go through `charge()`, as audits ask. password=hunter2hunter2", author="Ada")
    other = shop.remember("Never refund gift cards by hand, the ledger must say why.", type="rule")
    shop.engine.supersede(None, other.id, made.id, Call())
    text = shop.engine.export_memory(None, Call())
    with lab_on(tmp_path / "clone", "shop") as clone:
        put(clone.repo, {"docs/context/discoveries.md": text})
        clone.index()
        mined = [item for item in clone.all() if item.source.path == "docs/context/discoveries.md"]
        assert {(item.id, item.content, item.state) for item in mined} == {
            (made.id, made.content, "active"), (other.id, other.content, "superseded"),
        }  # fmt: skip
        lines = text.split("\n")
        for item in mined:
            assert lines[item.source.line_start - 1].startswith(f"## {item.id}")
            assert lines[item.source.line_end - 1] == item.content
        read = clone.engine.import_memory(None, text, Call())
        assert (read.added, read.refused) == (3, ())
        found = [item for item in clone.all() if item.id in (made.id, other.id)]
        assert {(item.source.kind, item.redacted) for item in found} == {("recorded", True), ("recorded", False)}
