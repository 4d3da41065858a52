"""Requirements of installation and user documentation: id → (document, rule), part of `tests/requirements.py`."""

INSTALL_AND_GUIDES = {
    "INSTALL-OLD-PYTHON": ("docs/install.md", "a Python that is too old is named in one line, with what to do"),
    "INSTALL-NO-GIT": ("docs/install.md", "missing git is one line at installation, and no obstacle to an index"),
    "INSTALL-NO-WHEEL": ("docs/install.md", "a package without a wheel and no compiler are one line"),
    "INSTALL-PROGRESS": ("docs/install.md", "make try says what it installs, without pip's warnings, and the PATH"),
    "INSTALL-WHEEL": ("docs/install.md", "the built wheel has everything that the program needs"),
    "INSTALL-BROKEN": ("docs/install.md", "a dependency that does not load is one line that names it"),
    "DOCS-EXAMPLES": ("docs/index.md", "every example of the pages runs and prints what they show"),
    "DOCS-COMPLETE": ("docs/troubleshooting.md", "pages made from tables name every row of them"),
    "DOCS-README": ("README.md", "the README fits a screen and leads to the pages"),
    "DOCS-SITE": ("mkdocs.yml", "the site is built without a broken link, and needs no network to be read"),
    "DOCS-PICTURE": ("README.md", "the picture is a real run, made by a script, and asks no other machine"),
    "NOTICES-COMPLETE": ("THIRD-PARTY.md", "every dependency, grammar, model and word list is named with its licence"),
    "SERVICE-FILES": ("docs/service.md", "Dockerfile and unit pass their linters, and start what exists"),
}
