"""Ecosystems: what a package is called where it is required, and what it is called where it is imported.

The two differ: `PyYAML` is imported as `yaml`, `group:artifact` by its group. Rules are rows; names that no rule gives
are a table. An advisory that lists the modules itself needs none of this.
"""

import re
from collections.abc import Callable
from typing import NamedTuple

FAMILIES = {
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
"""Every spelling of an ecosystem that sources use."""
RENAMED = {
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
    """A name under which sources import a package."""

    name: str
    joints: str
    """Signs that may follow it when something inside the package is meant."""

    def fits(self, module: str) -> bool:
        written = module.strip("\"'<>").lower()
        own = self.name.lower()
        return written == own or (written.startswith(own) and written[len(own) : len(own) + 1] in set(self.joints))


def family(ecosystem: str) -> str:
    """`npm`, `pip`, …; empty for a system's own packages and for what is unknown."""
    return FAMILIES.get(ecosystem.lower().partition(":")[0], "")


def is_manifest(path: str) -> bool:
    """Whether a file says which packages a project needs."""
    return _MANIFEST.search(path) is not None


def names_package(line: str, name: str, ecosystem: str) -> bool:
    """Whether a line of a manifest names a package: whole, and in any of the spellings its ecosystem takes for one."""
    lowered = line.lower()
    for one in _written(name.lower(), family(ecosystem)):
        at = lowered.find(one)
        while at >= 0:
            before, after = lowered[at - 1 : at] if at else "", lowered[at + len(one) : at + len(one) + 1]
            if not _continues(before) and not _continues(after):
                return True
            at = lowered.find(one, at + 1)
    return False


def _continues(sign: str) -> bool:
    """Signs that make a name longer; `@1.2`, `==1.2`, quotes and blanks end it."""
    return bool(sign) and (sign.isalnum() or sign in "_-.")


def _written(name: str, kind: str) -> tuple[str, ...]:
    if kind == "pip":
        plain = re.sub(r"[-_.]+", "-", name)
        return tuple(dict.fromkeys((name, plain, plain.replace("-", "_"), plain.replace("-", "."))))
    if kind == "maven" and ":" in name:
        return (name, name.partition(":")[2])
    return (name,)


def module_names(package: str, ecosystem: str, known: tuple[str, ...]) -> tuple[ModuleName, ...]:
    """The names a package is imported under; those that its advisory lists come first."""
    kind = family(ecosystem)
    renamed = RENAMED.get(kind, {}).get(package.lower())
    made = (renamed,) if renamed else IMPORTED.get(kind, _same)(package) if package else ()
    return tuple(ModuleName(one, "/.:\\") for one in dict.fromkeys((*known, *made)) if one)


def _same(package: str) -> tuple[str, ...]:
    return (package,)


def _pip(package: str) -> tuple[str, ...]:
    return package.replace("-", "_"), package.replace("-", ".")


def _maven(package: str) -> tuple[str, ...]:
    group, _, artifact = package.partition(":")
    return (group, f"{group}.{artifact.replace('-', '.')}") if artifact else (group,)


def _composer(package: str) -> tuple[str, ...]:
    """`vendor/some-name` has the namespace `Vendor\\SomeName` as a rule."""
    parts = (re.split(r"[-_]", part) for part in package.split("/"))
    return ("\\".join("".join(word.title() for word in words) for words in parts),)


IMPORTED: dict[str, Callable[[str], tuple[str, ...]]] = {
    "pip": _pip,
    "cargo": lambda package: (package.replace("-", "_"),),
    "maven": _maven,
    "gem": lambda package: (package, package.replace("-", "/")),
    "composer": _composer,
    "pub": lambda package: (f"package:{package}", package),
    "swift": lambda package: (package.rpartition("/")[2].removesuffix(".git"),),
}
"""How the names of an ecosystem become names of modules; elsewhere they are the same."""


def spellings(modules: tuple[ModuleName, ...]) -> tuple[str, ...]:
    """What must stand in a file that imports one of the modules."""
    # A group of Maven may be written with other signs between its words, so its longest word is looked for.
    longest = (max(re.split(r"[/.:\\]", one.name), key=len) for one in modules)
    return tuple(dict.fromkeys(word for word in longest if word))
