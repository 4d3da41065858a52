; Parameters
(parameter name: (simple_identifier) @parameter.name (_) @parameter.type .) @parameter
[(function_declaration default_value: (_) @parameter.behind) (init_declaration default_value: (_) @parameter.behind) (protocol_function_declaration default_value: (_) @parameter.behind)]
[(function_declaration "->" . (_) @returns) (protocol_function_declaration "->" . (_) @returns) (subscript_declaration "->" . (_) @returns)]
(property_declaration (type_annotation (_) @returns) computed_value: (_))
(lambda_literal) @lambda
[(function_declaration "async" @mark.async) (protocol_function_declaration "async" @mark.async) (init_declaration "async" @mark.async)]
[(function_declaration (throws) @mark.throws) (protocol_function_declaration (throws) @mark.throws) (init_declaration (throws) @mark.throws)]
(property_modifier "static" @mark.static)
(function_declaration "class" @mark.static)
(member_modifier ["override" @mark.override "convenience" @mark.convenience "required" @mark.required "nonisolated" @mark.nonisolated])
(inheritance_modifier "final" @mark.final)
(mutation_modifier "mutating" @mark.mutating)
(property_behavior_modifier "lazy" @mark.lazy)
(ownership_modifier) @mark.weak

; Variables
(property_declaration name: (_ bound_identifier: (simple_identifier) @variable.name)) @variable
(protocol_property_declaration name: (_ bound_identifier: (simple_identifier) @variable.name)) @variable
(type_annotation (_) @variable.type)
(property_declaration value: (_) @variable.value)
(assignment target: (_) @variable.name operator: "=" result: (_) @variable.value) @variable

; What is given a value
(property_declaration name: (_ bound_identifier: (simple_identifier) @write) value: (_))
(property_declaration name: (_ (_ . (simple_identifier) @write .)))
(for_statement item: (_ bound_identifier: (simple_identifier) @write))
(directly_assignable_expression . (simple_identifier) @write .)
(directly_assignable_expression [(navigation_expression) (call_expression)]) @mutation

; Ways the code may turn
[(if_statement) (guard_statement) (ternary_expression) (catch_block)] @branch
(switch_entry . (switch_pattern) @branch)
[(for_statement) (while_statement) (repeat_while_statement)] @loop
(control_transfer_statement "break") @break
(control_transfer_statement "continue") @continue
(control_transfer_statement "return" result: _) @return
(function_declaration "->" body: (_ (_ . [(call_expression) (simple_identifier) (navigation_expression) (try_expression) (await_expression) (prefix_expression) (constructor_expression)] @return .)))
(computed_property (statements . [(call_expression) (simple_identifier) (navigation_expression) (try_expression) (await_expression) (prefix_expression) (constructor_expression)] @return .))
(control_transfer_statement (throw_keyword) . (simple_identifier) @throw)
(await_expression (_) @await)
(for_statement "await" collection: (_) @await)
