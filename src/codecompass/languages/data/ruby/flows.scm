; How values move: the captures are explained in languages/flows.py.
[(instance_variable) (self)] @name
(assignment left: (_) @assign.target right: (_) @assign.value)
(operator_assignment left: (_) @extend.target right: (_) @extend.value)
(for pattern: (_) @assign.target value: (in (_) @assign.value))
; what a block is given are the items of what it is called on
(call receiver: (_) @assign.value block: [
  (block parameters: (block_parameters (identifier) @assign.target))
  (do_block parameters: (block_parameters (identifier) @assign.target))])
(binary left: (identifier) @extend.target operator: "<<" right: (_) @extend.value)

(call method: [(identifier) (constant)] @call.name arguments: (argument_list)? @call.arguments) @call
(subshell . _ @call.name) @call
(pair key: (_) @pair.name value: (_) @pair.value) @pair
(return (argument_list) @return)
(method body: (body_statement [(identifier) (call) (element_reference)] @return .))

[(method) (singleton_method) (block) (do_block) (lambda)] @function
(method_parameters [
  (identifier) @param @param.name
  (optional_parameter name: (identifier) @param.name) @param
  (keyword_parameter name: (identifier) @param.name) @param
  (splat_parameter name: (identifier) @param.name) @param])
(block_parameters (identifier) @param @param.name)

[(if) (unless) (case)] @fork
(if consequence: (then) @arm)
(unless consequence: (then) @arm)
(elsif consequence: (then) @arm)
(else) @arm.last
(when body: (then) @arm)
(if_modifier body: (_) @arm) @fork
(unless_modifier body: (_) @arm) @fork
(rescue body: (then) @arm) @fork
[(while body: (do) @loop) (for body: (do) @loop)]
[(return) (break) (next)] @exit

(binary operator: ["==" "!=" "<" ">" "<=" ">=" "=~" "!~" "==="]) @neutral
(unary operator: "!") @neutral
(conditional condition: (_) @neutral)
