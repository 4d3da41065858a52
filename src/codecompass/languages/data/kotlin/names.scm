; Every name; those bound inside functions; those that are no uses.
(simple_identifier) @name
(interpolated_identifier) @name

(parameter . (simple_identifier) @local)
(class_parameter (simple_identifier) @local)
(parameter_with_optional_type . (simple_identifier) @local)
(variable_declaration . (simple_identifier) @local)
(catch_block (simple_identifier) @local)

(function_body) @block
(lambda_literal) @block
(control_structure_body) @block
(for_statement) @block
(when_expression) @block
(catch_block) @block
(secondary_constructor) @block

(package_header (identifier (simple_identifier) @silent))
(import_header (identifier (simple_identifier) @silent))
(value_argument . (simple_identifier) @silent "=")
(function_type_parameters (parameter . (simple_identifier) @silent))
