"""Package names: map a package name in a manifest to the module names that source files import.

The two differ: `PyYAML` is imported as `yaml`, `group:artifact` by its group. Each ecosystem has a rule; exceptions are
in a table. Modules that an advisory lists take precedence.
"""

import re
from collections.abc import Callable
from typing import NamedTuple

ECOSYSTEMS = {
    "npm": "npm", "yarn": "npm", "pnpm": "npm", "javascript": "npm", "node": "npm",
    "pip": "pip", "pypi": "pip", "python": "pip", "poetry": "pip", "conda": "pip",
    "maven": "maven", "gradle": "maven", "java": "maven",
    "go": "go", "gomod": "go", "golang": "go",
    "cargo": "cargo", "rust": "cargo", "crates.io": "cargo",
    "rubygems": "gem", "gem": "gem", "ruby": "gem", "bundler": "gem",
    "composer": "composer", "packagist": "composer", "php": "composer",
    "nuget": "nuget", ".net": "nuget", "hex": "hex", "erlang": "hex", "pub": "pub", "swift": "swift",
    "swifturl": "swift",
}  # fmt: skip
"""Ecosystem name in a finding → normalized ecosystem."""
IMPORT_NAMES = {
    "pip": {
        "pyyaml": "yaml", "pillow": "PIL", "beautifulsoup4": "bs4", "scikit-learn": "sklearn", "pyjwt": "jwt",
        "scikit-image": "skimage", "opencv-python": "cv2", "python-dateutil": "dateutil", "pycryptodome": "Crypto",
        "pycrypto": "Crypto", "pyopenssl": "OpenSSL", "msgpack-python": "msgpack", "attrs": "attr", "gitpython": "git",
        "mysqlclient": "MySQLdb", "psycopg2-binary": "psycopg2", "protobuf": "google.protobuf", "pyzmq": "zmq",
        "pyserial": "serial", "python-jose": "jose", "python-multipart": "multipart", "dnspython": "dns",
        "djangorestframework": "rest_framework", "grpcio": "grpc", "websocket-client": "websocket",
        "python-magic": "magic", "pysaml2": "saml2",
    },
    "gem": {"activesupport": "active_support", "activerecord": "active_record", "actionpack": "action_dispatch"},
}  # fmt: skip
_MANIFEST = re.compile(
    r"(?:^|/)(?:package(?:-lock)?\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lock|bower\.json|deno\.json"
    r"|requirements[\w.-]*\.(?:txt|in)|constraints[\w.-]*\.txt|pyproject\.toml|setup\.(?:py|cfg)|Pipfile(?:\.lock)?"
    r"|poetry\.lock|pdm\.lock|uv\.lock|pylock[\w.-]*\.toml|environment\.ya?ml|go\.(?:mod|sum|work)|Cargo\.(?:toml|lock)"
    r"|pom\.xml|[\w.-]*\.gradle(?:\.kts)?|gradle\.lockfile|libs\.versions\.toml|ivy\.xml|build\.sbt"
    r"|Gemfile(?:\.lock)?|[\w.-]+\.gemspec|composer\.(?:json|lock)|[\w.-]+\.(?:cs|fs|vb)proj|packages\.config"
    r"|packages\.lock\.json|Directory\.Packages\.props|paket\.(?:dependencies|lock)|mix\.(?:exs|lock)|rebar\.config"
    r"|pubspec\.(?:yaml|lock)|Package\.(?:swift|resolved)|Podfile(?:\.lock)?|Cartfile|conanfile\.(?:txt|py)|vcpkg\.json"
    r"|CMakeLists\.txt|Dockerfile[\w.-]*|flake\.nix|cpanfile|DESCRIPTION|stack\.yaml|[\w.-]+\.cabal)$"
)


