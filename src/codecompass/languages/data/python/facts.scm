; Parameters: those of lambdas are left to the lambda.
(parameters [
  (identifier) @parameter @parameter.name
  (default_parameter name: (identifier) @parameter.name value: (_) @parameter.default) @parameter
  (typed_parameter . [(identifier) @parameter.name (list_splat_pattern (identifier) @parameter.name)
    (dictionary_splat_pattern (identifier) @parameter.name)] type: (type) @parameter.type) @parameter
  (typed_default_parameter name: (identifier) @parameter.name type: (type) @parameter.type value: (_) @parameter.default) @parameter
  (list_splat_pattern (identifier) @parameter.name) @parameter
  (dictionary_splat_pattern (identifier) @parameter.name) @parameter])
(function_definition return_type: (type) @returns)
(function_definition "async" @mark.async)
(lambda) @lambda

; Variables
(assignment left: (identifier) @variable.name type: (type) @variable.type) @variable
(assignment left: (identifier) @variable.name right: (_) @variable.value) @variable
(assignment left: (attribute object: (identifier) attribute: (identifier)) @variable.name right: (_) @variable.value) @variable
(assignment left: (attribute object: (identifier) attribute: (identifier)) @variable.name type: (type) @variable.type) @variable
(named_expression name: (identifier) @variable.name value: (_) @variable.value) @variable

; What is given a value
(assignment left: [
  (identifier) @write
  (attribute) @mutation
  (subscript) @mutation
  (pattern_list [(identifier) @write (attribute) @mutation (subscript) @mutation (list_splat_pattern (identifier) @write) (tuple_pattern (identifier) @write)])
  (tuple_pattern [(identifier) @write (attribute) @mutation (subscript) @mutation (list_splat_pattern (identifier) @write)])
  (list_pattern (identifier) @write)])
(augmented_assignment left: [(identifier) @write (attribute) @mutation (subscript) @mutation])
(for_statement left: [(identifier) @write (pattern_list [(identifier) @write (tuple_pattern (identifier) @write)]) (tuple_pattern (identifier) @write)])
(as_pattern_target [(identifier) @write (attribute) @mutation (tuple (identifier) @write)])
(named_expression name: (identifier) @write)
(delete_statement [(attribute) @mutation (subscript) @mutation (identifier) @write (expression_list [(attribute) @mutation (subscript) @mutation (identifier) @write])])

; Ways the code may turn
[(if_statement) (elif_clause) (conditional_expression) (except_clause) (case_clause)] @branch
[(for_statement) (while_statement)] @loop
(break_statement) @break
(continue_statement) @continue
(return_statement (_)) @return
(yield) @yield
(await (_) @await)
