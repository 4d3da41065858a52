; Parameters; those of blocks are left to the block
(method_parameters [
  (identifier) @parameter @parameter.name
  (_ name: (identifier) @parameter.name) @parameter])
(method_parameters [(optional_parameter value: (_) @parameter.default) (keyword_parameter value: (_) @parameter.default)])
[(block) (do_block) (lambda)] @lambda
(singleton_method "." @mark.static)
(yield) @mark.yields

; Variables
(assignment left: [(identifier) (instance_variable) (class_variable) (global_variable) (constant)] @variable.name right: (_) @variable.value) @variable
(assignment left: (left_assignment_list [(identifier) (instance_variable)] @variable.name) right: (right_assignment_list (_) @variable.value)) @variable

; What is given a value
(assignment left: [(identifier) (constant)] @write)
(assignment left: [(instance_variable) (class_variable) (global_variable) (element_reference) (call)] @mutation)
(left_assignment_list [(identifier) @write (instance_variable) @mutation (element_reference) @mutation (call) @mutation (rest_assignment (identifier) @write)])
(operator_assignment left: (identifier) @write)
(operator_assignment left: [(instance_variable) (class_variable) (global_variable) (element_reference) (call)] @mutation)
(for pattern: (identifier) @write)
(exception_variable (identifier) @write)

; Ways the code may turn
[(if) (elsif) (unless) (if_modifier) (unless_modifier) (conditional) (when) (in_clause) (rescue) (rescue_modifier)] @branch
[(for) (while) (until) (while_modifier) (until_modifier)] @loop
(break) @break
(next) @continue
(return (argument_list)) @return
