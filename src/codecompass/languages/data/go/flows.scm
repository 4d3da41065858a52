; How values move: the captures are explained in languages/flows.py.
(short_var_declaration left: (_) @assign.target right: (_) @assign.value)
(assignment_statement left: (_) @assign.target operator: "=" right: (_) @assign.value)
(assignment_statement left: (_) @extend.target operator: ["+=" "|=" "&="] right: (_) @extend.value)
(var_spec name: (identifier) @assign.target value: (_) @assign.value)
(range_clause left: (_) @assign.target right: (_) @assign.value)

(call_expression function: [(identifier) @call.name (selector_expression field: (field_identifier) @call.name)]
  arguments: (_) @call.arguments) @call
(keyed_element . (literal_element) @pair.name (literal_element) @pair.value .) @pair
(return_statement (_) @return)

[(function_declaration) (method_declaration) (func_literal)] @function
(function_declaration parameters: (parameter_list (parameter_declaration name: (identifier) @param.name) @param))
(function_declaration parameters: (parameter_list (variadic_parameter_declaration name: (identifier) @param.name) @param))
(method_declaration parameters: (parameter_list (parameter_declaration name: (identifier) @param.name) @param))
(func_literal parameters: (parameter_list (parameter_declaration name: (identifier) @param.name) @param))

(if_statement consequence: (block) @arm) @fork
(if_statement alternative: (_) @arm.last)
[(expression_switch_statement) (type_switch_statement) (select_statement)] @fork
[(expression_case) (type_case) (communication_case)] @arm
(default_case) @arm.last
(for_statement body: (block) @loop)
[(return_statement) (break_statement) (continue_statement)] @exit

(binary_expression operator: ["==" "!=" "<" ">" "<=" ">="]) @neutral
(unary_expression operator: "!") @neutral
(index_expression index: (_) @neutral)
