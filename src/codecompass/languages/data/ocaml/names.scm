; Every name; those bound inside functions.
[(value_name) (constructor_name) (field_name) (module_name) (instance_variable_name)] @name

(value_pattern) @local
(let_expression (value_definition (let_binding pattern: [
  (value_name) @local
  (tuple_pattern (value_name) @local)
  (parenthesized_pattern (tuple_pattern (value_name) @local))])))
(module_parameter (module_name) @local)
((value_name) @silent (#eq? @silent "_"))
