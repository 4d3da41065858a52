"""Typed names: parameters and variables of definitions with declared or inferred types."""

from tree_sitter import Node

from codecompass.languages.extraction.trait_builder import MAX_TEXT, Captures, TraitBuilder, get_start
from codecompass.model.code.traits import Parameter, TypedName


def collect_parameters(builder: TraitBuilder) -> None:
    for whole, parts in builder.group_captures("parameter"):
        home = _find_parameter_owner(builder, whole)
        if builder.is_in_lambda(whole.start_byte, home):
            continue
        kind = builder.to_line(parts["type"][0]).lstrip(": ") if "type" in parts else ""
        default = builder.to_line(parts["default"][0]).lstrip("= ") if "default" in parts else ""
        if not kind and builder.spec.facts.types_around:
            kind = _read_surrounding_type(builder, whole, parts)
        draft = builder.drafts[home]
        names = parts.get("name", ())
        for node in names:
            name = builder.to_line(node)
            draft.parameters.append(Parameter(name, kind, default))
            if kind:
                draft.types.append(TypedName(name, kind, "annotation"))
            elif default and len(names) == 1 and (made := _infer_type(builder, parts["default"][0])):
                draft.types.append(TypedName(name, *made))


def _find_parameter_owner(builder: TraitBuilder, parameter: Node) -> int:
    """Return the definition that has a parameter; for a parameter that is a definition itself, its parent."""
    at = builder.source.nesting.find_owner(parameter.start_byte)
    item = builder.source.nesting.definitions[at] if at >= 0 else None
    if item and (item.byte_start, item.byte_end) == (parameter.start_byte, parameter.end_byte):
        at = item.parent
    return builder.owners[at]


def _read_surrounding_type(builder: TraitBuilder, whole: Node, parts: Captures) -> str:
    """Return the type that surrounds a parameter name: the text without the name and the default."""
    inner = sorted((*parts.get("name", ()), *parts.get("default", ())), key=get_start)
    text, at = b"", whole.start_byte
    for node in inner:
        text, at = text + builder.source.text[at : node.start_byte].rstrip(b"= "), node.end_byte
    return " ".join((text + builder.source.text[at : whole.end_byte]).decode("utf-8", "replace").split())[:MAX_TEXT]


def collect_declarations(builder: TraitBuilder) -> None:
    for whole, parts in builder.group_captures("declaration"):
        kind = builder.to_line(parts["type"][0]) if "type" in parts else ""
        if kind and kind not in builder.spec.facts.untyped:
            draft = builder.drafts[builder.find_owner(whole.start_byte)]
            draft.types += [TypedName(builder.to_line(node), kind, "annotation") for node in parts.get("name", ())]


def collect_variables(builder: TraitBuilder) -> None:
    rule = builder.spec.facts
    telling = {*rule.literals, *rule.makers, *rule.through}
    for whole, parts in builder.group_captures("variable"):
        names, values = parts.get("name", []), parts.get("value", [])
        kind = builder.to_line(parts["type"][0]).lstrip(": ") if "type" in parts else ""
        # The types of several names that share one value are unknown.
        paired = values if len(values) == len(names) else [None] * len(names)
        for node, value in zip(names, paired, strict=True):
            shape = value.type if value is not None else ""
            made = (kind, "annotation") if kind else None
            if made is None and value is not None and shape in telling:
                made = _infer_type(builder, value)
            if made is not None:
                builder.get_draft(whole).types.append(TypedName(builder.to_chain(node), *made))
            if value is not None and shape in rule.plain:
                builder.get_draft(whole).words["aliases"].add(f"{builder.to_chain(node)}={builder.to_chain(value)}")


def _infer_type(builder: TraitBuilder, value: Node) -> tuple[str, str] | None:
    """Infer (type, how) of an expression from its syntax."""
    rule = builder.spec.facts
    kind = value.type
    while kind in rule.through and value.named_child_count:
        value = value.named_children[-1]
        kind = value.type
    literal = rule.literals.get(kind)
    if literal:
        return literal, "literal"
    field = rule.makers.get(kind)
    if field is None:
        return None
    if not field:
        named: Node | None = value
    else:
        named = value.named_child(int(field)) if field.isdigit() else value.child_by_field_name(field)
    if named is None:
        return None
    if kind not in rule.capital_makers:
        return builder.to_line(named), "constructor"
    path = builder.to_chain(named).removesuffix("()")
    head, _, last = path.rpartition(".")
    if last in rule.named_makers and head.rpartition(".")[2][:1].isupper():
        return head, "constructor"
    return (path, "constructor") if last[:1].isupper() else None