class ModuleName(NamedTuple):
    """A module name under which source files import a package."""

    name: str
    separators: str
    """Characters that may follow it before the name of a submodule."""

    def matches(self, module: str) -> bool:
        written = module.strip("\"'<>").lower()
        own = self.name.lower()
        return written == own or (written.startswith(own) and written[len(own) : len(own) + 1] in set(self.separators))


def normalize_ecosystem(ecosystem: str) -> str:
    """Normalize an ecosystem to `npm`, `pip`, …; empty for operating system packages and unknown ones."""
    return ECOSYSTEMS.get(ecosystem.lower().partition(":")[0], "")


def is_manifest(path: str) -> bool:
    """Whether a file lists the packages of a project."""
    return _MANIFEST.search(path) is not None


def names_package(line: str, name: str, ecosystem: str) -> bool:
    """Whether a manifest line contains a package as a whole word, in any spelling that its ecosystem allows."""
    lowered = line.lower()
    for one in _spell_name(name.lower(), normalize_ecosystem(ecosystem)):
        at = lowered.find(one)
        while at >= 0:
            before, after = lowered[at - 1 : at] if at else "", lowered[at + len(one) : at + len(one) + 1]
            if not _is_name_character(before) and not _is_name_character(after):
                return True
            at = lowered.find(one, at + 1)
    return False


def _is_name_character(sign: str) -> bool:
    """Whether a character continues a name; `@1.2`, `==1.2`, quotes and spaces end it."""
    return bool(sign) and (sign.isalnum() or sign in "_-.")


def _spell_name(name: str, kind: str) -> tuple[str, ...]:
    if kind == "pip":
        plain = re.sub(r"[-_.]+", "-", name)
        return tuple(dict.fromkeys((name, plain, plain.replace("-", "_"), plain.replace("-", "."))))
    if kind == "maven" and ":" in name:
        return (name, name.partition(":")[2])
    return (name,)


def find_module_names(package: str, ecosystem: str, known: tuple[str, ...]) -> tuple[ModuleName, ...]:
    """Return the module names of a package; those that its advisory lists come first."""
    kind = normalize_ecosystem(ecosystem)
    renamed = IMPORT_NAMES.get(kind, {}).get(package.lower())
    made = (renamed,) if renamed else IMPORT_NAME_RULES.get(kind, _to_same_name)(package) if package else ()
    return tuple(ModuleName(one, "/.:\\") for one in dict.fromkeys((*known, *made)) if one)


def _to_same_name(package: str) -> tuple[str, ...]:
    return (package,)


def _to_python_modules(package: str) -> tuple[str, ...]:
    return package.replace("-", "_"), package.replace("-", ".")


def _to_java_packages(package: str) -> tuple[str, ...]:
    group, _, artifact = package.partition(":")
    return (group, f"{group}.{artifact.replace('-', '.')}") if artifact else (group,)


def _to_php_namespace(package: str) -> tuple[str, ...]:
    """Convert `vendor/some-name` to the usual namespace `Vendor\\SomeName`."""
    parts = (re.split(r"[-_]", part) for part in package.split("/"))
    return ("\\".join("".join(word.title() for word in words) for words in parts),)


IMPORT_NAME_RULES: dict[str, Callable[[str], tuple[str, ...]]] = {
    "pip": _to_python_modules,
    "cargo": lambda package: (package.replace("-", "_"),),
    "maven": _to_java_packages,
    "gem": lambda package: (package, package.replace("-", "/")),
    "composer": _to_php_namespace,
    "pub": lambda package: (f"package:{package}", package),
    "swift": lambda package: (package.rpartition("/")[2].removesuffix(".git"),),
}
"""Ecosystem → function from a package name to module names; other ecosystems use the package name."""


def find_search_words(modules: tuple[ModuleName, ...]) -> tuple[str, ...]:
    """Return words of which one must occur in a file that imports one of the modules."""
    # A Maven group may be written with other separators, so the longest part is searched for.
    longest = (max(re.split(r"[/.:\\]", one.name), key=len) for one in modules)
    return tuple(dict.fromkeys(word for word in longest if word))
