; inherits: ecma
; class members
(class_body (method_definition (accessibility_modifier)? @modifier ["get" "set"] name: [(property_identifier) @name (private_property_identifier) @name (computed_property_name) @name (string (string_fragment) @name)] body: (_) @body) @definition.property)
(class_body (method_definition (accessibility_modifier)? @modifier name: [(property_identifier) @name (private_property_identifier) @name (computed_property_name) @name (string (string_fragment) @name)] body: (_) @body) @definition.method)

; signatures without a body: overloads, ambient functions, abstract members
(function_signature name: (identifier) @name) @definition.fn
(abstract_class_declaration name: (_) @name body: (_) @body) @definition.class
(abstract_method_signature (accessibility_modifier)? @modifier ["get" "set"] name: [(property_identifier) @name (private_property_identifier) @name (computed_property_name) @name (string (string_fragment) @name)]) @definition.property
(abstract_method_signature (accessibility_modifier)? @modifier name: [(property_identifier) @name (private_property_identifier) @name (computed_property_name) @name (string (string_fragment) @name)]) @definition.method
(class_body (method_signature (accessibility_modifier)? @modifier name: [(property_identifier) @name (private_property_identifier) @name (computed_property_name) @name (string (string_fragment) @name)]) @definition.method)

; fields, and constructor parameters that are fields of the class
(public_field_definition (accessibility_modifier)? @modifier name: [(property_identifier) @name (private_property_identifier) @name (computed_property_name) @name (string (string_fragment) @name)] value: [(arrow_function "=>" @body) (function_expression body: (_) @body) (generator_function body: (_) @body)]) @definition.method
(public_field_definition (accessibility_modifier)? @modifier name: [(property_identifier) @name (private_property_identifier) @name (computed_property_name) @name (string (string_fragment) @name)]) @definition.field
(required_parameter (accessibility_modifier) @modifier @hoist pattern: (identifier) @name) @definition.field
(optional_parameter (accessibility_modifier) @modifier @hoist pattern: (identifier) @name) @definition.field
(required_parameter "readonly" @modifier @hoist pattern: (identifier) @name) @definition.field
(optional_parameter "readonly" @modifier @hoist pattern: (identifier) @name) @definition.field

; types
(interface_declaration name: (_) @name body: (_) @body) @definition.interface
(interface_body (method_signature ["get" "set"] name: [(property_identifier) @name (private_property_identifier) @name (computed_property_name) @name (string (string_fragment) @name)]) @definition.property)
(interface_body (method_signature name: [(property_identifier) @name (private_property_identifier) @name (computed_property_name) @name (string (string_fragment) @name)]) @definition.method)
(interface_body (property_signature name: [(property_identifier) @name (private_property_identifier) @name (computed_property_name) @name (string (string_fragment) @name)]) @definition.field)
(type_alias_declaration value: (object_type (property_signature name: [(property_identifier) @name (private_property_identifier) @name (computed_property_name) @name (string (string_fragment) @name)]) @definition.field))
(type_alias_declaration value: (object_type (method_signature name: [(property_identifier) @name (private_property_identifier) @name (computed_property_name) @name (string (string_fragment) @name)]) @definition.method))
(type_alias_declaration name: (_) @name value: (object_type) @body) @definition.type
(type_alias_declaration name: (_) @name) @definition.type
(enum_declaration name: (_) @name body: (_) @body) @definition.enum
(enum_body (property_identifier) @name @definition.field)
(enum_body (string (string_fragment) @name) @definition.field)
(enum_body (enum_assignment name: [(property_identifier) @name (private_property_identifier) @name (computed_property_name) @name (string (string_fragment) @name)]) @definition.field)

; namespaces and ambient modules
(internal_module name: (_) @name body: (_) @body) @definition.mod
(module name: [(identifier) @name (nested_identifier) @name (string (string_fragment) @name)] body: (_) @body) @definition.mod
(module name: [(identifier) @name (nested_identifier) @name (string (string_fragment) @name)] !body) @definition.mod
(import_alias . (identifier) @name) @definition.use

; variables of a namespace
(internal_module body: (statement_block (_ . (variable_declarator name: (identifier) @name
  value: [(arrow_function "=>" @body) (function_expression body: (_) @body) (generator_function body: (_) @body)])) @definition.fn))
(internal_module body: (statement_block (_ . (variable_declarator name: (identifier) @name value: (class body: (_) @body))) @definition.class))
(internal_module body: (statement_block (lexical_declaration kind: "const" (variable_declarator
  name: (identifier) @name
  value: (object)? @body)) @definition.const))
(internal_module body: (statement_block (_ (variable_declarator
  name: (identifier) @name
  value: (object)? @body)) @definition.var))
(module body: (statement_block (lexical_declaration kind: "const" (variable_declarator name: (identifier) @name)) @definition.const))
(module body: (statement_block (_ (variable_declarator name: (identifier) @name)) @definition.var))
(ambient_declaration (lexical_declaration kind: "const" (variable_declarator name: (identifier) @name)) @definition.const)
(ambient_declaration (_ (variable_declarator name: (identifier) @name)) @definition.var)
(ambient_declaration (statement_block (lexical_declaration kind: "const" (variable_declarator name: (identifier) @name)) @definition.const))
(ambient_declaration (statement_block (_ (variable_declarator name: (identifier) @name)) @definition.var))

