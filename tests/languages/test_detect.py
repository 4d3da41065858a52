"""Which language a file is in: by its name, and by its content where the name belongs to several."""

from pathlib import Path

import pytest

from codecompass.languages.detection import HEAD_BYTES
from codecompass.languages.language_catalog import TABLE_NAME, read_catalog, render_catalog
from codecompass.languages.registry import DATA, Registry
from tests.engine.support import desk_on
from tests.repo.gitrepo import git, make_repo

REGISTRY = Registry()
GUARD = '#ifdef __cplusplus\nextern "C" {\n#endif\n'

NAMES = [
    ("a.py", "python"),
    ("deep/er/B.CPP", "cpp"),
    ("src/x.c", "c"),
    ("x.mm", "objective-c"),
    ("Dockerfile", "dockerfile"),
    ("ops/Dockerfile.dev", "dockerfile"),
    ("web.dockerfile", "dockerfile"),
    ("Makefile", "make"),
    ("GNUmakefile", "make"),
    ("Makefile.am", "make"),
    ("rules.mk", "make"),
    ("CMakeLists.txt", "cmake"),
    ("toolchain.cmake", "cmake"),
    ("package.json", "json"),
    (".babelrc", "json"),
    ("Cargo.toml", "toml"),
    ("ci.yml", "yaml"),
    (".editorconfig", "ini"),
    ("main.tf", "hcl"),
    ("api.proto", "proto"),
    ("schema.graphql", "graphql"),
    ("guide.rst", "rst"),
    ("manual.adoc", "asciidoc"),
    ("notes.txt", ""),
    ("LICENSE", ""),
    (".h", ""),
    ("x.unknown", ""),
]

CONTENTS = [
    # headers
    ("a.h", "int add(int a, int b);\n", "c"),
    ("a.h", "", "c"),
    ("a.h", GUARD + "struct pair { int left; int right; };\nvoid swap(struct pair *p);\n", "c"),
    ("a.h", "#ifdef __cplusplus\n#include <cstring>\n#define C(v) static_cast<int>(v)\n#else\n#endif\nint f();\n", "c"),
    ("a.h", "/* template <class T> of a\n   class Foo { is not meant */\nint f(void);\n", "c"),
    ("a.h", "// std::vector would be nicer\nint f(void);\n", "c"),
    ("a.h", "// -*- mode: C -*-\nclass Foo { public: int x; };\n", "c"),
    ("a.h", "#pragma once\nnamespace shop {\nstruct Item;\n}\n", "cpp"),
    ("a.h", "#pragma once\nnamespace shop::detail\n{\n}\n", "cpp"),
    ("a.h", "class Item;\n", "cpp"),
    ("a.h", "class SHOP_API Item final : public Thing {\n};\n", "cpp"),
    ("a.h", "template <typename T>\nT largest(T a, T b);\n", "cpp"),
    ("a.h", "#include <vector>\nstruct Box;\n", "cpp"),
    ("a.h", "std::string name();\n", "cpp"),
    ("a.h", "struct Box {\n  Box() = default;\n  virtual ~Box();\n};\n", "cpp"),
    ("a.h", "enum class State { on, off };\n", "cpp"),
    ("a.h", "using Names = int;\n", "cpp"),
    ("a.h", "struct V { int x; };\nbool operator==(V a, V b);\n", "cpp"),
    ("a.h", "void print(const Item& item);\n", "cpp"),
    ("a.h", "/* -*- C++ -*- */\nint f();\n", "cpp"),
    ("a.h", "int f();\n// vim: set ts=4 ft=cpp :\n", "cpp"),
    ("a.h", "#import <Foundation/Foundation.h>\n@interface Shop : NSObject\n@end\n", "objective-c"),
    ("a.h", "@class Basket;\nextern void add(Basket *basket);\n", "objective-c"),
    ("a.h", "typedef NS_ENUM(NSInteger, State) { StateOn };\n", "objective-c"),
    ("a.h", "\r\n#pragma once\r\nclass Item {\r\npublic:\r\n  int x;\r\n};\r\n", "cpp"),
    ("a.h", "\ufeff#pragma once\nnamespace shop { }\n", "cpp"),
    # matrices, formulas and messages
    ("a.m", '#import "Shop.h"\n@implementation Shop\n@end\n', "objective-c"),
    ("a.m", "// plain C inside\nint f(void) { return 1; }\n", "objective-c"),
    ("a.m", "function y = twice(x)\n  y = 2 * x;\nend\n", ""),
    ("a.m", "% Solves it.\nx = A \\ b;\n", ""),
    ("a.m", "classdef Shop < handle\nend\n", ""),
    ("a.m", "(* ::Package:: *)\nf[x_] := x^2\n", ""),
    # translations
    ("a.ts", "export const a = 1;\n", "typescript"),
    ("a.ts", '<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE TS>\n<TS></TS>\n', ""),
    ("a.ts", "<!DOCTYPE TS><TS></TS>\n", ""),
    # rules and facts
    ("a.pl", "use strict;\nmy $x = 1;\n", "perl"),
    ("a.pl", "print 1;\n", "perl"),
    ("a.pl", ":- module(shop, [item/1]).\nitem(apple).\n", ""),
    ("a.pl", "parent(X, Y) :- mother(X, Y).\n", ""),
    ("a.t", "use Test::More;\nok(1);\n", "perl"),
    ("a.cgi", "#!/usr/bin/env python3\nprint(1)\n", "python"),
    ("a.cgi", "#!/usr/bin/perl\nprint 1;\n", "perl"),
    # endings that many programs use
    ("a.inc", "<?php function f() {}\n", "php"),
    ("a.inc", "SECTION code\n", ""),
    ("a.conf", "# how\n[server]\nport = 1\n", "ini"),
    ("a.conf", "server {\n  listen 80;\n}\n", ""),
    ("a.cfg", "[flake8]\nmax-line-length = 100\n", "ini"),
    ("a.cfg", "bind_key up\n", ""),
    ("a.asc", "= Title\n\nWords.\n", "asciidoc"),
    ("a.asc", "-----BEGIN PGP MESSAGE-----\nabc\n", ""),
    # programs that run a file, and mode lines of names nobody lists
    ("tool", "#!/usr/bin/env python3\nprint(1)\n", "python"),
    ("tool", "#!/usr/bin/ruby -w\nputs 1\n", "ruby"),
    ("tool.rb", "#!/usr/bin/env python3\n", "ruby"),
    ("tool.run", "#!/usr/local/bin/node\n", "javascript"),
    ("vector", "// <vector> -*- C++ -*-\n", "cpp"),
    ("config", "# -*- mode: ruby; coding: utf-8 -*-\n", "ruby"),
    ("config", "# -*- coding: utf-8 -*-\nx = 1\n", ""),
    ("config", "# vi: set ft=python :\n", "python"),
    ("config", "# vim: ft=nothing_known :\n", ""),
]


