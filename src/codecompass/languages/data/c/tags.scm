; Functions, defined or declared. What is around the declarator (pointers, the statement) are wrappers.
(function_declarator declarator: (identifier) @name) @definition.fn
(function_declarator declarator: (parenthesized_declarator (identifier) @name)) @definition.fn

; Types and their members.
(struct_specifier name: (type_identifier) @name body: (_) @body) @definition.struct
(union_specifier name: (type_identifier) @name body: (_) @body) @definition.struct
(enum_specifier name: (type_identifier) @name body: (_) @body) @definition.enum
(enumerator name: (identifier) @name) @definition.field
(type_definition
  type: [(struct_specifier body: (_) @body) (union_specifier body: (_) @body) (enum_specifier body: (_) @body)]
  declarator: [
    (type_identifier) @name
    (pointer_declarator declarator: (type_identifier) @name)
    (array_declarator declarator: (type_identifier) @name)
  ]) @definition.type
(type_definition
  declarator: [
    (type_identifier) @name
    (pointer_declarator declarator: (type_identifier) @name)
    (pointer_declarator declarator: (pointer_declarator declarator: (type_identifier) @name))
    (array_declarator declarator: (type_identifier) @name)
    (function_declarator declarator: [(type_identifier) @name (parenthesized_declarator (type_identifier) @name)])
    (pointer_declarator declarator: (function_declarator declarator: (parenthesized_declarator (type_identifier) @name)))
    (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (type_identifier) @name)))
    (pointer_declarator declarator: (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (type_identifier) @name))))
  ]) @definition.type
(field_declaration
  type: [(struct_specifier body: (_) @body) (union_specifier body: (_) @body) (enum_specifier body: (_) @body)]
  declarator: [
    (field_identifier) @name
    (pointer_declarator declarator: (field_identifier) @name)
    (array_declarator declarator: (field_identifier) @name)
  ]) @definition.field
(field_declaration
  declarator: [
    (field_identifier) @name
    (pointer_declarator declarator: (field_identifier) @name)
    (pointer_declarator declarator: (pointer_declarator declarator: [(field_identifier) @name (array_declarator declarator: (field_identifier) @name)]))
    (pointer_declarator declarator: (array_declarator declarator: (field_identifier) @name))
    (array_declarator declarator: (field_identifier) @name)
    (array_declarator declarator: (array_declarator declarator: (field_identifier) @name))
    (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (field_identifier) @name)))
    (pointer_declarator declarator: (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (field_identifier) @name))))
  ]) @definition.field

; Preprocessor. A name without a value is a flag or an include guard, and a constant all the same.
(preproc_def name: (identifier) @name) @definition.const
(preproc_function_def name: (identifier) @name value: (_)? @body) @definition.macro

; File-level variables, wherever conditionals and linkage blocks put them; those of functions are not listed.
(translation_unit (declaration type: (_ body: (_) @body) declarator: [(identifier) @name (init_declarator declarator: (identifier) @name)]) @definition.var)
(translation_unit (declaration declarator: [
    (identifier) @name
    (pointer_declarator declarator: (identifier) @name)
    (pointer_declarator declarator: (pointer_declarator declarator: (identifier) @name))
    (array_declarator declarator: (identifier) @name)
    (pointer_declarator declarator: (array_declarator declarator: (identifier) @name))
    (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (identifier) @name)))
    (pointer_declarator declarator: (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (identifier) @name))))
    (array_declarator declarator: (array_declarator declarator: (identifier) @name))
    (init_declarator declarator: [(identifier) @name (pointer_declarator declarator: (identifier) @name) (pointer_declarator declarator: (pointer_declarator declarator: (identifier) @name)) (array_declarator declarator: [(identifier) @name (array_declarator declarator: (identifier) @name)]) (pointer_declarator declarator: (array_declarator declarator: (identifier) @name)) (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (identifier) @name)))] value: (initializer_list)? @body)
  ]) @definition.var)
(preproc_ifdef (declaration declarator: [
    (identifier) @name
    (pointer_declarator declarator: (identifier) @name)
    (pointer_declarator declarator: (pointer_declarator declarator: (identifier) @name))
    (array_declarator declarator: (identifier) @name)
    (pointer_declarator declarator: (array_declarator declarator: (identifier) @name))
    (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (identifier) @name)))
    (pointer_declarator declarator: (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (identifier) @name))))
    (array_declarator declarator: (array_declarator declarator: (identifier) @name))
    (init_declarator declarator: [(identifier) @name (pointer_declarator declarator: (identifier) @name) (pointer_declarator declarator: (pointer_declarator declarator: (identifier) @name)) (array_declarator declarator: [(identifier) @name (array_declarator declarator: (identifier) @name)]) (pointer_declarator declarator: (array_declarator declarator: (identifier) @name)) (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (identifier) @name)))] value: (initializer_list)? @body)
  ]) @definition.var)
(preproc_if (declaration declarator: [
    (identifier) @name
    (pointer_declarator declarator: (identifier) @name)
    (pointer_declarator declarator: (pointer_declarator declarator: (identifier) @name))
    (array_declarator declarator: (identifier) @name)
    (pointer_declarator declarator: (array_declarator declarator: (identifier) @name))
    (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (identifier) @name)))
    (pointer_declarator declarator: (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (identifier) @name))))
    (array_declarator declarator: (array_declarator declarator: (identifier) @name))
    (init_declarator declarator: [(identifier) @name (pointer_declarator declarator: (identifier) @name) (pointer_declarator declarator: (pointer_declarator declarator: (identifier) @name)) (array_declarator declarator: [(identifier) @name (array_declarator declarator: (identifier) @name)]) (pointer_declarator declarator: (array_declarator declarator: (identifier) @name)) (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (identifier) @name)))] value: (initializer_list)? @body)
  ]) @definition.var)
