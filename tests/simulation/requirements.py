"""Requirements of the simulation: id → (document, rule), part of `tests/requirements.py`."""

SIMULATION = {
    "SIM-HOLDS": ("reliability", "through months of edits, switches, crashes and sweeps every answer is the model's"),
    "SIM-PROCESSES": ("reliability", "the same with several servers and commands at once, some of them killed"),
    "SIM-REPLAYS": ("reliability", "a failing run is a trace that can be replayed and is shortened to a few steps"),
    "SIM-FINDS": ("reliability", "a fault that is put back into the program is found by a run"),
}
