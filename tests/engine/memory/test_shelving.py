"""The words of a memory that changes: what is carried over from before is what would be made anew."""

from pathlib import Path
from typing import Any

from codecompass.model.memory_values import MemoryAnswer
from tests.engine.memory.memorylab import lab_on, put

_RULES = """# Rules

## Parcels

You must weigh parcels before shipping, because customs asks for the weight.

## Zeppelins

Never ship zeppelins by sea: salt must not touch the hull.
"""
_CASE: dict[str, Any] = {
    "commit": [
        {
            "message": "Weigh parcels twice\n\nThe first scale drifted, because nobody calibrated it.",
            "files": {
                "CONTRIBUTING.md": _RULES,
                "src/ship.py": "# Never round the weight: customs must see it as it is.\ndef ship(parcel):\n    ...\n",
            },
        },
    ]
}
_QUESTIONS = ("why must we weigh parcels", "ship zeppelins by sea", "round the weight for customs", "scale drifted")


def _told(answer: MemoryAnswer) -> list[tuple[str, float, object]]:
    return [(hit.discovery.id, hit.score, hit.factors) for hit in answer.hits]


def test_edits_give_what_a_new_memory_gives(tmp_path: Path) -> None:
    """MEM-IDS: after edits the answers are those of a memory that never saw what was there before."""
    edited = {
        "CONTRIBUTING.md": _RULES.replace("zeppelins by sea: salt", "kites by rail: soot").replace("Zeppelins", "Air"),
        "docs/seals.md": "# Seals\n\nYou must seal every parcel with wax, because tape opens in the heat.\n",
    }
    with lab_on(tmp_path / "edited", _CASE) as lab:
        for question in _QUESTIONS:
            assert lab.ask(question).hits
        put(lab.repo, edited)
        lab.index()
        carried = [_told(lab.ask(question)) for question in (*_QUESTIONS, "seal a parcel with wax")]
    with lab_on(tmp_path / "new", _CASE, index=False) as lab:
        put(lab.repo, edited)
        lab.index()
        assert [_told(lab.ask(question)) for question in (*_QUESTIONS, "seal a parcel with wax")] == carried
    assert [bool(one) for one in carried] == [True, False, True, True, True]