@pytest.mark.parametrize(("path", "language"), NAMES)
def test_a_name_settles_it(path: str, language: str) -> None:
    """DETECT-NAMES: file name, its beginning and ending; what nobody lists is text."""
    assert REGISTRY.detect(path, b"some words\n") == language


@pytest.mark.parametrize(("path", "text", "language"), CONTENTS)
def test_content_settles_what_a_name_does_not(path: str, text: str, language: str) -> None:
    """DETECT-CONTENT: mode line, interpreter, claims and disclaimers decide for contested and unlisted names."""
    assert REGISTRY.detect(path, text.encode()) == language


def test_contested_names_are_known() -> None:
    """DETECT-CONTENT: whoever knows only the name is told that it is not enough."""
    contested = [path for path in ("deep/a.h", "a.TS", "a.py", "Makefile", "h") if REGISTRY.is_contested(path)]
    assert contested == ["deep/a.h", "a.TS"]


ODD = [b"\xff\xfe" * 50, b"#!" + b"x" * 70_000, b"-*-" * 20_000, b"/*" * 30_000, b"\0" * 100]


@pytest.mark.parametrize("head", ODD)
def test_odd_content_decides_nothing(head: bytes) -> None:
    """DETECT-CONTENT: no content makes it fail or wander; only the first bytes are looked at."""
    assert REGISTRY.detect("a.h", head) == "c"
    assert REGISTRY.detect("a.h", b" " * HEAD_BYTES + b"\nnamespace late { }\n") == "c"


def test_each_ending_is_listed_once() -> None:
    """DETECT-NAMES: no ending, file name or interpreter belongs to two languages by chance."""
    for key in ("extensions", "filenames", "name_starts", "shebangs"):
        listed = [one for row in read_catalog(DATA) for one in getattr(row, key)]
        assert len(listed) == len(set(listed)), (key, sorted({one for one in listed if listed.count(one) > 1}))
    spelled = [one for row in read_catalog(DATA) for one in {row.name, *row.aliases}]
    assert len(spelled) == len(set(spelled)), sorted({one for one in spelled if spelled.count(one) > 1})


def test_the_table_is_current() -> None:
    """LANG-TABLE: what recognition needs of every `language.toml` stands in the generated table."""
    assert (DATA / TABLE_NAME).read_text(encoding="utf-8") == render_catalog(DATA), "run: make snapshots"


def test_a_stale_table_fools_nobody(tmp_path: Path) -> None:
    """LANG-TABLE: a table made from other files, or a damaged one, is left aside."""
    home = tmp_path / "one"
    home.mkdir()
    (home / "language.toml").write_text('name = "one"\ngrammar = "c"\nextensions = [".one"]\n')
    (tmp_path / TABLE_NAME).write_text(render_catalog(tmp_path))
    assert Registry(tmp_path).detect("a.one") == "one"
    (home / "language.toml").write_text('name = "one"\ngrammar = "c"\nextensions = [".uno"]\n')
    assert Registry(tmp_path).detect("a.uno") == "one" and Registry(tmp_path).detect("a.one") == ""
    (tmp_path / TABLE_NAME).write_text('{"digest"')
    assert Registry(tmp_path).detect("a.uno") == "one"


def test_an_edit_that_changes_the_language(tmp_path: Path) -> None:
    """DETECT-SYNC: a header that becomes another language is read anew in it, in working tree and branches alike."""
    plain = "struct item { int count; };\n"
    repo = make_repo(tmp_path / "repo", {"item.h": plain, "copy.c": plain})
    with desk_on(repo, tmp_path / "data") as desk:
        desk.index()
        assert {(hit.path, hit.language) for hit in desk.locate("item").hits} == {("item.h", "c"), ("copy.c", "c")}
        git(repo, "checkout", "-q", "-b", "other")
        (repo / "item.h").write_text("namespace shop {\nclass item { public: int count; };\n}\n")
        desk.index()
        found = {(hit.path, hit.language, hit.kind) for hit in desk.locate("item").hits}
        assert found == {("item.h", "cpp", "class"), ("copy.c", "c", "struct")}
        git(repo, "commit", "-qam", "now in another language")
        for _ in range(2):
            desk.index("other")
            desk.index("main")
        assert {hit.language for hit in desk.locate("item", "other").hits if hit.path == "item.h"} == {"cpp"}
        assert {hit.language for hit in desk.locate("item", "main").hits} == {"c"}
