"""Editors: the address of a line of a file in those that have a scheme for it, and their arguments."""

LINK_SCHEMES = {
    "file": "file://{path}",
    "vscode": "vscode://file{path}:{line}",
    "vscode-insiders": "vscode-insiders://file{path}:{line}",
    "vscodium": "vscodium://file{path}:{line}",
    "cursor": "cursor://file{path}:{line}",
    "windsurf": "windsurf://file{path}:{line}",
    "zed": "zed://file{path}:{line}",
    "idea": "idea://open?file={path}&line={line}",
    "sublime": "subl://open?url=file://{path}&line={line}",
    "textmate": "txmt://open?url=file://{path}&line={line}",
}
"""Addresses with the placeholders `path`, which is absolute and quoted, and `line`."""

_PLUS_LINE = ("+{line}", "{path}")
_OPTION_LINE = ("--line", "{line}", "{path}")
EDITOR_ARGUMENTS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("vi", "vim", "nvim", "gvim", "view", "nano", "pico", "emacs", "emacsclient"), _PLUS_LINE),
    **dict.fromkeys(("kak", "micro", "joe", "jed", "kate", "gedit"), _PLUS_LINE),
    **dict.fromkeys(("code", "code-insiders", "codium", "cursor", "windsurf"), ("--goto", "{path}:{line}")),
    **dict.fromkeys(("subl", "zed", "hx", "helix"), ("{path}:{line}",)),
    **dict.fromkeys(("idea", "pycharm", "webstorm", "goland", "clion", "rubymine", "mate"), _OPTION_LINE),
}
"""Arguments by which a program opens a line; any other program gets the path alone."""
