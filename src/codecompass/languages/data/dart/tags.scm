; Types.
(class_definition name: (identifier) @name body: (_) @body) @definition.class
(class_definition (mixin_application_class . (identifier) @name)) @definition.class
(mixin_declaration (identifier) @name (class_body) @body) @definition.trait
(extension_declaration name: (identifier) @name body: (_) @body) @definition.impl
(extension_declaration !name class: (type_identifier) @name body: (_) @body) @definition.impl
(extension_type_declaration name: (identifier) @name body: (_) @body) @definition.struct
(representation_declaration name: (identifier) @name) @definition.field
(enum_declaration name: (identifier) @name body: (_) @body) @definition.enum
(enum_constant name: (identifier) @name) @definition.field
(type_alias . (type_identifier) @name @definition.none . (type_identifier) (formal_parameter_list))
(type_alias (type_identifier) @name . (formal_parameter_list)) @definition.type
(type_alias . (type_identifier) @name) @definition.type

; Functions. A body stands beside its head, not in it.
(local_function_declaration (lambda_expression parameters: (function_signature name: (identifier) @name @visibility.private) body: (_) @body)) @definition.fn
((function_signature name: (identifier) @name) @definition.fn . (comment)* . (function_body) @body @tail)
((getter_signature name: (identifier) @name) @definition.property . (comment)* . (function_body) @body @tail)
((setter_signature name: (identifier) @name) @definition.property . (comment)* . (function_body) @body @tail)
(program (function_signature name: (identifier) @name) @definition.fn)

; Members with a body, then those without.
((method_signature (function_signature name: (identifier) @name)) @definition.method . (comment)* . (function_body) @body @tail)
((method_signature [(getter_signature name: (identifier) @name) (setter_signature name: (identifier) @name)]) @definition.property . (comment)* . (function_body) @body @tail)
((method_signature (operator_signature [(binary_operator) "[]" "[]=" "~" (tilde_operator)] @name)) @definition.method . (comment)* . (function_body) @body @tail)
((method_signature [
  (constructor_signature (identifier) @name . (formal_parameter_list))
  (factory_constructor_signature (identifier) @name . (formal_parameter_list))]) @definition.method . (comment)* . (function_body) @body @tail)
(declaration (function_signature name: (identifier) @name)) @definition.method
(declaration [(getter_signature name: (identifier) @name) (setter_signature name: (identifier) @name)]) @definition.property
(declaration (operator_signature [(binary_operator) "[]" "[]=" "~" (tilde_operator)] @name)) @definition.method
(declaration [
  (constructor_signature (identifier) @name . (formal_parameter_list))
  (constant_constructor_signature (identifier) @name . (formal_parameter_list))
  (factory_constructor_signature (identifier) @name . (formal_parameter_list))
  (redirecting_factory_constructor_signature (identifier) @name . (formal_parameter_list))] (initializers)? @body) @definition.method
(declaration [
  (static_final_declaration_list (static_final_declaration . (identifier) @name))
  (initialized_identifier_list (initialized_identifier . (identifier) @name))]) @definition.field

; Variables of the file, with what stands before them.
(program (const_builtin) @lead . (static_final_declaration_list (static_final_declaration . (identifier) @name)) @definition.const)
(program (const_builtin) @lead . (type_identifier) . (type_arguments)? . (nullable_type)?
  . (static_final_declaration_list (static_final_declaration . (identifier) @name)) @definition.const)
(program [(final_builtin) (inferred_type)] @lead . [
  (static_final_declaration_list (static_final_declaration . (identifier) @name))
  (initialized_identifier_list (initialized_identifier . (identifier) @name))] @definition.var)
(program (final_builtin) @lead . (type_identifier) . (type_arguments)? . (nullable_type)? . [
  (static_final_declaration_list (static_final_declaration . (identifier) @name))
  (initialized_identifier_list (initialized_identifier . (identifier) @name))] @definition.var)
(program (type_identifier) @lead . (type_arguments)? . (nullable_type)?
  . (initialized_identifier_list (initialized_identifier . (identifier) @name)) @definition.var)
(program [
  (static_final_declaration_list (static_final_declaration . (identifier) @name))
  (initialized_identifier_list (initialized_identifier . (identifier) @name))] @definition.var)

; Imports, exports and parts.
(library_name (dotted_identifier_list) @package)
(import_specification [(uri (string_literal) @import.module) (configurable_uri (uri (string_literal) @import.module))]) @import
(import_specification [(uri (string_literal) @import.module) (configurable_uri (uri (string_literal) @import.module))]
  (identifier) @import.alias) @import
