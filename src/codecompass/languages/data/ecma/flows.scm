; How values move: the captures are explained in languages/flows.py.
[(this) (shorthand_property_identifier_pattern) (shorthand_property_identifier)] @name
(variable_declarator name: (_) @assign.target value: (_) @assign.value)
(assignment_expression left: (_) @assign.target right: (_) @assign.value)
(augmented_assignment_expression left: (_) @extend.target right: (_) @extend.value)
(for_in_statement left: (_) @assign.target right: (_) @assign.value)
; what a callback is given are the items of what it is called on
(call_expression function: (member_expression object: (_) @assign.value property: (property_identifier) @_each)
  arguments: (arguments . (arrow_function parameter: (identifier) @assign.target))
  (#any-of? @_each "map" "forEach" "filter" "then" "flatMap" "find" "some" "every" "reduce"))
(call_expression function: (member_expression object: (_) @assign.value property: (property_identifier) @_each)
  arguments: (arguments . [(arrow_function parameters: (formal_parameters . (_) @assign.target))
                           (function_expression parameters: (formal_parameters . (_) @assign.target))])
  (#any-of? @_each "map" "forEach" "filter" "then" "flatMap" "find" "some" "every"))

(call_expression function: (_) @call.name arguments: (_) @call.arguments) @call
(new_expression constructor: (_) @call.name arguments: (_)? @call.arguments) @call
(pair key: (_) @pair.name value: (_) @pair.value) @pair
(return_statement (_) @return)
(arrow_function body: [
  (identifier) (call_expression) (member_expression) (template_string) (binary_expression) (await_expression)
  (parenthesized_expression)] @return)

[(function_declaration) (function_expression) (generator_function) (generator_function_declaration) (arrow_function)
 (method_definition)] @function
(arrow_function parameter: (identifier) @param @param.name)

(if_statement consequence: (_) @arm) @fork
(else_clause (_) @arm.last)
(switch_statement) @fork
(switch_case) @arm
(switch_default) @arm.last
(catch_clause body: (_) @arm) @fork
(for_in_statement body: (_) @loop)
(for_statement body: (_) @loop)
(while_statement body: (_) @loop)
[(return_statement) (throw_statement) (continue_statement)] @exit

(binary_expression operator: ["==" "===" "!=" "!==" "<" ">" "<=" ">=" "instanceof" "in"]) @neutral
(unary_expression operator: ["!" "typeof" "delete" "void"]) @neutral
(subscript_expression index: (_) @neutral)
(ternary_expression condition: (_) @neutral)
