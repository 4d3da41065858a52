; Every name; those bound inside functions; those that are no uses.
(identifier) @name

(formal_parameter (identifier) @local)
(initialized_variable_definition name: (identifier) @local)
(initialized_variable_definition (initialized_identifier . (identifier) @local))
(for_loop_parts name: (identifier) @local)
(catch_parameters (identifier) @local)
(variable_pattern (identifier) @local)

(label (identifier) @silent)
(combinator (identifier) @silent)
(import_specification (identifier) @silent)
(dotted_identifier_list (identifier) @silent)
(break_statement (identifier) @silent)
(continue_statement (identifier) @silent)
(constructor_signature . (identifier) @silent . (identifier))
(constant_constructor_signature (identifier) @silent . (identifier))
(factory_constructor_signature (identifier) @silent . (identifier))
(redirecting_factory_constructor_signature (identifier) @silent . (identifier))
