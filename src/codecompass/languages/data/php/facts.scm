; Parameters; one with a visibility is a field as well.
[(simple_parameter) (variadic_parameter) (property_promotion_parameter)] @parameter
(simple_parameter name: (_) @parameter.name)
(simple_parameter type: (_) @parameter.type)
(simple_parameter default_value: (_) @parameter.default)
(variadic_parameter name: (_) @parameter.name)
(variadic_parameter type: (_) @parameter.type)
(property_promotion_parameter name: (_) @parameter.name)
(property_promotion_parameter type: (_) @parameter.type)
(property_promotion_parameter default_value: (_) @parameter.default)
(function_definition return_type: (_) @returns)
(method_declaration return_type: (_) @returns)
[(anonymous_function) (arrow_function)] @lambda
(method_declaration [(static_modifier) @mark.static (abstract_modifier) @mark.abstract (final_modifier) @mark.final])
(class_declaration [(abstract_modifier) @mark.abstract (final_modifier) @mark.final (readonly_modifier) @mark.readonly])
(property_declaration [
  (static_modifier) @mark.static (abstract_modifier) @mark.abstract (final_modifier) @mark.final
  (readonly_modifier) @mark.readonly])
(const_declaration (final_modifier) @mark.final)
(throw_expression [(variable_name) (scoped_call_expression) (member_call_expression) (function_call_expression)] @throw)

; Variables
(property_declaration type: (_) @declaration.type (property_element name: (variable_name (name) @declaration.name))) @declaration
(const_declaration type: (_) @declaration.type (const_element . (name) @declaration.name)) @declaration
(catch_clause type: (_) @declaration.type name: (variable_name) @declaration.name) @declaration
(assignment_expression
  left: [(variable_name) (member_access_expression) (scoped_property_access_expression)] @variable.name
  right: [
    (variable_name) (member_access_expression) (scoped_property_access_expression) (string) (encapsed_string) (heredoc)
    (nowdoc) (integer) (float) (boolean) (null) (array_creation_expression) (anonymous_function) (arrow_function)
    (cast_expression) (parenthesized_expression)
    (object_creation_expression . [(name) (qualified_name)])] @variable.value) @variable
(property_element name: (variable_name (name) @variable.name) default_value: (_) @variable.value) @variable
(const_element . (name) @variable.name (_) @variable.value) @variable
(static_variable_declaration name: (variable_name) @variable.name value: (_) @variable.value) @variable

; What is given a value
(assignment_expression left: [
  (variable_name) @write
  (member_access_expression) @mutation
  (scoped_property_access_expression) @mutation
  (subscript_expression) @mutation])
(reference_assignment_expression left: [
  (variable_name) @write (member_access_expression) @mutation (subscript_expression) @mutation])
(augmented_assignment_expression left: [
  (variable_name) @write
  (member_access_expression) @mutation
  (scoped_property_access_expression) @mutation
  (subscript_expression) @mutation])
(update_expression argument: [
  (variable_name) @write
  (member_access_expression) @mutation
  (scoped_property_access_expression) @mutation
  (subscript_expression) @mutation])
(list_literal [
  (variable_name) @write (by_ref (variable_name) @write) (member_access_expression) @mutation
  (subscript_expression) @mutation])
(foreach_statement . (_) . [
  (variable_name) @write
  (by_ref (variable_name) @write)
  (pair [(variable_name) @write (by_ref (variable_name) @write)])])
(static_variable_declaration name: (variable_name) @write)
(unset_statement [(variable_name) @write (member_access_expression) @mutation (subscript_expression) @mutation])

; Ways the code may turn
[(if_statement) (else_if_clause) (conditional_expression) (catch_clause) (case_statement) (match_conditional_expression)] @branch
[(for_statement) (foreach_statement) (while_statement) (do_statement)] @loop
(break_statement) @break
(continue_statement) @continue
(return_statement (_)) @return
(yield_expression) @yield