(preproc_else (declaration declarator: [
    (identifier) @name
    (pointer_declarator declarator: (identifier) @name)
    (init_declarator declarator: [(identifier) @name (pointer_declarator declarator: (identifier) @name)] value: (initializer_list)? @body)
  ]) @definition.var)
(preproc_elif (declaration declarator: [
    (identifier) @name
    (pointer_declarator declarator: (identifier) @name)
    (init_declarator declarator: [(identifier) @name (pointer_declarator declarator: (identifier) @name)] value: (initializer_list)? @body)
  ]) @definition.var)
(declaration_list (declaration declarator: [
    (identifier) @name
    (pointer_declarator declarator: (identifier) @name)
    (pointer_declarator declarator: (pointer_declarator declarator: (identifier) @name))
    (array_declarator declarator: (identifier) @name)
    (pointer_declarator declarator: (array_declarator declarator: (identifier) @name))
    (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (identifier) @name)))
    (pointer_declarator declarator: (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (identifier) @name))))
    (array_declarator declarator: (array_declarator declarator: (identifier) @name))
    (init_declarator declarator: [(identifier) @name (pointer_declarator declarator: (identifier) @name) (pointer_declarator declarator: (pointer_declarator declarator: (identifier) @name)) (array_declarator declarator: [(identifier) @name (array_declarator declarator: (identifier) @name)]) (pointer_declarator declarator: (array_declarator declarator: (identifier) @name)) (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (identifier) @name)))] value: (initializer_list)? @body)
  ]) @definition.var)
(linkage_specification (declaration declarator: [
    (identifier) @name
    (pointer_declarator declarator: (identifier) @name)
    (init_declarator declarator: [(identifier) @name (pointer_declarator declarator: (identifier) @name)] value: (initializer_list)? @body)
  ]) @definition.var)

; References.
(call_expression function: (identifier) @reference.call)
(call_expression function: (field_expression field: (field_identifier) @reference.call))
(call_expression function: (parenthesized_expression (pointer_expression argument: (identifier) @reference.call)))
(call_expression function: (parenthesized_expression (pointer_expression argument: (field_expression field: (field_identifier) @reference.call))))
(assignment_expression left: (identifier) @reference.write)
(assignment_expression left: (field_expression field: (field_identifier) @reference.write))
(update_expression argument: (field_expression field: (field_identifier) @reference.write))
(initializer_list (identifier) @reference.read)
(initializer_list (pointer_expression argument: (identifier) @reference.read))
(initializer_pair designator: (field_designator (field_identifier) @reference.write))
(initializer_pair value: (identifier) @reference.read)
(argument_list (pointer_expression argument: (identifier) @reference.read))
(preproc_ifdef name: (identifier) @reference.read)
(preproc_defined (identifier) @reference.read)
(type_identifier) @reference.type

(preproc_include path: (_) @import.module) @import

(comment) @comment
((comment) @doc (#match? @doc "^/(\\*[*!]|/[/!])"))

; what is known of values
(declaration
  type: [(type_identifier) @binding.type (struct_specifier name: (_) @binding.type) (union_specifier name: (_) @binding.type)]
  declarator: [
    (identifier) @binding.name
    (pointer_declarator declarator: [(identifier) @binding.name (pointer_declarator declarator: (identifier) @binding.name) (array_declarator declarator: (identifier) @binding.name)])
    (array_declarator declarator: (identifier) @binding.name)
    (init_declarator declarator: [
      (identifier) @binding.name
      (pointer_declarator declarator: [(identifier) @binding.name (pointer_declarator declarator: (identifier) @binding.name) (array_declarator declarator: (identifier) @binding.name)])
      (array_declarator declarator: (identifier) @binding.name)])])
(parameter_declaration
  type: [(type_identifier) @binding.type (struct_specifier name: (_) @binding.type) (union_specifier name: (_) @binding.type)]
  declarator: [
    (identifier) @binding.name
    (pointer_declarator declarator: [(identifier) @binding.name (pointer_declarator declarator: (identifier) @binding.name)])
    (array_declarator declarator: (identifier) @binding.name)])
(field_declaration
  type: [(type_identifier) @binding.type (struct_specifier name: (_) @binding.type) (union_specifier name: (_) @binding.type)]
  declarator: [
    (field_identifier) @binding.member
    (pointer_declarator declarator: [(field_identifier) @binding.member (pointer_declarator declarator: (field_identifier) @binding.member) (array_declarator declarator: (field_identifier) @binding.member)])
    (array_declarator declarator: (field_identifier) @binding.member)])
(type_definition
  type: [(type_identifier) @binding.type (struct_specifier name: (_) @binding.type) (union_specifier name: (_) @binding.type)]
  declarator: [(type_identifier) @binding.name (pointer_declarator declarator: (type_identifier) @binding.name)])
(function_definition
  type: [(type_identifier) @binding.returns (struct_specifier name: (_) @binding.returns) (union_specifier name: (_) @binding.returns)])
