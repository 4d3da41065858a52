; Every name; those bound inside functions; those that are no uses.
[(identifier) (constant) (instance_variable) (class_variable) (global_variable)] @name

(method_parameters [
  (identifier) @local
  (_ name: (identifier) @local)
  (destructured_parameter (identifier) @local)])
(lambda_parameters [
  (identifier) @local
  (_ name: (identifier) @local)
  (destructured_parameter (identifier) @local)])
(block_parameters [
  (identifier) @local
  (_ name: (identifier) @local)
  (destructured_parameter (identifier) @local)])
(assignment left: [
  (identifier) @local
  (left_assignment_list [
    (identifier) @local
    (rest_assignment (identifier) @local)
    (destructured_left_assignment [(identifier) @local (rest_assignment (identifier) @local)])])])
(operator_assignment left: (identifier) @local)
(for pattern: [(identifier) @local (left_assignment_list (identifier) @local)])
(exception_variable (identifier) @local)
(keyword_pattern value: (identifier) @local)
(array_pattern (identifier) @local)
(as_pattern name: (identifier) @local)
