; Definitions.
(function_declaration name: (_) @name body: (_) @body) @definition.fn
(function_declaration name: (_) @name) @definition.fn
(method_declaration
  receiver: (parameter_list
    (parameter_declaration
      type: [
        (type_identifier) @scope
        (generic_type type: (type_identifier) @scope)
        (pointer_type (type_identifier) @scope)
        (pointer_type (generic_type type: (type_identifier) @scope))
        (parenthesized_type (pointer_type (type_identifier) @scope))
      ]))
  name: (_) @name
  body: (_)? @body) @definition.method
(method_declaration name: (_) @name body: (_)? @body) @definition.method

; In a group each spec is a definition; a lone spec takes the whole declaration, so its keyword and the comment above
; belong to it.
(type_declaration "(" (type_spec name: (_) @name type: (struct_type (field_declaration_list) @body)) @definition.struct)
(type_declaration "(" (type_spec name: (_) @name type: (interface_type "{" @body)) @definition.interface)
(type_declaration "(" (type_spec name: (_) @name) @definition.type)
(type_declaration "(" (type_alias name: (_) @name) @definition.type)
(type_declaration (type_spec name: (_) @name type: (struct_type (field_declaration_list) @body))) @definition.struct
(type_declaration (type_spec name: (_) @name type: (interface_type "{" @body))) @definition.interface
(type_declaration [(type_spec name: (_) @name) (type_alias name: (_) @name)]) @definition.type
(source_file (const_declaration "(" (const_spec (identifier) @name (#not-eq? @name "_")) @definition.const))
(source_file (const_declaration (const_spec (identifier) @name (#not-eq? @name "_"))) @definition.const)
(source_file
  (var_declaration (var_spec name: (identifier) @name value: (expression_list . (func_literal body: (_) @body)))) @definition.var)
(source_file (var_declaration (var_spec name: (identifier) @name (#not-eq? @name "_"))) @definition.var)
(source_file (var_declaration (var_spec_list (var_spec name: (identifier) @name (#not-eq? @name "_")) @definition.var)))
(field_declaration name: (_) @name) @definition.field
(method_elem name: (_) @name) @definition.method

; Imports.
(package_clause (package_identifier) @package)
(import_spec path: (_) @import.module !name) @import
(import_spec name: (_) @import.alias path: (_) @import.module) @import
(import_spec path: (_ [(interpreted_string_literal_content) (raw_string_literal_content)] @reference.import))

; References.
(field_declaration
  !name
  type: [
    (type_identifier) @reference.inherit
    (qualified_type name: (_) @reference.inherit)
    (generic_type type: (type_identifier) @reference.inherit)
    (generic_type type: (qualified_type name: (_) @reference.inherit))
  ])
(interface_type (type_elem . (type_identifier) @reference.inherit .))
(interface_type (type_elem . (qualified_type name: (_) @reference.inherit) .))
(interface_type (type_elem . (generic_type type: (type_identifier) @reference.inherit) .))
(composite_literal
  type: [
    (type_identifier) @reference.instance
    (qualified_type name: (_) @reference.instance)
    (generic_type type: (type_identifier) @reference.instance)
    (generic_type type: (qualified_type name: (_) @reference.instance))
  ])
((call_expression function: (identifier) @_new arguments: (argument_list . (type_identifier) @reference.instance))
  (#eq? @_new "new"))
(call_expression function: (identifier) @reference.call)
(call_expression function: (selector_expression field: (_) @reference.call))
(type_conversion_expression type: (generic_type type: (type_identifier) @reference.call))
(type_conversion_expression type: (generic_type type: (qualified_type name: (_) @reference.call)))
(assignment_statement left: (expression_list (identifier) @reference.write (#not-eq? @reference.write "_")))
(assignment_statement left: (expression_list (selector_expression field: (_) @reference.write)))
(inc_statement (identifier) @reference.write)
(inc_statement (selector_expression field: (_) @reference.write))
(dec_statement (identifier) @reference.write)
(dec_statement (selector_expression field: (_) @reference.write))
(composite_literal
  type: [(type_identifier) (qualified_type) (generic_type)] @holder
  body: (literal_value (keyed_element key: (literal_element (identifier) @reference.write))))
(composite_literal
  type: [
    (slice_type element: (_) @holder)
    (array_type element: (_) @holder)
    (implicit_length_array_type element: (_) @holder)
    (map_type value: (_) @holder)
  ]
  body: (literal_value
    [
      (literal_element (literal_value (keyed_element key: (literal_element (identifier) @reference.write))))
      (keyed_element
        value: (literal_element (literal_value (keyed_element key: (literal_element (identifier) @reference.write)))))
    ]))
(literal_element (literal_value (keyed_element key: (literal_element (identifier) @reference.write)) @holder))
(qualified_type name: (_) @reference.type)
((type_identifier) @reference.type
  (#not-match? @reference.type
    "^([A-Z]|string|error|bool|byte|any|rune|u?int(8|16|32|64|ptr)?|float(32|64)|complex(64|128))$"))
(selector_expression field: (_) @reference.read)

(comment) @comment

; what is known of values
(parameter_declaration name: (identifier) @binding.name type: (_) @binding.type)
(var_spec name: (identifier) @binding.name type: (_) @binding.type)
(field_declaration name: (_) @binding.member type: (_) @binding.type)
(field_declaration !name type: (type_identifier) @binding.member @binding.type)
(field_declaration !name type: (_ [type: (type_identifier) name: (type_identifier)] @binding.member) @binding.type)
(short_var_declaration left: (expression_list . (identifier) @binding.name) right: (expression_list . [
  (call_expression) @binding.value
  (selector_expression) @binding.value
  (identifier) @binding.value
  (index_expression) @binding.value
  (composite_literal type: (_) @binding.type)
  (type_assertion_expression type: (_) @binding.type)
  (unary_expression operand: (composite_literal type: (_) @binding.type))
  (unary_expression operator: "&" operand: [(identifier) (selector_expression)] @binding.value)
  (unary_expression operator: "<-" operand: (_) @binding.item)]))
(var_spec . name: (identifier) @binding.name !type value: (expression_list . [
  (call_expression) @binding.value
  (selector_expression) @binding.value
  (composite_literal type: (_) @binding.type)
  (unary_expression operand: (composite_literal type: (_) @binding.type))]))
((short_var_declaration left: (expression_list . (identifier) @binding.name) right: (expression_list . (call_expression
  function: (identifier) @_make arguments: (argument_list . (_) @binding.type)))) (#any-of? @_make "new" "make"))
(range_clause left: (expression_list (identifier) . (identifier) @binding.name) right: (_) @binding.item)
(receive_statement left: (expression_list . (identifier) @binding.name) right: (unary_expression operand: (_) @binding.item))
(_ name: [(identifier) (field_identifier)] result: [
  (type_identifier) (pointer_type) (qualified_type) (generic_type) (slice_type) (map_type) (channel_type)] @binding.returns)
(_ name: [(identifier) (field_identifier)]
  result: (parameter_list . (parameter_declaration type: (_) @binding.returns)))
(type_spec name: (_) @binding.name
  type: [(type_identifier) (qualified_type) (generic_type) (slice_type) (map_type) (pointer_type)] @binding.type)
(type_alias name: (_) @binding.name type: (_) @binding.type)