; imports
(import_statement (import_require_clause (identifier) @import.alias source: (string) @import.module)) @import
(export_statement . "=" (identifier) @exported @reference.read)

; references; a type's own parameters are not names of the program
(type_parameter name: (type_identifier) @reference.none)
(extends_clause value: [(identifier) @reference.inherit (member_expression property: (property_identifier) @reference.inherit)])
(implements_clause [(type_identifier) @reference.inherit (nested_type_identifier name: (type_identifier) @reference.inherit)
  (generic_type name: [(type_identifier) @reference.inherit (nested_type_identifier name: (type_identifier) @reference.inherit)])])
(extends_type_clause type: [(type_identifier) @reference.inherit (nested_type_identifier name: (type_identifier) @reference.inherit)
  (generic_type name: [(type_identifier) @reference.inherit (nested_type_identifier name: (type_identifier) @reference.inherit)])])
; an interface made of another one has its members
(extends_type_clause type: (generic_type name: (type_identifier) @_made type_arguments: (type_arguments . [
  (type_identifier) @reference.inherit
  (generic_type name: (type_identifier) @_inner type_arguments: (type_arguments . (type_identifier) @reference.inherit))]))
  (#any-of? @_made "Omit" "Partial" "Pick" "Readonly" "Required"))
(type_identifier) @reference.type
(type_query (identifier) @reference.read)
(type_query (member_expression property: (property_identifier) @reference.read))

; fields of an object whose type is written beside it, then of any other
(variable_declarator type: (type_annotation [(type_identifier) (nested_type_identifier)] @holder)
  value: (object (pair key: (property_identifier) @reference.key)))
(as_expression (object (pair key: (property_identifier) @reference.key)) [(type_identifier) (nested_type_identifier)] @holder)
(satisfies_expression (object (pair key: (property_identifier) @reference.key)) [(type_identifier) (nested_type_identifier)] @holder)
(function_declaration return_type: (type_annotation [(type_identifier) (nested_type_identifier)] @holder)
  body: (statement_block (return_statement (object (pair key: (property_identifier) @reference.key)))))
(method_definition return_type: (type_annotation [(type_identifier) (nested_type_identifier)] @holder)
  body: (statement_block (return_statement (object (pair key: (property_identifier) @reference.key)))))
(required_parameter pattern: (object_pattern (shorthand_property_identifier_pattern) @reference.read)
  type: (type_annotation [(type_identifier) (nested_type_identifier)] @holder))
(object_pattern "{" @holder [
  (shorthand_property_identifier_pattern) @reference.read
  (object_assignment_pattern left: (shorthand_property_identifier_pattern) @reference.read)
  (pair_pattern key: (property_identifier) @reference.read)])
(pair key: (property_identifier) @reference.key ":" @holder)
(object (method_definition name: (property_identifier) @reference.key parameters: (formal_parameters "(" @holder)))
(property_signature name: (property_identifier) @reference.key type: (type_annotation ":" @holder))

; what is known of values
(required_parameter pattern: (identifier) @binding.name type: (type_annotation (_) @binding.type))
(optional_parameter pattern: (identifier) @binding.name type: (type_annotation (_) @binding.type))
(required_parameter (accessibility_modifier) pattern: (identifier) @binding.member type: (type_annotation (_) @binding.type))
(required_parameter "readonly" pattern: (identifier) @binding.member type: (type_annotation (_) @binding.type))
(optional_parameter (accessibility_modifier) pattern: (identifier) @binding.member type: (type_annotation (_) @binding.type))
(variable_declarator name: (identifier) @binding.name type: (type_annotation (_) @binding.type))
(variable_declarator name: (identifier) @binding.name value: (as_expression (_) . (_) @binding.type))
(variable_declarator name: (identifier) @binding.name value: (non_null_expression) @binding.value)
(public_field_definition name: (_) @binding.member type: (type_annotation (_) @binding.type))
(public_field_definition name: (_) @binding.member value: [(call_expression) (new_expression) (identifier) (member_expression)] @binding.value)
(property_signature name: (_) @binding.member type: (type_annotation (_) @binding.type))
(function_declaration return_type: (type_annotation (_) @binding.returns))
(function_signature return_type: (type_annotation (_) @binding.returns))
(method_definition return_type: (type_annotation (_) @binding.returns))
(method_signature return_type: (type_annotation (_) @binding.returns))
(abstract_method_signature return_type: (type_annotation (_) @binding.returns))
(variable_declarator value: (arrow_function return_type: (type_annotation (_) @binding.returns)))
(public_field_definition value: (arrow_function return_type: (type_annotation (_) @binding.returns)))

; the grammar takes the types of an awaited call for part of what is called
(call_expression function: (await_expression [(identifier) @reference.call (member_expression property: (property_identifier) @reference.call)]))
