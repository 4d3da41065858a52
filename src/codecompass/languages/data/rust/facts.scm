; Parameters
(parameter pattern: [(identifier) (tuple_pattern) (tuple_struct_pattern) (struct_pattern) (reference_pattern)] @parameter.name type: (_) @parameter.type) @parameter
(self_parameter (self) @parameter.name) @parameter
(closure_parameters (identifier) @parameter @parameter.name)
[(function_item return_type: (_) @returns) (function_signature_item return_type: (_) @returns)]
(closure_expression) @lambda
(async_block) @lambda
(function_modifiers ["async" @mark.async "unsafe" @mark.unsafe "const" @mark.const "default" @mark.default])
(function_modifiers (extern_modifier) @mark.extern)
(unsafe_block) @mark.unsafe

; Variables
(let_declaration pattern: (identifier) @variable.name) @variable
(let_declaration type: (_) @variable.type)
(let_declaration value: (_) @variable.value)
(field_declaration name: (field_identifier) @variable.name type: (_) @variable.type) @variable
[(const_item name: (identifier) @variable.name type: (_) @variable.type) (static_item name: (identifier) @variable.name type: (_) @variable.type)] @variable
(assignment_expression left: [(identifier) (field_expression)] @variable.name right: (_) @variable.value) @variable

; What is given a value
(let_declaration pattern: (identifier) @write value: (_))
(let_declaration pattern: [(tuple_pattern [(identifier) @write (mut_pattern (identifier) @write)]) (tuple_struct_pattern type: (_) (identifier) @write) (struct_pattern (field_pattern name: (shorthand_field_identifier) @write))] value: (_))
(assignment_expression left: [(identifier) @write (field_expression) @mutation (index_expression) @mutation (unary_expression) @mutation])
(compound_assignment_expr left: [(identifier) @write (field_expression) @mutation (index_expression) @mutation (unary_expression) @mutation])
(for_expression pattern: [(identifier) @write (tuple_pattern (identifier) @write)])

; Ways the code may turn
[(if_expression) (match_arm)] @branch
[(for_expression) (while_expression) (loop_expression)] @loop
(break_expression) @break
(continue_expression) @continue
(return_expression (_)) @return
(function_item return_type: (_) body: (block [
  (call_expression) (identifier) (field_expression) (match_expression) (if_expression) (struct_expression) (binary_expression) (macro_invocation) (tuple_expression)
  (reference_expression) (unary_expression) (integer_literal) (string_literal) (boolean_literal) (scoped_identifier) (await_expression) (try_expression) (array_expression)
  (index_expression) (type_cast_expression) (closure_expression) (async_block) (unsafe_block) (range_expression) (self) (parenthesized_expression) (block)] @return .))
(yield_expression) @yield
(await_expression (_) @await)
(call_expression function: (identifier) @_failure arguments: (arguments . (_) @throw) (#eq? @_failure "Err"))
