; Parameters
(function_value_parameters (parameter . (simple_identifier) @parameter.name (_) @parameter.type .) @parameter)
(_ (parameter) . "=" . (_) @parameter.behind)
(class_parameter (simple_identifier) @parameter.name . (_) @parameter.type) @parameter
(class_parameter "=" . (_) @parameter.default)
(parameter_with_optional_type . (simple_identifier) @parameter.name) @parameter
(function_declaration (function_value_parameters) . [(user_type) (nullable_type) (function_type) (parenthesized_type)] @returns)
(property_declaration (variable_declaration (simple_identifier) . (_) @returns) (getter))
(_ (property_declaration (variable_declaration (simple_identifier) . (_) @returns)) . (getter))
(anonymous_function) @lambda
(function_modifier ["suspend" @mark.async "inline" @mark.inline "operator" @mark.operator "infix" @mark.infix "tailrec" @mark.tailrec "external" @mark.external])
(inheritance_modifier ["abstract" @mark.abstract "final" @mark.final "open" @mark.open])
(member_modifier ["override" @mark.override "lateinit" @mark.lateinit])
(class_modifier ["sealed" @mark.sealed "data" @mark.data "inner" @mark.inner "value" @mark.value])
(platform_modifier ["expect" @mark.expect "actual" @mark.actual])
((annotation (constructor_invocation (user_type (type_identifier) @_throws)
  (value_arguments (value_argument (callable_reference . (type_identifier) @throw))))) (#eq? @_throws "Throws"))

; Variables
(property_declaration (variable_declaration . (simple_identifier) @variable.name)) @variable
(property_declaration (variable_declaration (simple_identifier) . (_) @variable.type))
(property_declaration "=" . (_) @variable.value)
(class_parameter (binding_pattern_kind) . (simple_identifier) @variable.name . (_) @variable.type) @variable
(assignment (directly_assignable_expression) @variable.name "=" . (_) @variable.value) @variable
(catch_block (simple_identifier) @declaration.name (user_type) @declaration.type) @declaration
(for_statement (variable_declaration (simple_identifier) @declaration.name . (_) @declaration.type)) @declaration

; What is given a value
(property_declaration (variable_declaration . (simple_identifier) @write) "=")
(multi_variable_declaration (variable_declaration . (simple_identifier) @write))
(for_statement (variable_declaration . (simple_identifier) @write))
(when_subject (variable_declaration . (simple_identifier) @write))
(directly_assignable_expression . (simple_identifier) @write .)
(directly_assignable_expression (_) . [(navigation_suffix) (indexing_suffix)]) @mutation
(postfix_expression [(simple_identifier) @write (navigation_expression) @mutation (indexing_expression) @mutation] ["++" "--"])
(prefix_expression ["++" "--"] [(simple_identifier) @write (navigation_expression) @mutation (indexing_expression) @mutation])

; Ways the code may turn
[(if_expression) (catch_block)] @branch
(when_entry . (when_condition) @branch)
[(for_statement) (while_statement) (do_while_statement)] @loop
(jump_expression ["break" "break@"]) @break
(jump_expression ["continue" "continue@"]) @continue
(jump_expression "return" (_)) @return
(function_body "=" . (_) @return)
(jump_expression "throw" . (simple_identifier) @throw)
((call_expression . (navigation_expression . (_) @await (navigation_suffix (simple_identifier) @_await))) (#eq? @_await "await"))
