; Every name; those bound inside functions; those that are no uses.
(name) @name
(variable_name) @name

(simple_parameter name: (variable_name) @local)
(variadic_parameter name: (variable_name) @local)
(property_promotion_parameter name: (variable_name) @local)
(assignment_expression left: [(variable_name) @local (subscript_expression . (variable_name) @local)])
(reference_assignment_expression left: (variable_name) @local)
(list_literal [(variable_name) @local (by_ref (variable_name) @local)])
(static_variable_declaration name: (variable_name) @local)
(foreach_statement . (_) . [
  (variable_name) @local
  (by_ref (variable_name) @local)
  (pair [(variable_name) @local (by_ref (variable_name) @local)])])
(catch_clause name: (variable_name) @local)

(variable_name (name) @silent)
((variable_name) @silent (#eq? @silent "$this"))
(property_element name: (variable_name) @silent)
(member_access_expression name: (variable_name) @silent)
(dynamic_variable_name (name) @silent)
(namespace_name (name) @silent)
(namespace_use_clause alias: (name) @silent)
(argument name: (name) @silent)
(property_hook . (name) @silent)
(use_as_clause (name) @silent)
(goto_statement (name) @silent)
(named_label_statement (name) @silent)
