"""Filter page: the reference of all search filters, rendered from their table."""

from codecompass.contract.export import GENERATED
from codecompass.model.queries.filters import FILTERS, FilterRow

HEAD = """\
A filter narrows a search. All filters of a search must hold. There are {count}, and you can write each in four places:

| where | how |
|---|---|
| in the query | `codecompass search 'discount calls:apply_discount'`, `-path:tests` to exclude |
| as a flag | `codecompass search discount --calls apply_discount` |
| in `search_code` | `{{"query": "discount", "filters": {{"calls": "apply_discount"}}}}` |
| in `search` and `POST /search` | `{{"query": "discount", "calls": "apply_discount"}}` |

```console
$ codecompass search calls:apply_discount
$ codecompass search --type class --path shop price
$ codecompass search 'param:basket -path:tests'
```
"""
SCOPES = {
    "definition": ("Of a definition", "They look at one function, class or method."),
    "file": ("Of a file", "They look at the whole file."),
    "record": ("Of a record", "They look at findings and decisions ([triage](triage.md))."),
}
KINDS = {
    "text": "text",
    "words": "words, separated by commas",
    "texts": "text, repeatable",
    "count": "number",
    "days": "days",
    "date": "date",
    "flag": "yes or no (`--no-…`)",
    "meta": "`key` or `key=value`, repeatable",
    "json": "JSON object",
}


def render_filter_page() -> str:
    """Render the whole page."""
    lines = ["# Filters\n", GENERATED + HEAD.format(count=len(FILTERS))]
    for scope, (title, text) in SCOPES.items():
        lines += [f"## {title}\n", f"{text}\n", "| filter | flag | value | meaning |", "|---|---|---|---|"]
        lines += [_render_row(row) for row in FILTERS if row.scope == scope] + [""]
    return "\n".join(lines).rstrip("\n") + "\n"


def _render_row(row: FilterRow) -> str:
    return f"| `{row.field}` | `{row.flag}` | {KINDS[row.kind]} | {row.doc} |"
