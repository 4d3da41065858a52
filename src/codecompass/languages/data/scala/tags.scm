; Packages and types.
(package_clause !body name: (_) @package.part)
(package_clause name: (package_identifier) @name body: (_) @body) @definition.mod
(package_object name: (identifier) @name body: (_) @body) @definition.mod
(class_definition name: (identifier) @name body: (_)? @body) @definition.class
(object_definition name: (identifier) @name body: (_)? @body) @definition.class
(trait_definition name: (identifier) @name body: (_)? @body) @definition.trait
(enum_definition name: (identifier) @name body: (_)? @body) @definition.enum
(simple_enum_case name: (identifier) @name) @definition.field
(full_enum_case name: (identifier) @name) @definition.field
(type_definition name: (type_identifier) @name) @definition.type
(given_definition name: (identifier) @name body: (with_template_body) @body) @definition.impl
(given_definition !name return_type: [(type_identifier) @name (generic_type type: (type_identifier) @name)] body: (with_template_body) @body) @definition.impl
(given_definition name: (identifier) @name) @definition.const

; Parameters of a class that are fields of it.
(class_parameter ["val" "var"] name: (identifier) @name) @definition.field
(class_definition "case" class_parameters: (class_parameters (class_parameter name: (identifier) @name) @definition.field))
(full_enum_case class_parameters: (class_parameters (class_parameter name: (identifier) @name) @definition.field))

; Functions; those that extend a type belong to it.
(extension_definition parameters: (parameters (parameter type: [(type_identifier) @scope (generic_type type: (type_identifier) @scope)]))
  (function_definition name: (_) @name body: (_) @body) @definition.method)
(function_definition name: (_) @name body: (_) @body) @definition.fn
(function_declaration name: (_) @name) @definition.fn

; Values of types and of the file.
(template_body [
  (val_definition pattern: [(identifier) @name (identifiers (identifier) @name) (tuple_pattern (identifier) @name) (case_class_pattern (identifier) @name)])
  (var_definition pattern: [(identifier) @name (identifiers (identifier) @name) (tuple_pattern (identifier) @name)])
  (val_declaration name: (identifier) @name)
  (var_declaration name: (identifier) @name)] @definition.field)
(enum_body [(val_definition pattern: (identifier) @name) (var_definition pattern: (identifier) @name)] @definition.field)
(with_template_body [(val_definition pattern: (identifier) @name) (var_definition pattern: (identifier) @name)] @definition.field)
(compilation_unit (val_definition pattern: [(identifier) @name (identifiers (identifier) @name) (tuple_pattern (identifier) @name)]) @definition.const)
(compilation_unit (var_definition pattern: [(identifier) @name (identifiers (identifier) @name) (tuple_pattern (identifier) @name)]) @definition.var)

; Imports.
(import_declaration . (identifier) @import.module (identifier) @import.module.end @reference.import .) @import
(import_declaration . (identifier) @import.module @reference.import .) @import
(import_declaration . (identifier) @import.module (identifier) @import.module.end . (namespace_wildcard) @import.star) @import
(import_declaration . (identifier) @import.module . (namespace_wildcard) @import.star) @import
(import_declaration . (identifier) @import.module (identifier) @import.module.end . (namespace_selectors [
  (identifier) @import.name @reference.import
  (arrow_renamed_identifier name: (identifier) @import.name @reference.import alias: (identifier) @import.alias)
  (as_renamed_identifier name: (identifier) @import.name @reference.import alias: (identifier) @import.alias)
  (namespace_wildcard) @import.star])) @import
(import_declaration . (identifier) @import.module . (namespace_selectors [
  (identifier) @import.name @reference.import
  (arrow_renamed_identifier name: (identifier) @import.name @reference.import alias: (identifier) @import.alias)
  (as_renamed_identifier name: (identifier) @import.name @reference.import alias: (identifier) @import.alias)
  (namespace_wildcard) @import.star])) @import
