"""MkDocs hook: links from pages to other files of the repository lead to the repository; a dead one is an error."""

import logging
import re
from pathlib import Path

LINK = re.compile(r"\]\((\.\.?/[^)#\s]*|[^):#\s]+)(#[^)\s]*)?\)")
log = logging.getLogger("mkdocs.hooks.site_links")


def on_page_markdown(markdown, page, config, files):
    """Replace relative links that lead out of the documentation."""
    docs = Path(config.docs_dir)
    root = docs.parent
    here = (docs / page.file.src_uri).parent

    def replace(match):
        target = (here / match[1]).resolve()
        if target.is_relative_to(docs) and not target.is_dir():
            return match[0]
        if not target.exists():
            log.warning("%s links to %s, which is not in the repository", page.file.src_uri, match[1])
            return match[0]
        kind = "tree" if target.is_dir() else "blob"
        return f"]({config.repo_url}/{kind}/main/{target.relative_to(root).as_posix()}{match[2] or ''})"

    return LINK.sub(replace, markdown)
