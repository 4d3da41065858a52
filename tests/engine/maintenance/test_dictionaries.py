"""Word lists: what they do to words, and that index and questions always go by the same ones."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codecompass.errors import Failure
from codecompass.model.call import Call, Progress
from codecompass.model.maintenance.download_values import DownloadRequest
from codecompass.text.dictionary import (
    ABBREVIATIONS,
    build_dictionary,
    has_words,
    load_dictionary,
    read_words,
    split_compound,
)
from codecompass.text.tokens import Tokenizer, split_identifier
from tests.engine.maintenance.supplylab import FILES, WORDS, supply_desk
from tests.engine.maintenance.test_downloads import asked
from tests.engine.support import Desk
from tests.repo.gitrepo import git, make_repo

LIST = build_dictionary(read_words(WORDS.decode()), "d")


@pytest.mark.parametrize(
    ("word", "parts"),
    [
        ("httprequest", ["http", "request"]),
        ("HTTPREQUEST", ["http", "request"]),
        ("dbconnection", ["db", "connection"]),
        ("sendHttprequest", ["send", "http", "request"]),
        ("httprequest2", ["http", "request", "2"]),
        ("waterfall", ["waterfall"]),
        ("waterfallchart", ["waterfall", "chart"]),
        ("requests", ["requests"]),
        ("request", ["request"]),
        ("userid", ["user", "id"]),
        ("Größe", split_identifier("Größe")),
        ("x" * 60, ["x" * 60]),
    ],
)
def test_compounds(word: str, parts: list[str]) -> None:
    """DICT-SPLIT: covered whole, by the fewest words; what is known or cannot be covered stays."""
    assert LIST is not None
    assert LIST.split(word) == parts


def test_lists_as_they_are_written() -> None:
    """DICT-SPLIT: comments, case and odd lines; words of two letters come from us alone."""
    found = read_words(WORDS.decode())
    assert "connection" in found and "ab" not in found and "it's" not in found and "#" not in "".join(found)
    assert build_dictionary([], "") is None and build_dictionary([""], "") is None
    assert has_words(WORDS) and has_words(b"\xef\xbb\xbfword # yes\r\n") and not has_words(b"# word\nab\n12\n\n")
    assert all(word.isascii() and word.islower() for word in ABBREVIATIONS)
    assert load_dictionary(Path("/nowhere/at/all.txt"), "d") is None


@given(st.text(st.sampled_from("abcdehtpqrsu"), max_size=30))
def test_a_split_loses_nothing(word: str) -> None:
    """DICT-SPLIT: the parts put together are the word, and each of several is known."""
    assert LIST is not None
    parts = split_compound(word, LIST.words)
    assert "".join(parts) == word
    assert len(parts) == 1 or all(part in LIST.words for part in parts)


def test_the_text_of_the_index() -> None:
    """DICT-SPLIT: with a list compounds add their parts; without one every word is what it was."""
    assert LIST is not None
    split, plain = Tokenizer(LIST.split), Tokenizer()
    assert (
        split.expand_all(["httprequest"]) == "httprequest http request"
        and plain.expand_all(["httprequest"]) == "httprequest"
    )
    assert (
        split.find_extra_tokens("a httprequest(x)") == "http request"
        and plain.find_extra_tokens("a httprequest(x)") == ""
    )
    for word in ("getHTTPResponse_v2", "foo_bar", "simple", "URL"):
        assert split.expand_all([word]) == plain.expand_all([word]) and split.find_extra_tokens(
            word
        ) == plain.find_extra_tokens(word)


def put(desk: Desk, text: bytes = WORDS, name: str = "en") -> None:
    source = desk.data.parent / f"{name}.txt"
    source.write_bytes(text)
    desk.engine.download_dictionaries(None, DownloadRequest((f"{name}=file://{source}",), force=True), Call())


def found(desk: Desk, text: str, ref: str | None = None) -> set[str]:
    """Files that have every word of a question."""
    hits = desk.search(text, ref)
    return set() if hits.relaxed else {hit.path for hit in hits.hits}


def state(desk: Desk) -> dict[str, object]:
    return dict(asked(desk, "index_status", {}).payload["dictionaries"])


def test_changed_lists_wait_for_a_reindex(tmp_path: Path) -> None:
    """DICT-SAME, DICT-SPLIT, SUP-STATUS: nothing is mixed; the status says what to do; then parts are found."""
    repo = make_repo(tmp_path / "repo", FILES)
    with supply_desk(tmp_path) as desk:
        desk.index()
        assert found(desk, "http request") == set() and state(desk)["files"] == []
        put(desk)
        assert state(desk)["files"] == ["en.txt"] and "Reindex to apply" in str(state(desk)["message"])
        warnings = {row["code"] for row in asked(desk, "config_status", {}).payload["warnings"]}
        assert "dictionary_changed" in warnings and "dictionary_missing" not in warnings
        (repo / "more.py").write_text("def httprequestlater():\n    httprequest = 1\n    return httprequest\n")
        desk.index()
        assert found(desk, "http request") == set(), "a sync goes on with the words the index was made with"
        assert found(desk, "httprequest") == {"client.py", "more.py"}
        desk.index(force=True)
        assert "message" not in state(desk) and state(desk)["indexDigest"] == state(desk)["digest"]
        assert found(desk, "http request") == {"client.py", "more.py"}
        assert found(desk, "db connection") == {"store.py"}
        assert desk.search("http request").hits[0].path in ("client.py", "more.py")
        assert "store.py" in desk.paths("dbconnection")
    # Another process finds the same.
    with supply_desk(tmp_path) as desk:
        assert found(desk, "http request") == {"client.py", "more.py"}
        (repo / "last.py").write_text("httprequest = 'in the last file'\n")
        desk.index()
        assert found(desk, "http last") == {"last.py"}, "a sync takes new files apart by the same words"
        (desk.data / "dictionaries" / "en.txt").unlink()
        assert "Reindex to apply" in str(state(desk)["message"])
        assert found(desk, "http last") == {"last.py"}, "the index keeps a copy"
        desk.index(force=True)
        assert found(desk, "http request") == set() and "message" not in state(desk)
        assert not list((desk.home / "words").iterdir()), "the copy goes when nothing uses it"


def test_a_first_index_takes_the_lists_up(tmp_path: Path) -> None:
    """DICT-SAME: at once; with the setting off they are left alone."""
    with supply_desk(tmp_path) as desk:
        put(desk)
        desk.index()
        assert found(desk, "http request") == {"client.py"} and "message" not in state(desk)
        assert asked(desk, "build_sqlite_index", {}).payload["ok"]
        hits = asked(desk, "search", {"query": "http request", "backend": "sqlite"}).payload
        assert [hit["file"] for hit in hits["code"]][:1] == ["client.py"], "the portable file has the same words"
    with supply_desk(tmp_path / "off", enabled=False) as desk:
        put(desk)
        desk.index()
        assert found(desk, "http request") == set()
        assert state(desk)["enabled"] is False and "message" not in state(desk)


def test_branches_do_not_mix(tmp_path: Path) -> None:
    """DICT-SAME: a branch that shares contents with one made anew is made anew with it."""
    repo = make_repo(tmp_path / "repo", FILES)
    git(repo, "branch", "side")
    with supply_desk(tmp_path) as desk:
        desk.index()
        desk.index("side")
        put(desk)
        desk.index(force=True)
        assert found(desk, "http request") == {"client.py"}
        assert found(desk, "http request", "side") == set(), "it still is what it was"
        desk.index("side")
        assert found(desk, "http request", "side") == {"client.py"}
        put(desk, b"chart\n", "other")
        desk.index("side")
        assert found(desk, "http request", "side") == {"client.py"}


def test_a_lost_copy_is_made_good(tmp_path: Path) -> None:
    """DICT-SAME: without the words it was made with, a view is made anew at the next sync."""
    repo = make_repo(tmp_path / "repo", FILES)
    with supply_desk(tmp_path) as desk:
        put(desk)
        desk.index()
        (copy,) = (desk.home / "words").iterdir()
        copy.unlink()
        put(desk, b"request\nlater\n")
        (repo / "more.py").write_text("requestlater = 1\n")
    with supply_desk(tmp_path) as desk:
        assert found(desk, "httprequest") == {"client.py"}, "whole words are found without it"
        desk.index()
        assert found(desk, "request later") == {"more.py"} and found(desk, "http request") == {"client.py"}
        assert "message" not in state(desk)


@pytest.mark.parametrize("phase", ["parse", "publish"])
def test_a_reindex_that_is_stopped_mixes_nothing(tmp_path: Path, phase: str) -> None:
    """DICT-SAME: the old view answers as before; the next sync makes all of it with the new words."""
    repo = make_repo(tmp_path / "repo", FILES)
    with supply_desk(tmp_path) as desk:
        desk.index()
        put(desk)

        def stop(told: Progress) -> None:
            if told.phase == phase:
                raise Failure("CANCELLED", "The call was cancelled.")

        with pytest.raises(Failure, match="cancelled"):
            desk.engine.index(None, None, force=True, call=Call(report=stop))
        assert found(desk, "http request") == set() and found(desk, "httprequest") == {"client.py"}
        (repo / "more.py").write_text("httprequest = 1\n")
        desk.index()
        assert found(desk, "http request") == {"client.py", "more.py"} and found(desk, "db connection") == {"store.py"}
        assert "message" not in state(desk)
