"""Qualified names: module names from paths, and qualified names of definitions. Computed per view, never stored."""

import re

from codecompass.languages.language_spec import LanguageSpec, ResolveRule
from codecompass.model.code.facts import Import

_VERSION = re.compile(r"/v\d+$|\.v\d+$")


def derive_module_name(spec: LanguageSpec | None, path: str, package: str) -> str:
    """Return the module name of a file by the strategy of its language; empty if it has none."""
    if spec is None:
        return ""
    return _STRATEGIES[spec.module](spec, path, package)


def build_qualified_name(spec: LanguageSpec | None, module: str, scope: str, name: str) -> str:
    """Join module, enclosing definitions and name with the language's separator."""
    separator = spec.separator if spec else "."
    inside = f"{scope}{separator}{name}" if scope and name else scope or name
    joint = (spec.space_joint if spec else "") or separator
    return f"{module}{joint}{inside}" if module else inside


def get_bound_name(spec: LanguageSpec | None, item: Import) -> str:
    """Return the local name of an import; empty for a star import or none."""
    if item.alias:
        return item.alias
    if item.name:
        return "" if item.name == "*" else item.name
    rule, separator = (spec.resolve, spec.separator) if spec else (ResolveRule(), ".")
    if rule.plain_import == "package":
        return _guess_package_name(item.module)
    words = [word for word in item.module.replace("/", separator).split(separator) if word]
    if rule.plain_import == "root":
        return words[0] if words else ""
    return words[-1] if words and rule.plain_import == "last" else ""


def _guess_package_name(module: str) -> str:
    """Guess the name of a package from its import path: the last part without version and language."""
    last = _VERSION.sub("", module).rpartition("/")[2]
    words = [word for word in re.split(r"[-.]", last) if word not in ("go", "golang")]
    return words[-1] if words else last


def _split_module_path(spec: LanguageSpec, path: str) -> list[str]:
    *parts, name = path.split("/")
    stem = name.split(".")[0] or name
    while parts and parts[0] in spec.module_roots:
        parts.pop(0)
    return parts if stem in spec.module_files and parts else [*parts, stem]


def _join_dotted(spec: LanguageSpec, path: str, package: str) -> str:
    return spec.separator.join(_split_module_path(spec, path))


def _join_crate(spec: LanguageSpec, path: str, package: str) -> str:
    """Join the parts after the innermost source root; the root file of a crate has no module name."""
    *above, name = path.split("/")
    stem = name.rsplit(".", 1)[0]
    for position in range(len(above) - 1, -1, -1):
        if above[position] in spec.module_roots:
            above = above[position + 1 :]
            break
    return spec.separator.join(above if stem in spec.module_files else [*above, stem])


def _use_package(spec: LanguageSpec, path: str, package: str) -> str:
    return package


def _use_directory(spec: LanguageSpec, path: str, package: str) -> str:
    """Use the directory as package; a file at the root uses its declared package."""
    above = path.rpartition("/")[0]
    return above or package


def _join_path(spec: LanguageSpec, path: str, package: str) -> str:
    return "/".join(_split_module_path(spec, path))


def _use_unit(spec: LanguageSpec, path: str, package: str) -> str:
    """Use the file stem, with a capital first letter."""
    stem = _split_module_path(spec, path)[-1]
    return stem[:1].upper() + stem[1:]


def _use_declared(spec: LanguageSpec, path: str, package: str) -> str:
    return package


_STRATEGIES = {
    "dotted": _join_dotted,
    "crate": _join_crate,
    "package": _use_package,
    "directory": _use_directory,
    "path": _join_path,
    "unit": _use_unit,
    "none": _use_declared,
}
