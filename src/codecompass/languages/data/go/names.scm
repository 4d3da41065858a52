; Every name; those bound inside functions, and the blocks they end with; those that are no uses.
[(identifier) (field_identifier)] @name

(parameter_declaration name: (identifier) @local)
(variadic_parameter_declaration name: (identifier) @local)
(type_parameter_declaration name: (identifier) @local)
(short_var_declaration left: (expression_list (identifier) @local))
(var_spec name: (identifier) @local)
(const_spec name: (identifier) @local)
(range_clause left: (expression_list (identifier) @local))
(receive_statement left: (expression_list (identifier) @local))
(type_switch_statement alias: (expression_list (identifier) @local))

[(block) (func_literal) (if_statement) (for_statement) (communication_case) (expression_case) (default_case)
 (type_case) (type_switch_statement) (expression_switch_statement)] @block

(assignment_statement left: (expression_list (identifier) @silent (#eq? @silent "_")))
