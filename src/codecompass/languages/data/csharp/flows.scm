; How values move: the captures are explained in languages/flows.py.
"this" @name
(variable_declarator name: (identifier) @assign.target (_) @assign.value .)
(assignment_expression left: (_) @assign.target operator: "=" right: (_) @assign.value)
(assignment_expression left: (_) @extend.target operator: ["+=" "??="] right: (_) @extend.value)
(foreach_statement left: (identifier) @assign.target right: (_) @assign.value)
(expression_statement (invocation_expression
  function: (member_access_expression expression: (identifier) @extend.target name: (identifier) @_add)
  arguments: (argument_list) @extend.value)
  (#any-of? @_add "Append" "AppendLine" "AppendFormat" "Add" "Push" "Insert"))

(invocation_expression function: [
  (identifier) @call.name
  (member_access_expression name: [(identifier) @call.name (generic_name . (identifier) @call.name)])
  (generic_name . (identifier) @call.name)
  (conditional_access_expression (member_binding_expression name: (identifier) @call.name))]
  arguments: (_) @call.arguments) @call
(object_creation_expression type: [
  (identifier) @call.name (qualified_name name: (identifier) @call.name) (generic_name . (identifier) @call.name)]
  arguments: (_) @call.arguments) @call
(argument name: (identifier) @pair.name (_) @pair.value .) @pair
(return_statement (_) @return)
(arrow_expression_clause (_) @return)

[(method_declaration) (constructor_declaration) (local_function_statement) (lambda_expression)] @function
(parameter name: (identifier) @param.name) @param
(implicit_parameter) @param @param.name

(if_statement consequence: (_) @arm) @fork
(if_statement alternative: (_) @arm.last)
(switch_statement) @fork
(switch_section) @arm
(catch_clause body: (block) @arm) @fork
[(for_statement body: (_) @loop) (foreach_statement body: (_) @loop) (while_statement body: (_) @loop)]
[(return_statement) (throw_statement) (continue_statement)] @exit

(binary_expression operator: ["==" "!=" "<" ">" "<=" ">="]) @neutral
(prefix_unary_expression "!") @neutral
(is_pattern_expression) @neutral
(bracketed_argument_list) @neutral
(conditional_expression condition: (_) @neutral)