(export_declaration . (identifier) @import.module (identifier) @import.module.end @reference.import .) @import

; References.
(annotation name: (type_identifier) @reference.decorator)
(extends_clause [
  (type_identifier) @reference.inherit
  (generic_type type: [(type_identifier) @reference.inherit (stable_type_identifier (type_identifier) @reference.inherit .)])
  (stable_type_identifier (type_identifier) @reference.inherit .)])
(derives_clause (type_identifier) @reference.inherit)
(given_definition [(type_identifier) @reference.inherit (generic_type type: (type_identifier) @reference.inherit)] body: (with_template_body))
(throw_expression [
  (instance_expression [(type_identifier) @reference.throw (generic_type type: (type_identifier) @reference.throw)
    (stable_type_identifier (type_identifier) @reference.throw .)])
  (call_expression function: (identifier) @reference.throw)])
(instance_expression [
  (type_identifier) @reference.instance
  (generic_type type: [(type_identifier) @reference.instance (stable_type_identifier (type_identifier) @reference.instance .)])
  (stable_type_identifier (type_identifier) @reference.instance .)])
((call_expression function: [
  (identifier) @reference.instance
  (field_expression field: (identifier) @reference.instance)
  (generic_function function: (identifier) @reference.instance)]) (#match? @reference.instance "^[A-Z]"))
(call_expression function: [
  (identifier) @reference.call
  (field_expression field: (identifier) @reference.call)
  (generic_function function: [(identifier) @reference.call (field_expression field: (identifier) @reference.call)])])
(infix_expression operator: (identifier) @reference.call)
(postfix_expression . (_) . (identifier) @reference.call)
(assignment_expression left: [(identifier) @reference.write (field_expression field: (identifier) @reference.write)])
((infix_expression left: [(identifier) @reference.write (field_expression field: (identifier) @reference.write)] operator: (operator_identifier) @_sign)
  (#match? @_sign "^[-+*/%&|^:]+=$"))
((field_expression value: (identifier) @reference.type) (#match? @reference.type "^[A-Z]"))
((type_identifier) @reference.type (#not-match? @reference.type "^([A-Z]|Int|Long|Double|Float|Boolean|Unit|Char|Byte|Short|Any|AnyRef|Nothing)$"))

(comment) @comment
(block_comment) @comment
((block_comment) @doc (#match? @doc "^/\\*\\*[^/]"))

; What is known of values.
(parameter name: (identifier) @binding.name type: (_) @binding.type)
(class_parameter name: (identifier) @binding.name @binding.member type: (_) @binding.type)
(val_definition pattern: (identifier) @binding.name type: (_) @binding.type)
(var_definition pattern: (identifier) @binding.name type: (_) @binding.type)
(val_definition !type pattern: (identifier) @binding.name
  value: [(call_expression) (instance_expression) (identifier) (field_expression)] @binding.value)
(var_definition !type pattern: (identifier) @binding.name
  value: [(call_expression) (instance_expression) (identifier) (field_expression)] @binding.value)
(template_body [
  (val_definition pattern: (identifier) @binding.member type: (_) @binding.type)
  (var_definition pattern: (identifier) @binding.member type: (_) @binding.type)
  (val_declaration name: (identifier) @binding.member type: (_) @binding.type)
  (var_declaration name: (identifier) @binding.member type: (_) @binding.type)
  (val_definition !type pattern: (identifier) @binding.member value: [(call_expression) (instance_expression) (field_expression)] @binding.value)
  (var_definition !type pattern: (identifier) @binding.member value: [(call_expression) (instance_expression) (field_expression)] @binding.value)])
(typed_pattern pattern: (identifier) @binding.name type: (_) @binding.type)
(enumerator . (identifier) @binding.name . [(identifier) (field_expression) (call_expression)] @binding.item)
(function_definition return_type: (_) @binding.returns)
(function_declaration return_type: (_) @binding.returns)
