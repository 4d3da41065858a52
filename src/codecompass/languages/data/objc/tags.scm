; inherits: c
; Classes. What extends one elsewhere (a category, an extension, the implementation) is an `impl` of it.
(class_interface "@interface" . (identifier) @name . "(") @definition.impl
(class_interface "@interface" . (identifier) @name) @definition.class
(class_implementation "@implementation" . (identifier) @name) @definition.impl
(protocol_declaration "@protocol" . (identifier) @name) @definition.interface

; Members. A selector goes by its first word.
(method_declaration (method_type) . (identifier) @name) @definition.method
(method_definition (method_type) . (identifier) @name (compound_statement) @body) @definition.method
(method_declaration ["-" "+"] . (identifier) @name) @definition.method
(method_definition ["-" "+"] . (identifier) @name (compound_statement) @body) @definition.method
(property_declaration (struct_declaration (struct_declarator [
  (identifier) @name
  (pointer_declarator declarator: (identifier) @name)
  (function_declarator declarator: (parenthesized_declarator (block_pointer_declarator declarator: (identifier) @name)))
]))) @definition.property
(instance_variable (struct_declaration (struct_declarator [
  (identifier) @name
  (pointer_declarator declarator: (identifier) @name)
]))) @definition.field

; Blocks as types, and enumerations made by a macro.
(type_definition declarator: (function_declarator declarator: (parenthesized_declarator (block_pointer_declarator declarator: (type_identifier) @name)))) @definition.type

; References.
(message_expression receiver: (identifier) @reference.read)
(message_expression method: (identifier) @reference.call)
(class_interface superclass: (identifier) @reference.inherit)
(class_interface (parameterized_arguments (type_name (type_identifier) @reference.inherit)))
(protocol_declaration (protocol_reference_list (identifier) @reference.inherit))
(class_declaration (identifier) @reference.type)
(selector_expression (identifier) @reference.read)

(module_import path: (_) @import.module) @import
