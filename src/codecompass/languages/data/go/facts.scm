; Parameters; the receiver is none
[(function_declaration parameters: (parameter_list [(parameter_declaration) (variadic_parameter_declaration)] @parameter))
 (method_declaration parameters: (parameter_list [(parameter_declaration) (variadic_parameter_declaration)] @parameter))
 (func_literal parameters: (parameter_list [(parameter_declaration) (variadic_parameter_declaration)] @parameter))
 (method_elem parameters: (parameter_list [(parameter_declaration) (variadic_parameter_declaration)] @parameter))]
(parameter_declaration name: (identifier) @parameter.name)
(parameter_declaration type: (_) @parameter.type)
(variadic_parameter_declaration name: (identifier) @parameter.name)
(variadic_parameter_declaration type: (_) @parameter.type)
[(function_declaration result: (_) @returns) (method_declaration result: (_) @returns) (method_elem result: (_) @returns)]
(func_literal) @lambda

; Variables
(short_var_declaration left: (expression_list (identifier) @variable.name) right: (expression_list (_) @variable.value)) @variable
(assignment_statement left: (expression_list [(identifier) (selector_expression)] @variable.name) operator: "=" right: (expression_list (_) @variable.value)) @variable
(var_spec name: (identifier) @variable.name) @variable
(var_spec value: (expression_list (_) @variable.value))
(var_spec type: (_) @variable.type)
(const_spec name: (identifier) @variable.name) @variable
(const_spec value: (expression_list (_) @variable.value))
(const_spec type: (_) @variable.type)
(field_declaration name: (field_identifier) @variable.name type: (_) @variable.type) @variable

; What is given a value
(short_var_declaration left: (expression_list (identifier) @write))
(assignment_statement left: (expression_list [(identifier) @write (selector_expression) @mutation (index_expression) @mutation (unary_expression) @mutation]))
[(inc_statement [(identifier) @write (selector_expression) @mutation (index_expression) @mutation])
 (dec_statement [(identifier) @write (selector_expression) @mutation (index_expression) @mutation])]
(range_clause left: (expression_list [(identifier) @write (selector_expression) @mutation]))
(var_spec name: (identifier) @write value: (_))

; Ways the code may turn
[(if_statement) (expression_case) (type_case) (communication_case)] @branch
(for_statement) @loop
(break_statement) @break
(continue_statement) @continue
(return_statement (_)) @return
