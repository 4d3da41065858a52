; Every name; those bound inside functions; those that are no uses.
(identifier) @name

; Only parameters carry a type.
(argument_list (typed_expression . (identifier) @local))
(argument_list (assignment . (typed_expression . (identifier) @local)))
(argument_list (splat_expression (typed_expression . (identifier) @local)))
(signature (call_expression (argument_list [(identifier) @local (assignment . (identifier) @local) (splat_expression (identifier) @local)])))
(signature (where_expression (call_expression (argument_list [(identifier) @local (assignment . (identifier) @local) (splat_expression (identifier) @local)]))))
(assignment . (call_expression (argument_list [(identifier) @local (assignment . (identifier) @local) (splat_expression (identifier) @local)])) (operator))
(arrow_function_expression . [(identifier) @local (argument_list (identifier) @local)])
(signature (argument_list (identifier) @local))
(do_clause [(identifier) @local (tuple_expression (identifier) @local)])
(assignment . [
  (identifier) @local
  (typed_expression . (identifier) @local)
  (open_tuple (identifier) @local)
  (tuple_expression (identifier) @local)])
(for_binding . [(identifier) @local (tuple_expression (identifier) @local)])
(where_expression (_) [
  (identifier) @local
  (curly_expression [(identifier) @local (binary_expression . (identifier) @local)])
  (binary_expression . (identifier) @local)] .)
(curly_expression (binary_expression . (identifier) @silent))
(quote_expression (identifier) @silent)