(import_specification [(uri (string_literal) @import.module) (configurable_uri (uri (string_literal) @import.module))]
  (combinator "show" (identifier) @import.name @reference.import)) @import
(library_export (configurable_uri (uri (string_literal) @import.module))) @import
(library_export (configurable_uri (uri (string_literal) @import.module))
  (combinator "show" (identifier) @import.name @reference.import)) @import
(part_directive (uri (string_literal) @import.module)) @import
(part_of_directive (uri (string_literal) @import.module)) @import

; References.
(annotation name: [(identifier) @reference.decorator (scoped_identifier name: (identifier) @reference.decorator)])
(superclass . (type_identifier) @reference.none . (type_identifier))
(superclass (type_identifier) @reference.inherit)
(mixin_application . (type_identifier) @reference.inherit)
(mixins (type_identifier) @reference.inherit)
(interfaces (type_identifier) @reference.inherit)
(mixin_declaration (type_identifier) @reference.inherit)
(throw_expression . (identifier) @reference.throw (#match? @reference.throw "^_?[A-Z]"))
(throw_expression (identifier) . (selector (unconditional_assignable_selector (identifier) @reference.throw))
  (#match? @reference.throw "^_?[A-Z]"))
(throw_expression [(new_expression (type_identifier) @reference.throw) (const_object_expression (type_identifier) @reference.throw)])
(new_expression (type_identifier) @reference.instance)
(const_object_expression (type_identifier) @reference.instance)
(const_object_expression (type_identifier) . (identifier) @reference.call)
(new_expression (type_identifier) . (identifier) @reference.call)
(((identifier) @reference.instance . (selector (argument_part))) (#match? @reference.instance "^_?[A-Z]"))
((identifier) @reference.call . (selector (argument_part)))
(((selector (unconditional_assignable_selector (identifier) @reference.instance)) . (selector (argument_part)))
  (#match? @reference.instance "^_?[A-Z]"))
((selector [
  (unconditional_assignable_selector (identifier) @reference.call)
  (conditional_assignable_selector (identifier) @reference.call)]) . (selector (argument_part)))
((unconditional_assignable_selector (identifier) @reference.call) . (selector (argument_part)))
(cascade_section (cascade_selector (identifier) @reference.call) . (argument_part))
(cascade_section (cascade_selector (identifier) @reference.write) "=")
(assignment_expression left: (assignable_expression [
  (identifier) @reference.write
  (unconditional_assignable_selector (identifier) @reference.write)
  (conditional_assignable_selector (identifier) @reference.write)] .))
(postfix_expression (assignable_expression [
  (identifier) @reference.write (unconditional_assignable_selector (identifier) @reference.write)] .) (postfix_operator))
(field_initializer . (identifier) @reference.write)
(field_initializer (this) . (identifier) @reference.write)
(((identifier) @reference.type . (selector (unconditional_assignable_selector))) (#match? @reference.type "^_?[A-Z]"))
(qualified (type_identifier) @reference.type)
((type_identifier) @reference.type (#not-match? @reference.type "^([A-Z]|int|double|num|bool|dynamic|[a-z][a-z0-9_]*)$"))

(comment) @comment
(documentation_comment) @doc

; What is known of values.
(formal_parameter . (type_identifier) @binding.type . (nullable_type)? . name: (identifier) @binding.name)
(initialized_variable_definition (type_identifier) @binding.type . (nullable_type)? . name: (identifier) @binding.name)
(initialized_variable_definition name: (identifier) @binding.name
  value: [(new_expression (type_identifier) @binding.type) (const_object_expression (type_identifier) @binding.type)])
(initialized_variable_definition name: (identifier) @binding.name . value: (identifier) @binding.type . value: (selector (argument_part)) .
  (#match? @binding.type "^_?[A-Z]"))
(declaration (type_identifier) @binding.type . (nullable_type)? . [
  (static_final_declaration_list (static_final_declaration . (identifier) @binding.member))
  (initialized_identifier_list (initialized_identifier . (identifier) @binding.member))])
(program (type_identifier) @binding.type . (nullable_type)? . [
  (static_final_declaration_list (static_final_declaration . (identifier) @binding.name))
  (initialized_identifier_list (initialized_identifier . (identifier) @binding.name))])
(function_signature . (type_identifier) @binding.returns . (nullable_type)? . name: (identifier))
(getter_signature . (type_identifier) @binding.returns . (nullable_type)? . name: (identifier))
