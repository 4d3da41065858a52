; How values move: the captures are explained in languages/flows.py.
(assignment left: (_) @assign.target right: (_) @assign.value)
(augmented_assignment left: (_) @extend.target right: (_) @extend.value)
(named_expression name: (_) @assign.target value: (_) @assign.value)
(as_pattern . (_) @assign.value alias: (as_pattern_target (_) @assign.target))
(for_statement left: (_) @assign.target right: (_) @assign.value)
(list_comprehension (for_in_clause left: (_) @assign.target right: (_) @assign.value)) @assign.from
(set_comprehension (for_in_clause left: (_) @assign.target right: (_) @assign.value)) @assign.from
(generator_expression (for_in_clause left: (_) @assign.target right: (_) @assign.value)) @assign.from
(dictionary_comprehension (for_in_clause left: (_) @assign.target right: (_) @assign.value)) @assign.from

(call function: (_) @call.name arguments: (_) @call.arguments) @call
(keyword_argument name: (_) @pair.name value: (_) @pair.value) @pair
(pair key: (string) @pair.name value: (_) @pair.value) @pair
(return_statement (_) @return)
(yield (_) @return)

(function_definition) @function
(lambda) @function
(parameters [
  (identifier) @param @param.name
  (default_parameter name: (identifier) @param.name) @param
  (typed_parameter . [(identifier) @param.name (list_splat_pattern (identifier) @param.name) (dictionary_splat_pattern (identifier) @param.name)]) @param
  (typed_default_parameter name: (identifier) @param.name) @param
  (list_splat_pattern (identifier) @param.name) @param
  (dictionary_splat_pattern (identifier) @param.name) @param])
(lambda_parameters [
  (identifier) @param @param.name
  (default_parameter name: (identifier) @param.name) @param])

(if_statement consequence: (block) @arm) @fork
(elif_clause consequence: (block) @arm)
(else_clause body: (block) @arm.last)
(except_clause (block) @arm) @fork
(match_statement) @fork
(case_clause consequence: (block) @arm)
(for_statement body: (block) @loop)
(while_statement body: (block) @loop)
[(return_statement) (raise_statement) (break_statement) (continue_statement)] @exit

[(comparison_operator) (not_operator) (type)] @neutral
(subscript subscript: (_) @neutral)
(conditional_expression . (_) . (_) @neutral . (_))
