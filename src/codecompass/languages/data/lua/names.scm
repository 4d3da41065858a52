; Every name; those bound inside functions; those that are no uses.
(identifier) @name

(parameters name: (identifier) @local)
(variable_declaration [(variable_list name: (identifier) @local) (assignment_statement (variable_list name: (identifier) @local))])
(for_numeric_clause name: (identifier) @local)
(for_generic_clause (variable_list name: (identifier) @local))

(field name: (identifier) @silent)
(goto_statement (identifier) @silent)
(label_statement (identifier) @silent)
(attribute (identifier) @silent)
