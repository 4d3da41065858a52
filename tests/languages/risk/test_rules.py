"""Risk rules as data: those that come along, and a user's own."""

from pathlib import Path

import pytest

from codecompass.errors import Failure
from codecompass.languages.extraction.extractor import extract
from codecompass.languages.registry import Registry
from codecompass.languages.taint.risk_rules import RiskRules, hash_rules, load_rules
from codecompass.model.code.risk_facts import Risks

OWN = """
languages = ["python"]

[[rule]]
id = "own-source"
kind = "source"
name = "shop.input"
category = "input"
names = ["shop.basket"]

[[rule]]
id = "own-sink"
kind = "sink"
name = "shop.bill"
category = "reflection"
severity = "high"
calls = ["*.bill"]
args = [0]

[[rule]]
id = "py-eval"
kind = "sink"
name = "own.eval"
category = "code-exec"
severity = "low"
calls = ["eval"]
"""
SOURCE = b"import shop\n\ndef f(office):\n    item = shop.basket\n    office.bill(item)\n    eval(item)\n"


def risks(source: bytes, *extra: Path) -> Risks:
    language = Registry(rules=RiskRules(map(str, extra))).get("python")
    assert language is not None
    return extract(language, source).insight.risks


def test_a_users_rules_are_added_and_replace(tmp_path: Path) -> None:
    """RISK-RULES: a user's rules work like those that come along; one with a known id replaces it."""
    own = tmp_path / "own.toml"
    own.write_text(OWN)
    found = risks(SOURCE, own)
    assert {(flow.name, flow.severity) for flow in found.flows} == {
        ("shop.input->shop.bill", "high"),
        ("shop.input->own.eval", "low"),
    }
    assert risks(SOURCE).flows == ()
    assert hash_rules(()) == "" and hash_rules([str(own)]) != hash_rules([])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("languages = [", "is not valid TOML"),
        ("[[rule]]\nid = 'a'", "needs 'languages'"),
        ("languages = ['python']\ncolour = 1", "unknown key 'colour'"),
        ("languages = ['python']\n[[rule]]\nid = 'a'\nkind = 'sink'\nname = 'x'\ncategory = 'sql'",
         "rule a: applies to nothing"),
        ("languages = ['python']\n[[rule]]\nid = 'a'\nsink = 1", "rule a: unknown key 'sink'"),
        ("languages = ['python']\n[[rule]]\nid = 'a'\nkind = 'sink'\nname = 'x'\ncategory = 'sq'\ncalls = ['f']",
         "rule a: 'category' is 'sq'"),
        ("languages = ['python']\n[[rule]]\nid = 'a'\nkind = 'sink'\nname = 'x'\ncategory = 'sql'\ncalls = 'f'",
         "rule a: 'calls' must be a list of strings"),
        ("languages = ['python']\n[[rule]]\nid = 'a'\nkind = 'sink'\ncategory = 'sql'\ncalls = ['f']",
         "rule a: lacks the key 'name'"),
        ("languages = ['python']\n[[rule]]\nid = 'a'\nkind = 'sanitizer'\nname = 'x'\ncategory = 'sql'\ncalls = ['f']",
         "rule a: a sanitizer needs 'cleans'"),
        ("languages = ['python']\n[[rule]]\nid = 'a'\nkind = 'sink'\nname = 'x'\ncategory = 'sql'\ncalls = ['f']\n"
         "[[rule.when]]\narg = 0\nmatches = '('", "rule a: '(' is not a valid regular expression"),
        ("languages = ['python']\n[[rule]]\nid = 'a'\nkind = 'sink'\nname = 'x'\ncategory = 'sql'\ncalls = ['f']\n"
         "[[rule]]\nid = 'a'\nkind = 'sink'\nname = 'x'\ncategory = 'sql'\ncalls = ['f']",
         "rule a: the id is used twice"),
        ("languages = ['python']\n[[rule]]\nid = 'a'\nkind = 'sink'\nname = 'x'\ncategory = 'sql'\ncalls = ['f']\n"
         "confidence = 2.0", "rule a: 'confidence' must lie"),
    ],
)  # fmt: skip
def test_wrong_rules_are_refused(tmp_path: Path, text: str, said: str) -> None:
    """RISK-RULES: a wrong file is refused with its name, the rule and the key."""
    path = tmp_path / "mine.toml"
    path.write_text(text)
    with pytest.raises(Failure) as caught:
        load_rules([str(path)])
    assert caught.value.code == "INVALID_REQUEST"
    assert caught.value.message.startswith("Risk rules mine.toml: ") and said in caught.value.message


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    """RISK-RULES: a file that is not there is named."""
    with pytest.raises(Failure, match=r"Risk rules gone\.toml: cannot be read"):
        hash_rules([str(tmp_path / "gone.toml")])


def test_the_rules_that_come_along() -> None:
    """RISK-RULES: every file is valid, is about languages that say how values move, and has all three kinds."""
    registry = Registry()
    books = load_rules()
    assert {"python", "javascript", "typescript", "go", "java", "ruby", "php", "csharp"} <= set(books)
    for name, book in books.items():
        language = registry.get(name)
        assert language is not None and language.flows_query is not None, name
        assert {rule.kind for rule in book.rules} == {"source", "sink", "sanitizer"}, name
        assert all(rule.cwe for rule in book.rules if rule.kind == "sink"), name
        assert RiskRules().get_index(name) is not None
