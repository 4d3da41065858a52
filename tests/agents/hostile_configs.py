"""Hostile configurations: combinations of style and content that editors of configuration are known to destroy."""

import itertools
import json

OTHER = '"other": {"command": "x", "args": [], "env": {}}'
BODIES = {
    "empty object": "{}",
    "spaced object": "{ }",
    "object with a comment": "{\n  // nothing yet\n}",
    "block comment": "/* head */ { /* in */ } /* tail */",
    "other keys": '{\n  "theme": "dark", // mine\n  "list": [1, 2, 3,],\n}',
    "one line": '{"a": 1, "KEY": {' + OTHER + "}}",
    "others": '{\n  "KEY": {\n    ' + OTHER + ' // keep\n  },\n  "z": null\n}',
    "others, trailing commas": '{\n  "KEY": {\n    ' + OTHER + ",\n  },\n}",
    "empty servers": '{\n  "KEY": {}\n}',
    "spread servers": '{\n  "KEY": {\n\n  }\n}',
    "own entry": '{\n  "KEY": {\n    "codecompass": {"command": "mine", /* why */ "args": ["serve"],'
    ' "env": {"A": "b"}}\n  }\n}',
    "own entry first": '{"KEY": {"codecompass": {"command": "mine"}, ' + OTHER + "}}",
    "comment with braces": '{\n  // } "KEY": {\n  "s": "// no comment } \\" {",\n  "KEY": {' + OTHER + "}\n}",
    "duplicate key": '{"KEY": {}, "KEY": {' + OTHER + "}}",
    "unicode": '{\n  "ключ": "значение \\u00e9 \\ud83d\\ude00 😀",\n  "KEY": {"ümlaut": {"command": "ö"}}\n}',
    "huge": json.dumps({"history": [{"n": n, "text": "x" * 50} for n in range(3_000)], "KEY": {}}, indent=2),
    "deep": '{"d": ' + "[" * 150 + "]" * 150 + ', "KEY": {}}',
}
ENDS = {"lf": "\n", "crlf": "\r\n"}
INDENTS = {"two": "  ", "tab": "\t", "four": "    "}
MARKS = {"plain": "", "bom": "\ufeff"}
TAILS = {"line": "\n", "none": ""}


def make_configs(key: str) -> dict[str, bytes]:
    """Every body in every style, for a file whose servers stand under a key."""
    found = {"nothing": b"", "only a comment": b"// later\n", "only spaces": b" \n\n"}
    for (title, body), end, indent, mark, tail in itertools.product(BODIES.items(), ENDS, INDENTS, MARKS, TAILS):
        text = body.replace("KEY", key) + TAILS[tail]
        text = text.replace("  ", INDENTS[indent]).replace("\n", ENDS[end])
        found[f"{title}, {end}, {indent}, {mark}, {tail}"] = (MARKS[mark] + text).encode()
    return found


TOML_BODIES = {
    "model": 'model = "x" # mine\n',
    "others": '# head\n[mcp_servers.other]\ncommand = "x"\nargs = []\n\n'
    '[mcp_servers.other.env]\nA = "b"\n\n[tui]\nx = 1\n',
    "own entry": '[mcp_servers.codecompass]\ncommand = "mine" # why\nstartup_timeout_sec = 5\n',
    "inline": 'mcp_servers = { other = { command = "x" } }\n',
    "empty table": "[mcp_servers]\n",
    "dotted": 'mcp_servers.other.command = "x"\n',
    "multi-line": 's = """\n[mcp_servers.codecompass]\n"""\n\n[[history]]\nn = 1\n\n[[history]]\nn = 2',
}


def make_toml_configs() -> dict[str, bytes]:
    found = {"nothing": b""}
    for (title, body), end, mark in itertools.product(TOML_BODIES.items(), ENDS, MARKS):
        found[f"{title}, {end}, {mark}"] = (MARKS[mark] + body.replace("\n", ENDS[end])).encode()
    return found
