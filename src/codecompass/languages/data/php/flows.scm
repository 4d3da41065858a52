; How values move: the captures are explained in languages/flows.py.
(variable_name) @name
(assignment_expression left: (_) @assign.target right: (_) @assign.value)
(augmented_assignment_expression left: (_) @extend.target right: (_) @extend.value)
(foreach_statement . (_) @assign.value . [(variable_name) @assign.target (pair (_) (_) @assign.target)])

(function_call_expression function: [(name) @call.name (qualified_name (name) @call.name .)] arguments: (_) @call.arguments) @call
(member_call_expression name: (name) @call.name arguments: (_) @call.arguments) @call
(nullsafe_member_call_expression name: (name) @call.name arguments: (_) @call.arguments) @call
(scoped_call_expression name: (name) @call.name arguments: (_) @call.arguments) @call
(object_creation_expression [(name) @call.name (qualified_name (name) @call.name .)] (arguments) @call.arguments) @call
(echo_statement . _ @call.name) @call
(print_intrinsic . _ @call.name) @call
[(include_expression . _ @call.name) (include_once_expression . _ @call.name) (require_expression . _ @call.name)
 (require_once_expression . _ @call.name)] @call
(shell_command_expression . _ @call.name) @call
(exit_statement . _ @call.name) @call
(argument name: (name) @pair.name (_) @pair.value .) @pair
(array_element_initializer (string) @pair.name (_) @pair.value .) @pair
(return_statement (_) @return)

[(function_definition) (method_declaration) (anonymous_function) (arrow_function)] @function
(simple_parameter name: (variable_name) @param.name) @param
(variadic_parameter name: (variable_name) @param.name) @param

(if_statement body: (_) @arm) @fork
(else_if_clause body: (_) @arm)
(else_clause body: (_) @arm.last)
(switch_statement) @fork
(case_statement) @arm
(default_statement) @arm.last
(catch_clause body: (_) @arm) @fork
[(for_statement body: (_) @loop) (foreach_statement body: (_) @loop) (while_statement body: (_) @loop)]
[(return_statement) (throw_expression) (continue_statement) (exit_statement)] @exit

(binary_expression operator: ["==" "===" "!=" "!==" "<" ">" "<=" ">=" "instanceof" "<>"]) @neutral
(unary_op_expression operator: "!") @neutral
(cast_expression type: (cast_type) @_to (#any-of? @_to "int" "integer" "float" "double" "bool" "boolean")) @neutral
(conditional_expression condition: (_) @neutral)
