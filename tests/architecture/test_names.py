"""Names: a function name is no lone participle; a module and a class name mean one thing in the whole tree."""

import ast
from collections import defaultdict

from tests.architecture.source import SOURCES, Module

IRREGULAR = frozenset(
    "begun bent born borne bought bound broken brought built caught chosen clung come dealt done drawn driven fallen"
    " fed felt flown forgotten found frozen given gone grown heard held hidden kept known laid led left lent lost made"
    " meant met paid proven said seen sent shown shut sold sought spent spoken stood stuck sworn taken taught thought"
    " thrown told torn understood won worn wound written".split()
)
"""Past participles that do not end in -ed. Words that are also plain verbs (read, put, set, cut, split) are none."""
NOUNS = frozenset({"embed", "feed", "need", "seed", "speed", "heading", "ping", "string", "warning"})
"""Words that end like a participle and are none."""
MODULE_TWINS: dict[str, str] = {
    "engine": "the package and its façade",
    "resolver": "the package and its main class",
    "search": "a package, the memory's counterpart, and the tool of that name",
    "shapes": "what tools share, and what tools and the command line share",
    "maintenance": "the engine's package and its values in model",
    "results": "the engine's package and its values in model",
    "filters": "the engine's package and its values in model",
    "workspace": "the engine's package, and the directory it is about",
    "files": "files of the repository, and of a project's data directory",
    "text": "functions on text, and the text index",
    "mcp": "MCP over stdio, and over HTTP",
}
"""Module or package name → why several may have it."""
CLASS_TWINS: dict[str, str] = {}
"""Class name → why several classes may have it."""


def is_participle(name: str) -> bool:
    word = name.strip("_")
    if "_" in word or word in NOUNS or name.startswith("__"):
        return False
    return word in IRREGULAR or (len(word) > 4 and word.endswith(("ed", "ing")))


def functions(module: Module) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    found = []
    for node in ast.walk(module.tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            marks = {ast.unparse(one).split(".")[-1] for one in node.decorator_list}
            if not marks & {"property", "cached_property", "setter"}:
                found.append(node)
    return found


def test_no_function_is_a_lone_participle() -> None:
    """HOUSE-NAMES: a function begins with a verb; `said` and `kept` do not say what they do."""
    wrong = [
        f"{module.name}:{node.lineno} {node.name}"
        for module in SOURCES.all
        for node in functions(module)
        if is_participle(node.name)
    ]
    assert not wrong, f"{len(wrong)}\n" + "\n".join(wrong)


def test_module_names_mean_one_thing() -> None:
    """HOUSE-NAMES: whoever reads the name of a module knows which one it is."""
    places: dict[str, list[str]] = defaultdict(list)
    for module in SOURCES.all:
        places[module.name.rpartition(".")[2]].append(module.name)
    twins = {name: found for name, found in places.items() if len(found) > 1 and name not in MODULE_TWINS}
    assert not twins


def test_class_names_mean_one_thing() -> None:
    """HOUSE-NAMES: whoever reads the name of a class knows which one it is. Private ones count inside their module."""
    places: dict[str, list[str]] = defaultdict(list)
    for module in SOURCES.all:
        for node in ast.walk(module.tree):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(module.name)
    twins = {name: found for name, found in places.items() if len(found) > 1 and name not in CLASS_TWINS}
    assert not twins, "\n".join(f"{name}: {', '.join(found)}" for name, found in sorted(twins.items()))
