; Types. An extension is a block of members of its type.
(class_declaration declaration_kind: "struct" name: (type_identifier) @name body: (_) @body) @definition.struct
(class_declaration declaration_kind: "enum" name: (type_identifier) @name body: (_) @body) @definition.enum
(class_declaration declaration_kind: ["class" "actor"] name: (type_identifier) @name body: (_) @body) @definition.class
(class_declaration declaration_kind: "extension" name: (user_type (type_identifier)* @scope . (type_identifier) @name .) body: (_) @body) @definition.impl
(class_declaration declaration_kind: "extension" name: (user_type (type_identifier) @name . (type_arguments)) body: (_) @body) @definition.impl
(protocol_declaration name: (type_identifier) @name body: (_) @body) @definition.interface
(typealias_declaration name: (type_identifier) @name) @definition.type
(associatedtype_declaration name: (type_identifier) @name) @definition.type
(macro_declaration (simple_identifier) @name (macro_definition)? @body) @definition.macro

; Functions and members.
(function_declaration "func" . name: _ @name body: (_)? @body) @definition.fn
(protocol_function_declaration "func" . name: _ @name) @definition.method
(init_declaration "init" @name body: (_)? @body) @definition.method
(deinit_declaration "deinit" @name body: (_) @body) @definition.method
(subscript_declaration "subscript" @name (computed_property) @body) @definition.property
(enum_entry name: (simple_identifier) @name @visibility.around) @definition.field
(protocol_property_declaration name: (_ bound_identifier: (simple_identifier) @name)) @definition.property
(statements (_ name: (_ bound_identifier: (simple_identifier) @name)) @definition.none)
(property_declaration name: (_ bound_identifier: (simple_identifier) @name) computed_value: (_) @body) @definition.property
(source_file (_ (value_binding_pattern "let") name: (_ bound_identifier: (simple_identifier) @name)) @definition.const)
(source_file (_ name: (_ bound_identifier: (simple_identifier) @name)) @definition.var)
(source_file (_ name: (pattern (pattern . (simple_identifier) @name .))) @definition.var)
(property_declaration name: (_ bound_identifier: (simple_identifier) @name) (willset_didset_block) @body) @definition.field
(property_declaration name: (_ bound_identifier: (simple_identifier) @name)) @definition.field

; Imports.
(import_declaration (identifier) @import.module) @import
(import_declaration (identifier (simple_identifier) @reference.import .))

; References.
(type_parameter . (type_identifier) @reference.none)
(attribute (user_type (type_identifier) @reference.decorator .))
(inheritance_specifier (user_type (type_identifier) @reference.inherit .))
(inheritance_specifier (user_type (type_identifier) @reference.inherit . (type_arguments)))
(_ (throw_keyword) . (call_expression . (simple_identifier) @reference.throw))
(_ (throw_keyword) . (call_expression . (_ target: (simple_identifier) @reference.throw)))
(_ (throw_keyword) . (_ target: (simple_identifier) @reference.throw))
((call_expression . (simple_identifier) @reference.none) (#any-of? @reference.none "defer" "Self"))
((call_expression . (simple_identifier) @reference.instance (_ (_ "("))) (#match? @reference.instance "^[A-Z]"))
((call_expression . (_ suffix: (_ suffix: (simple_identifier) @reference.instance)) (_ (_ "("))) (#match? @reference.instance "^[A-Z]"))
(constructor_expression (user_type (type_identifier) @reference.instance . (type_arguments)))
(call_expression . (simple_identifier) @reference.call (_ [(_ "(") (lambda_literal)]))
(call_expression . (_ suffix: (_ suffix: (simple_identifier) @reference.call)) (_ [(_ "(") (lambda_literal)]))
; What is written behind a mere dot is a member of the type that is expected there.
(_ (type_annotation . (user_type) @holder .) value: (prefix_expression operation: "." target: (simple_identifier) @reference.read))

(call_expression . (prefix_expression operation: "." @holder target: (simple_identifier) @reference.call))
(prefix_expression operation: "." @holder target: (simple_identifier) @reference.read)
(pattern "." @holder . (simple_identifier) @reference.read)
((directly_assignable_expression . (simple_identifier) @reference.none .) (#eq? @reference.none "_"))
(directly_assignable_expression . (simple_identifier) @reference.write .)
(directly_assignable_expression . (_ suffix: (_ suffix: (simple_identifier) @reference.write)) .)
((navigation_expression target: (simple_identifier) @reference.type) (#match? @reference.type "^[A-Z]"))
((type_identifier) @reference.none (#match? @reference.none "^([A-Z]|Self)$"))
(type_identifier) @reference.type

(comment) @comment
(multiline_comment) @comment
((comment) @doc (#match? @doc "^///"))
((multiline_comment) @doc (#match? @doc "^/\\*\\*[^/]"))

; what is known of values
(parameter name: (simple_identifier) @binding.name (_) @binding.type .)
(lambda_parameter name: (simple_identifier) @binding.name (_) @binding.type .)
(_ name: (_ bound_identifier: (simple_identifier) @binding.name) . (type_annotation (_) @binding.type))
(_ name: (_ bound_identifier: (simple_identifier) @binding.name) . value: (_) @binding.value)
(_ bound_identifier: (simple_identifier) @binding.name . "=" . (_) @binding.value)
(for_statement item: (_ bound_identifier: (simple_identifier) @binding.name) collection: (_) @binding.item)
(catch_block (pattern (_ bound_identifier: (simple_identifier) @binding.name) (user_type) @binding.type))
(class_body (_ name: (_ bound_identifier: (simple_identifier) @binding.member) . (type_annotation (_) @binding.type)))
(class_body (_ name: (_ bound_identifier: (simple_identifier) @binding.member) . value: (_) @binding.value))
(enum_class_body (_ name: (_ bound_identifier: (simple_identifier) @binding.member) . (type_annotation (_) @binding.type)))
(protocol_property_declaration name: (_ bound_identifier: (simple_identifier) @binding.member) (type_annotation (_) @binding.type))
(function_declaration "->" . (_) @binding.returns)
(protocol_function_declaration "->" . (_) @binding.returns)
(subscript_declaration "->" . (_) @binding.returns)
(typealias_declaration name: (type_identifier) @binding.name "=" . (_) @binding.type)
