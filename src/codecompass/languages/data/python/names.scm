; Every name; those bound inside functions; those that are no uses.
(identifier) @name

(parameters [
  (identifier) @local
  (default_parameter name: (identifier) @local)
  (typed_parameter . [(identifier) @local (list_splat_pattern (identifier) @local) (dictionary_splat_pattern (identifier) @local)])
  (typed_default_parameter name: (identifier) @local)
  (list_splat_pattern (identifier) @local)
  (dictionary_splat_pattern (identifier) @local)])
(lambda_parameters [
  (identifier) @local
  (default_parameter name: (identifier) @local)
  (list_splat_pattern (identifier) @local)
  (dictionary_splat_pattern (identifier) @local)])
(assignment left: [
  (identifier) @local
  (pattern_list [(identifier) @local (list_splat_pattern (identifier) @local) (tuple_pattern (identifier) @local)])
  (tuple_pattern [(identifier) @local (list_splat_pattern (identifier) @local)])
  (list_pattern (identifier) @local)])
(for_statement left: [(identifier) @local (pattern_list [(identifier) @local (tuple_pattern (identifier) @local)]) (tuple_pattern (identifier) @local)])
(for_in_clause left: [(identifier) @local (pattern_list [(identifier) @local (tuple_pattern (identifier) @local)]) (tuple_pattern (identifier) @local)])
(as_pattern_target [(identifier) @local (tuple (identifier) @local) (list (identifier) @local)])
(named_expression name: (identifier) @local)

(keyword_argument name: (identifier) @silent)
(dotted_name (identifier) @silent)
(aliased_import alias: (identifier) @silent)
(global_statement (identifier) @silent)
(nonlocal_statement (identifier) @silent)
