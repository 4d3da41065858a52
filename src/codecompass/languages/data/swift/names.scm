; Every name; those bound inside functions; those that are no uses.
(simple_identifier) @name

(parameter name: (simple_identifier) @local)
(lambda_parameter name: (simple_identifier) @local)
(pattern bound_identifier: (simple_identifier) @local)
((pattern . (simple_identifier) @local .) @_pattern (#not-match? @_pattern "^\\."))
; Without a value, `if let x` is the x that was there before.
(_ bound_identifier: (simple_identifier) @local @write . "=")

(function_body) @block
(lambda_literal) @block
(if_statement) @block
(for_statement) @block
(while_statement) @block
(switch_entry) @block
(do_statement) @block
(catch_block) @block
(computed_property) @block

(identifier (simple_identifier) @silent)
(value_argument_label (simple_identifier) @silent)
(parameter external_name: (simple_identifier) @silent)
(enum_type_parameters (simple_identifier) @silent)
(tuple_type_item name: (simple_identifier) @silent)
(attribute (simple_identifier) @silent)
(operator_declaration (simple_identifier) @silent)
(precedence_group_declaration (simple_identifier) @silent)
(precedence_group_attribute (simple_identifier) @silent)
(statement_label) @silent
((simple_identifier) @silent (#eq? @silent "self"))
