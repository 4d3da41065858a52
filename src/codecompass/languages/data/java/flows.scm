; How values move: the captures are explained in languages/flows.py.
(this) @name
(variable_declarator name: (identifier) @assign.target value: (_) @assign.value)
(assignment_expression left: (_) @assign.target operator: "=" right: (_) @assign.value)
(assignment_expression left: (_) @extend.target operator: "+=" right: (_) @extend.value)
(enhanced_for_statement name: (identifier) @assign.target value: (_) @assign.value)
(resource name: (identifier) @assign.target value: (_) @assign.value)
; what is added to a builder or a collection is in it
(expression_statement (method_invocation object: (identifier) @extend.target name: (identifier) @_add
  arguments: (argument_list) @extend.value)
  (#any-of? @_add "append" "add" "put" "addAll" "push" "insert"))
(method_invocation object: (_) @assign.value name: (identifier) @_each
  arguments: (argument_list . (lambda_expression parameters: [(identifier) @assign.target (inferred_parameters . (identifier) @assign.target)]))
  (#any-of? @_each "map" "forEach" "filter" "flatMap" "ifPresent" "thenApply" "thenAccept"))

(method_invocation name: (identifier) @call.name arguments: (_) @call.arguments) @call
(object_creation_expression type: [
  (type_identifier) @call.name (scoped_type_identifier (type_identifier) @call.name .) (generic_type . (type_identifier) @call.name)]
  arguments: (_) @call.arguments) @call
(return_statement (_) @return)

[(method_declaration) (constructor_declaration) (lambda_expression)] @function
(formal_parameter name: (identifier) @param.name) @param
(spread_parameter (variable_declarator name: (identifier) @param.name)) @param
(lambda_expression parameters: (identifier) @param @param.name)
(inferred_parameters (identifier) @param @param.name)

(if_statement consequence: (_) @arm) @fork
(if_statement alternative: (_) @arm.last)
(switch_expression) @fork
[(switch_block_statement_group) (switch_rule)] @arm
(catch_clause body: (block) @arm) @fork
[(for_statement body: (_) @loop) (enhanced_for_statement body: (_) @loop) (while_statement body: (_) @loop)]
[(return_statement) (throw_statement) (continue_statement)] @exit

(binary_expression operator: ["==" "!=" "<" ">" "<=" ">="]) @neutral
(unary_expression operator: "!") @neutral
(instanceof_expression) @neutral
(array_access index: (_) @neutral)
(ternary_expression condition: (_) @neutral)
