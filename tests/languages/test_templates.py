"""Templates are no syntax errors, and real syntax errors stay."""

import pytest

from codecompass.languages.formats.embedded_languages import extract_with_embedded
from codecompass.languages.formats.template_tags import NOTE, drop_template_errors
from codecompass.languages.registry import Registry
from codecompass.model.code.facts import Facts

REGISTRY = Registry()
TEMPLATES = {
    "jinja in a script": ("html", "<script>\n  var a = {{ url_for('x') }};\n  run({b: {{ c|tojson }}});\n</script>\n"),
    "django": ("html", '<ul>\n{% for a in b %}<li class="{% if a %}x{% endif %}">{{ a|title }}\n{% endfor %}</ul>\n'),
    "erb": ("html", '<div <% if x %>class="a"<% end %>>\n<p><%= name %></p>\n</div>\n'),
    "handlebars": ("html", '<a {{#if x}}href="{{y}}"{{/if}}>z</a>\n<b {{> part}}></b>\n'),
    "go in yaml": ("yaml", "a: 1\n{{- if .Values.on }}\nb:\n  {{- toYaml .Values.b | nindent 2 }}\n{{- end }}\n"),
    "jinja in json": ("json", '{"a": {{ a }}, {% if b %}"c": 1{% endif %}}\n'),
    "dbt in sql": ("sql", "select {{ column }} from {{ ref('x') }} {% if a %} where b = 1 {% endif %};\n"),
    "ejs in javascript": ("javascript", "var a = <%= b %>;\n<% if (c) { %>\nrun();\n<% } %>\n"),
    "a project's skeleton": ("python", "from {{ cookiecutter.name }} import x\n"),
}
BROKEN = {
    "javascript": "function ( {\n",
    "json": '{"a": 1,, }\n',
    "python": "def broken(:\n    pass\nx = {{1}: 2}\n",
    "tsx": "const a = <div style={{ a: 1 }} />;\nfunction ( {\n",
}


def judged(language: str, source: str) -> Facts:
    known = REGISTRY.get(language)
    assert known is not None
    data = source.encode()
    return drop_template_errors(extract_with_embedded(REGISTRY, known, data), data, known.spec)


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_template_is_no_syntax_error(name: str) -> None:
    """LINT-TEMPLATES: what a template engine reads first is not judged by the parser of another language."""
    language, source = TEMPLATES[name]
    found = judged(language, source)
    assert not found.insight.diagnostics and found.parse_errors == 0


@pytest.mark.parametrize("language", BROKEN)
def test_real_errors_stay(language: str) -> None:
    """LINT-TEMPLATES: braces that are no tags excuse nothing."""
    found = judged(language, BROKEN[language])
    assert found.insight.diagnostics and found.parse_errors > 0 and NOTE not in found.notes
