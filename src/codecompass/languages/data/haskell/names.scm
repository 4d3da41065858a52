; Every name; those bound inside functions; those that are no uses.
[(variable) (constructor)] @name

(patterns [(variable) @local (tuple element: (variable) @local) (list element: (variable) @local)])
(_ pattern: [
  (variable) @local
  (tuple element: (variable) @local)
  (list element: (variable) @local)
  (apply
    function: [
      (constructor)
      (qualified)
      (apply argument: (variable) @local)
      (apply function: (apply argument: (variable) @local))]
    argument: (variable) @local)
  (infix left_operand: (variable) @local)
  (infix right_operand: (variable) @local)])
(as bind: (variable) @local)
(local_binds [(function name: (variable) @local) (bind name: (variable) @local)])
(local_binds (signature name: (variable) @silent))
(function (infix left_operand: (variable) @local))
(function (infix right_operand: (variable) @local))

; Variables of types.
(type_params (variable) @silent)
(field type: (variable) @silent)
(quantified_variables bind: (variable) @silent)
(apply constructor: (variable) @silent)
(apply constructor: (_) argument: (variable) @silent)
(function parameter: (variable) @silent)
(function result: (variable) @silent)
(signature type: (variable) @silent)
