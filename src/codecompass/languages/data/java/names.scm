; Every name; those bound inside functions; those that are no uses.
(identifier) @name

(formal_parameter name: (identifier) @local)
(variable_declarator name: (identifier) @local)
(lambda_expression parameters: [(identifier) @local (inferred_parameters (identifier) @local)])
(enhanced_for_statement name: (identifier) @local)
(resource name: (identifier) @local)
(catch_formal_parameter name: (identifier) @local)
(instanceof_expression name: (identifier) @local)
(type_pattern (identifier) @local)
(record_pattern_component (identifier) @local)

(labeled_statement . (identifier) @silent)
(break_statement (identifier) @silent)
(continue_statement (identifier) @silent)
(element_value_pair key: (identifier) @silent)
(scoped_identifier (identifier) @silent)
(package_declaration (identifier) @silent)
