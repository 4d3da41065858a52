; Functions without a name
[(arrow_function) (function_expression) (generator_function)] @lambda
[(function_declaration "async" @mark.async) (method_definition "async" @mark.async) (arrow_function "async" @mark.async)
 (function_expression "async" @mark.async) (generator_function_declaration "async" @mark.async)]
[(generator_function_declaration "*" @mark.generator) (method_definition "*" @mark.generator) (generator_function "*" @mark.generator)]
(method_definition "static" @mark.static)
(arrow_function parameter: (identifier) @parameter @parameter.name)

; Variables
(variable_declarator name: (identifier) @variable.name value: (_) @variable.value) @variable
(assignment_expression left: [(identifier) (member_expression)] @variable.name right: (_) @variable.value) @variable

; What is given a value
(variable_declarator name: (identifier) @write value: (_))
(variable_declarator name: [
  (object_pattern [
    (shorthand_property_identifier_pattern) @write
    (pair_pattern value: (identifier) @write)
    (object_assignment_pattern left: (shorthand_property_identifier_pattern) @write)
    (rest_pattern (identifier) @write)])
  (array_pattern [(identifier) @write (rest_pattern (identifier) @write) (assignment_pattern left: (identifier) @write)])] value: (_))
(assignment_expression left: [
  (identifier) @write
  (member_expression) @mutation
  (subscript_expression) @mutation
  (array_pattern [(identifier) @write (member_expression) @mutation (subscript_expression) @mutation])
  (object_pattern (shorthand_property_identifier_pattern) @write)])
(augmented_assignment_expression left: [(identifier) @write (member_expression) @mutation (subscript_expression) @mutation])
(update_expression argument: [(identifier) @write (member_expression) @mutation (subscript_expression) @mutation])
(for_in_statement left: (identifier) @write)
(unary_expression operator: "delete" argument: [(member_expression) @mutation (subscript_expression) @mutation])

; Ways the code may turn
[(if_statement) (ternary_expression) (switch_case) (catch_clause)] @branch
[(for_statement) (for_in_statement) (while_statement) (do_statement)] @loop
(break_statement) @break
(continue_statement) @continue
(return_statement (_)) @return
(arrow_function body: (expression) @return)
(yield_expression) @yield
(await_expression (_) @await)
