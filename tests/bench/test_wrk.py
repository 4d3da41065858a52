"""What wrk is told to ask, and how its figures are read; wrk itself runs in `bench/http_bench.py`."""

from bench.wrk import Heard, heard, script

REPORT = """\
Running 2s test @ http://127.0.0.1:7345
  1 threads and 8 connections
  Non-2xx or 3xx responses: 124
Requests/sec:    122.64
{"calls":248,"us":2000000,"odd":124,"lost":1,"p50":69000,"p95":120500,"p99":250000,"most":279920}
"""


def test_every_body_is_sent_as_it_is() -> None:
    made = script("/search", [{"query": 'a "b" ]] \\ c'}, {"query": "ü"}])
    assert '[==[{"query": "a \\"b\\" ]] \\\\ c"}]==], [==[{"query": "\\u00fc"}]==]' in made
    assert '"POST", "/search"' in made and "@" not in made


def test_figures_are_read_behind_the_report() -> None:
    assert heard(REPORT) == Heard(calls=248, odd=125, per_second=124.0, p50=69.0, p95=120.5, p99=250.0, most=279.92)
