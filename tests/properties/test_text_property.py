"""Properties of the text level: chunks, words, trigrams, bytes."""

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from codecompass.engine.search.query.query_terms import tokenize_query
from codecompass.model.code.facts import Definition
from codecompass.model.code.kinds import KINDS
from codecompass.text.chunks import MAX_DEFINITION_LINES, make_chunks
from codecompass.text.sniff import decode, sniff
from codecompass.text.tokens import MAX_WORD, Tokenizer, expand, split_identifier, split_query_words
from codecompass.text.trigram_code import literal_trigrams
from codecompass.text.trigrams import trigram_words

MANY = settings(max_examples=150, deadline=None, derandomize=True)
WORDS = st.one_of(
    st.from_regex(r"[A-Za-z_$][A-Za-z0-9_]{0,30}", fullmatch=True),
    st.text(st.characters(categories=["L", "N"], include_characters="_"), min_size=1, max_size=20),
    st.lists(
        st.sampled_from(["get", "HTTP", "Response", "v2", "_", "__", "ID", "x", "日本", "Éa"]), min_size=1, max_size=6
    ).map("".join),
)
TEXTS = st.text(
    st.one_of(st.sampled_from("aAbB_ \n\r\tzZ09.é日🦀"), st.characters(exclude_categories=["Cs"])), max_size=60
)


@st.composite
def definition_trees(draw: st.DrawFn) -> tuple[tuple[Definition, ...], int]:
    """Definitions as extraction makes them: in source order, nested or beside each other, sharing lines at will."""
    line_count = draw(st.integers(1, 400))
    found: list[Definition] = []

    def fill(first: int, last: int, parent: int, depth: int) -> None:
        at = first
        for _ in range(draw(st.integers(0, 4))):
            if at > last or len(found) > 60:
                return
            start = draw(st.integers(at, last))
            end = draw(st.integers(start, last))
            kind = draw(st.sampled_from(KINDS))
            found.append(Definition(kind, "n", "", parent, start, end, 0, 0, start, 0, "", "", "", ()))
            if depth < 4:
                fill(start, end, len(found) - 1, depth + 1)
            at = end + draw(st.integers(0, 1))

    fill(1, line_count, -1, 0)
    return tuple(found), line_count


@settings(MANY, max_examples=60)
@given(definition_trees())
def test_chunks_cover_every_line_once(tree: tuple[tuple[Definition, ...], int]) -> None:
    """TEXT-CHUNKS: whatever the definitions, the chunks are its lines, each once, in order, none too long."""
    definitions, line_count = tree
    chunks = make_chunks(definitions, line_count)
    lines = [line for chunk in chunks for line in range(chunk.line_start, chunk.line_end + 1)]
    assert lines == list(range(1, line_count + 1))
    assert all(chunk.line_end - chunk.line_start < MAX_DEFINITION_LINES for chunk in chunks)
    for chunk in chunks:
        if chunk.owner >= 0:
            owner = definitions[chunk.owner]
            assert owner.line_start <= chunk.line_end and chunk.line_start <= owner.line_end


@MANY
@given(WORDS)
def test_a_word_is_found_by_itself_and_by_its_parts(word: str) -> None:
    """TEXT-WORDS: what the index holds of an identifier is what a query for it, or for a part of it, asks for."""
    text = f"x = {word}"
    held = {*re.findall(r"[^\W_]+", text.lower(), re.ASCII), *Tokenizer().find_extra_tokens(text).split()}
    for typed in split_query_words(word):
        question = tokenize_query(typed)
        for whole, parts in question.text_words:
            assert whole in held
            assert held.issuperset(parts)
    for part in split_identifier(word):
        assert part in held


@MANY
@given(WORDS)
def test_the_memory_of_the_tokenizer_changes_nothing(word: str) -> None:
    """TEXT-WORDS: a word seen before is expanded as the first time; expansion begins with the word itself."""
    tokenizer = Tokenizer()
    assert tokenizer.expand_all([word, word]) == f"{expand(word)} {expand(word)}"
    assert expand(word).split(" ")[0] == word.lower()
    assert expand("a" * (MAX_WORD + 1)) == "" and split_query_words("a" * (MAX_WORD + 1)) == []


@MANY
@given(TEXTS)
def test_a_question_has_each_word_once(text: str) -> None:
    """TEXT-WORDS: the words of a question are words of its text, each once, none with a blank in it."""
    words = split_query_words(text)
    assert len(words) == len(set(words))
    assert all(word in text and re.fullmatch(r"\w+", word) for word in words)
    assert all(" " not in whole for whole, _ in tokenize_query(text).text_words)


@MANY
@given(TEXTS, st.data())
def test_a_substring_has_no_trigram_its_text_lacks(text: str, data: st.DataObject) -> None:
    """TEXT-TRIGRAMS: every trigram of a part of a line, in any ASCII case, is among those of the text."""
    start = data.draw(st.integers(0, len(text)))
    piece = re.split(r"[\r\n]", text[start : data.draw(st.integers(start, len(text)))])[0]
    have = set(trigram_words(text.encode()).split())
    for spelled in (piece, piece.encode().upper().decode(), piece.encode().lower().decode()):
        assert have.issuperset(literal_trigrams(spelled))
    if len(piece.encode()) >= 3:
        assert literal_trigrams(piece)


@MANY
@given(st.binary(max_size=200))
def test_trigrams_are_all_three_byte_runs_of_lines(data: bytes) -> None:
    """TEXT-TRIGRAMS: the trigrams are exactly the runs of three bytes without a line break, each once."""
    low = data.lower()
    runs = {low[at : at + 3] for at in range(len(low) - 2)}
    expected = {run for run in runs if not {10, 13} & set(run)}
    words = trigram_words(data).split()
    assert len(words) == len(set(words)) == len(expected)
    assert all(len(word) == 4 for word in words)


@MANY
@given(
    st.one_of(st.binary(max_size=300), TEXTS.map(str.encode), TEXTS.map(lambda text: text.encode("utf-16"))),
    st.sampled_from([b"", b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf", b"\xff\xfe\0\0", b"\0\0\xfe\xff", b"\0"]),
)
def test_no_bytes_break_sniffing_or_decoding(data: bytes, mark: bytes) -> None:
    """TEXT-BYTES: any bytes are judged and decoded; the text can be written as UTF-8, and UTF-8 stays itself."""
    judged = sniff(mark + data, "x.py")
    text, notes = decode(mark + data)
    assert judged.kind in ("text", "binary")
    text.encode("utf-8", "replace")
    if not mark and not notes:
        assert text.encode() == data
