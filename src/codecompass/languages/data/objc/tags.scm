; Few patterns, and none that begins with a statement: this grammar makes each of those cost much to prepare.

; Classes. What extends one elsewhere (a category, an extension, the implementation) is an `impl` of it.
(class_interface "@interface" . (identifier) @name . "(") @definition.impl
(class_interface "@interface" . (identifier) @name) @definition.class
(class_implementation "@implementation" . (identifier) @name) @definition.impl
(protocol_declaration "@protocol" . (identifier) @name) @definition.interface

; Members. A selector goes by its first word.
(method_declaration . (method_type)? . (identifier) @name) @definition.method
(method_definition . (method_type)? . (identifier) @name (compound_statement) @body) @definition.method
(property_declaration (struct_declaration (struct_declarator [
  (identifier) @name
  (pointer_declarator declarator: (identifier) @name)
  (function_declarator declarator: (parenthesized_declarator (block_pointer_declarator declarator: (identifier) @name)))
]))) @definition.property
(instance_variable (struct_declaration (struct_declarator [
  (identifier) @name
  (pointer_declarator declarator: (identifier) @name)
]))) @definition.field

; What is plain C.
(function_declarator declarator: (identifier) @name) @definition.fn
(struct_specifier name: (type_identifier) @name body: (_) @body) @definition.struct
(union_specifier name: (type_identifier) @name body: (_) @body) @definition.struct
(enum_specifier name: (type_identifier) @name body: (_) @body) @definition.enum
(enumerator name: (identifier) @name) @definition.field
(type_definition declarator: [
  (type_identifier) @name
  (pointer_declarator declarator: (type_identifier) @name)
  (function_declarator declarator: (parenthesized_declarator [
    (block_pointer_declarator declarator: (type_identifier) @name)
    (pointer_declarator declarator: (type_identifier) @name)]))
]) @definition.type
(field_declaration declarator: [
  (field_identifier) @name
  (pointer_declarator declarator: (field_identifier) @name)
  (array_declarator declarator: (field_identifier) @name)
]) @definition.field
(preproc_def name: (identifier) @name) @definition.const
(preproc_function_def name: (identifier) @name value: (_)? @body) @definition.macro
(translation_unit (declaration declarator: [
  (identifier) @name
  (pointer_declarator declarator: (identifier) @name)
  (init_declarator declarator: [
    (identifier) @name
    (pointer_declarator declarator: (identifier) @name)
    (array_declarator declarator: (identifier) @name)])
]) @definition.var)

; References.
(message_expression receiver: (identifier) @reference.read)
(message_expression method: (identifier) @reference.call)
(call_expression function: (identifier) @reference.call)
(call_expression function: (field_expression field: (field_identifier) @reference.call))
(assignment_expression left: (identifier) @reference.write)
(assignment_expression left: (field_expression field: (field_identifier) @reference.write))
(class_interface superclass: (identifier) @reference.inherit)
(class_interface (parameterized_arguments (type_name (type_identifier) @reference.inherit)))
(protocol_reference_list (identifier) @reference.inherit)
(class_declaration (identifier) @reference.type)
(selector_expression (identifier) @reference.read)
(type_identifier) @reference.type

(preproc_include path: (_) @import.module) @import
(module_import path: (_) @import.module) @import

(comment) @comment
((comment) @doc (#match? @doc "^/(\\*[*!]|/[/!])"))
