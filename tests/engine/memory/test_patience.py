"""Questions that run out of time: what they found is kept, and the next one goes on from there."""

from pathlib import Path

import pytest

from codecompass.model.call import Call
from codecompass.model.time_budget import TimeBudget
from tests.engine.memory.memorylab import lab_on

_NAMES = ("weigh", "ship", "pack", "label")
_WORDS = " and ".join(f"`{name}`" for name in _NAMES)
_CASE = {
    "commit": [
        {
            "message": "First",
            "files": {f"src/{name}.py": f"def {name}(box):\n    return box\n" for name in _NAMES}
            | {f"src/use{at}.py": "".join(f"{name}(box)\n" for name in _NAMES) for at in range(5)},
        },
        {"message": "Say it", "files": {"CONTRIBUTING.md": f"# Rules\n\nYou must call {_WORDS} in this order.\n"}},
        {
            "message": "All of it otherwise",
            "files": {f"src/{name}.py": f"def {name}(box):\n    return box, {at}\n" for at, name in enumerate(_NAMES)}
            | {f"src/use{at}.py": "".join(f"{name}(box, 1)\n" for name in _NAMES) for at in range(5)},
        },
    ]
}
"""Every name is defined once and used in many files, all of which are otherwise by now: each must be parsed."""


class Steps(TimeBudget):
    """Time as a number of looks at the clock, so that no machine is too quick or too slow for a test."""

    def __init__(self, steps: int) -> None:
        super().__init__(0.0, Call())
        self._steps = steps

    def get_remaining(self) -> float:
        self._steps -= 1
        return 5.0 if self._steps >= 0 else 0.0


def test_judging_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """MEM-PATIENCE: a question that has time for a few contents only is the nearer to its verdicts each time."""
    monkeypatch.setattr("codecompass.engine.memory.memory_session.DeferredBudget", lambda *_: Steps(8))
    with lab_on(tmp_path, _CASE) as lab:
        seen = [
            {(one.status, one.note, bool(one.commit)) for one in lab.show("in this order").verdicts} for _ in range(12)
        ]
        whole = {("fresh", "edited since", True)}
        assert seen[0] != whole
        assert seen[-1] == whole
