"""read_file with dependencies in every language whose names are followed and whose traits are known."""

from collections.abc import Iterator

import pytest

from codecompass.languages.language_info import describe_languages
from codecompass.languages.registry import Registry
from codecompass.model.call import Call
from codecompass.model.queries.file_reading import ReadQuery
from tests.engine.navigation.test_resolution import CASES, read_marks
from tests.engine.support import Desk, desk_on
from tests.repo.gitrepo import make_repo

EXPECTED: dict[str, tuple[str, list[str]]] = {
    "c": ("src/conn.c", ["import include/net/conn.h", "import src/log.h", "reference include/net/buf.h",
                         "reference src/buf.c"]),
    "cpp": ("src/main.cpp", ["import include/zoo/keeper.hpp", "import include/zoo/animal.hpp",
                             "reference src/animal.cpp"]),
    "csharp": ("tests/Shop.Tests/OrderTests.cs", [
        "import src/Shop/Util/Money.cs", "import src/Shop/Util/Mailer.cs", "reference src/Shop/Models/Order.Parts.cs",
        "reference src/Shop/Models/Order.cs", "reference src/Shop/Models/Customer.cs",
        "reference src/Shop/Util/Texts.cs"]),
    "go": ("cmd/shop/main.go", ["import billing/v2/billing.go", "import store/item.go", "import store/store.go",
                                "import internal/go-clock/clock.go", "import tools/tools.go"]),
    "java": ("app/src/main/java/com/acme/app/Main.java", [
        "import core/src/main/java/com/acme/model/Order.java", "import core/src/main/java/com/acme/model/Product.java",
        "import core/src/main/java/com/acme/util/Checks.java", "reference app/src/main/java/com/acme/app/Base.java",
        "reference app/src/main/java/com/acme/app/Repository.java"]),
    "javascript": ("web/app.mjs", ["import lib/index.js", "import packages/store/index.js"]),
    "kotlin": ("core/src/main/kotlin/com/acme/model/Order.kt", [
        "import core/src/main/kotlin/com/acme/util/Money.kt", "import core/src/main/kotlin/com/acme/util/Text.kt",
        "import core/src/main/kotlin/com/acme/util/Registry.kt",
        "reference core/src/main/kotlin/com/acme/model/Entity.kt",
        "reference core/src/main/java/com/acme/model/Legacy.java"]),
    "php": ("src/Models/Order.php", [
        "import src/Contracts/HasTotal.php", "import src/Util/Money.php", "import src/Util/functions.php",
        "reference src/Models/Entity.php", "reference src/Models/Concerns/Dated.php", "reference src/Models/State.php",
        "reference src/Models/Customer.php", "reference src/helpers.php"]),
    "python": ("main.py", ["import shop/__init__.py", "import shop/models.py", "import shop/pricing.py"]),
    "ruby": ("lib/shop.rb", ["import lib/shop/entity.rb", "import lib/shop/order.rb",
                             "reference lib/shop/registry.rb"]),
    "rust": ("core/src/pricing.rs", ["import core/src/model/customer.rs", "import core/src/model/order.rs",
                                     "reference core/src/macros.rs"]),
    "swift": ("Sources/App/main.swift", ["reference Sources/Core/Order.swift", "reference Sources/Core/Text.swift",
                                         "reference Sources/Core/Models.swift"]),
    "typescript": ("app/main.ts", ["import core/src/service.ts", "import packages/util/src/index.ts",
                                   "reference packages/util/src/strings.ts"]),
}  # fmt: skip
"""Language → a file of its case repository, and all it needs: what its imports name, then what it uses without one."""
RENAMED = {"kotlin": ("acme", "kacme")}
"""Its repository has packages of the same names as that of Java, and all stand in one repository here."""


def own(language: str, text: str) -> str:
    return text.replace(*RENAMED[language]) if language in RENAMED else text


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    base = tmp_path_factory.mktemp("languages")
    files = {
        own(language, f"{language}/{name}"): own(language, text)
        for language in EXPECTED
        for name, text in read_marks(CASES / language)[0].items()
    }
    with desk_on(make_repo(base / "repo", files), base / "data") as made:
        made.index()
        yield made


@pytest.mark.parametrize("language", EXPECTED)
def test_dependencies(desk: Desk, language: str) -> None:
    """READ-LANGUAGES: files that imports name, and those that define what is used without an import; no others."""
    path, expected = EXPECTED[language]
    query = ReadQuery(own(language, f"{language}/{path}"), dependencies=True)
    found = desk.engine.read(None, query, Call())
    assert found.language == language
    rows = [f"{row.type} {row.path.removeprefix(language + '/')}" for row in found.dependencies]
    assert rows == [own(language, row) for row in expected]
    assert all(row.content for row in found.dependencies)


def test_no_language_of_the_first_tier_is_left_out() -> None:
    """READ-LANGUAGES: a language that joins the tier must prove its dependencies."""
    full = {card.name for card in describe_languages(Registry()) if card.tier == "full"}
    assert full == set(EXPECTED)
