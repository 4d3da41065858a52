; In a block, what looks like the declaration of a function is a variable with arguments.
(compound_statement (declaration declarator: (function_declarator declarator: (identifier) @name) @definition.none))

; What an unnamed namespace holds is private to the file.
(namespace_definition
  "namespace" @visibility.private
  !name
  body: (declaration_list [
    (function_definition declarator: (function_declarator declarator: (identifier) @name) @definition.fn)
    (template_declaration (function_definition declarator: (function_declarator declarator: (identifier) @name) @definition.fn))
    (class_specifier name: (type_identifier) @name body: (_) @body) @definition.class
    (struct_specifier name: (type_identifier) @name body: (_) @body) @definition.struct
    (enum_specifier name: (type_identifier) @name body: (_) @body) @definition.enum
    (declaration declarator: (identifier) @name) @definition.var
    (declaration declarator: (init_declarator declarator: (identifier) @name)) @definition.var
  ]))

; A friend that is only named is declared elsewhere.
(friend_declaration (declaration declarator: [
  (function_declarator declarator: (_) @name)
  (reference_declarator (function_declarator declarator: (_) @name))
]) @definition.none)

; Functions and methods, with the scope that is written before the name of one defined outside its class.
; What is around the declarator (pointers, the statement, a template head) are wrappers.
(function_declarator declarator: [(identifier) (field_identifier) (destructor_name) (operator_name)] @name) @definition.fn
(function_declarator declarator: (template_function name: (identifier) @name)) @definition.fn
(function_declarator declarator: (qualified_identifier scope: [(namespace_identifier) @scope (template_type name: (_) @scope)] name: [(identifier) @name (destructor_name) @name (operator_name) @name (template_function name: (identifier) @name)])) @definition.fn
(function_declarator declarator: (qualified_identifier scope: [(namespace_identifier) @scope (template_type name: (_) @scope)] name: (qualified_identifier scope: [(namespace_identifier) @scope (template_type name: (_) @scope)] name: [(identifier) @name (destructor_name) @name (operator_name) @name (template_function name: (identifier) @name)]))) @definition.fn
(function_declarator declarator: (qualified_identifier scope: [(namespace_identifier) @scope (template_type name: (_) @scope)] name: (qualified_identifier scope: [(namespace_identifier) @scope (template_type name: (_) @scope)] name: (qualified_identifier scope: [(namespace_identifier) @scope (template_type name: (_) @scope)] name: [(identifier) @name (destructor_name) @name (operator_name) @name (template_function name: (identifier) @name)])))) @definition.fn
(qualified_identifier scope: [(namespace_identifier) @scope (template_type name: (_) @scope)] name: (operator_cast "operator" @name type: (_) @name.end) @definition.fn)
(operator_cast "operator" @name type: (_) @name.end) @definition.fn

; A member that is defaulted outside its class is read as an assignment.
((expression_statement
  (assignment_expression
    left: (call_expression function: (qualified_identifier
      scope: [(namespace_identifier) @scope (template_type name: (_) @scope)]
      name: [(destructor_name) (identifier)] @name))
    right: (identifier) @_default)) @definition.method
  (#eq? @_default "default"))

; Types. A class behind an export macro is read as a function by the grammar.
(class_specifier name: [(type_identifier) @name (template_type name: (type_identifier) @name) (qualified_identifier scope: [(namespace_identifier) @scope (template_type name: (_) @scope)] name: (type_identifier) @name)] body: (_) @body) @definition.class
(struct_specifier name: [(type_identifier) @name (template_type name: (type_identifier) @name) (qualified_identifier scope: [(namespace_identifier) @scope (template_type name: (_) @scope)] name: (type_identifier) @name)] body: (_) @body) @definition.struct
(union_specifier name: [(type_identifier) @name (template_type name: (type_identifier) @name) (qualified_identifier scope: [(namespace_identifier) @scope (template_type name: (_) @scope)] name: (type_identifier) @name)] body: (_) @body) @definition.struct
(function_definition type: (class_specifier !body) declarator: (identifier) @name body: (_) @body) @definition.class
(function_definition type: (struct_specifier !body) declarator: (identifier) @name body: (_) @body) @definition.struct
(enum_specifier name: (type_identifier) @name body: (_) @body) @definition.enum
(enumerator name: (identifier) @name) @definition.field
(concept_definition name: (identifier) @name "=" @body) @definition.trait
(alias_declaration name: (type_identifier) @name) @definition.type
(namespace_alias_definition name: (_) @name) @definition.mod
(namespace_definition name: (namespace_identifier) @name body: (_) @body) @definition.mod
(namespace_definition
  name: (nested_namespace_specifier (namespace_identifier) @scope . (namespace_identifier) @name)
  body: (_) @body) @definition.mod
(namespace_definition
  name: (nested_namespace_specifier
    (namespace_identifier) @scope
    (nested_namespace_specifier (namespace_identifier) @scope . (namespace_identifier) @name))
  body: (_) @body) @definition.mod
(type_definition
  type: (_ body: (_) @body)
  declarator: [(type_identifier) @name (pointer_declarator declarator: (type_identifier) @name)]) @definition.type
(type_definition
  declarator: [
    (type_identifier) @name
    (pointer_declarator declarator: (type_identifier) @name)
    (array_declarator declarator: (type_identifier) @name)
    (function_declarator declarator: [(type_identifier) @name (parenthesized_declarator (type_identifier) @name)])
    (pointer_declarator declarator: (function_declarator declarator: (parenthesized_declarator (type_identifier) @name)))
    (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (type_identifier) @name)))
    (pointer_declarator declarator: (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (type_identifier) @name))))
  ]) @definition.type

; Data members.
(field_declaration
  (storage_class_specifier "static") (type_qualifier ["const" "constexpr"])
  declarator: (field_identifier) @name) @definition.const
(field_declaration
  (type_qualifier "constexpr") (storage_class_specifier "static")
  declarator: (field_identifier) @name) @definition.const
(field_declaration
  type: (_ body: (_) @body)
  declarator: [(field_identifier) @name (pointer_declarator declarator: (field_identifier) @name)]) @definition.field
(field_declaration
  declarator: [
    (field_identifier) @name
    (pointer_declarator declarator: (field_identifier) @name)
    (pointer_declarator declarator: (pointer_declarator declarator: (field_identifier) @name))
    (reference_declarator (field_identifier) @name)
    (array_declarator declarator: (field_identifier) @name)
    (pointer_declarator declarator: (array_declarator declarator: (field_identifier) @name))
    (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (field_identifier) @name)))
    (pointer_declarator declarator: (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (field_identifier) @name))))
  ]) @definition.field

(preproc_def name: (identifier) @name) @definition.const
(preproc_function_def name: (identifier) @name value: (_)? @body) @definition.macro

; File-level variables, wherever conditionals and linkage blocks put them; those of functions are not listed.
(translation_unit (declaration type: (_ body: (_) @body) declarator: [(identifier) @name (init_declarator declarator: (identifier) @name)]) @definition.var)
(translation_unit (declaration declarator: [
    (identifier) @name
    (pointer_declarator declarator: (identifier) @name)
    (array_declarator declarator: (identifier) @name)
    (reference_declarator (identifier) @name)
    (pointer_declarator declarator: (array_declarator declarator: (identifier) @name))
    (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (identifier) @name)))
    (pointer_declarator declarator: (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (identifier) @name))))
    (array_declarator declarator: (array_declarator declarator: (identifier) @name))
    (qualified_identifier scope: [(namespace_identifier) @scope (template_type name: (_) @scope)] name: (identifier) @name)
    (array_declarator declarator: (qualified_identifier scope: (namespace_identifier) @scope name: (identifier) @name))
    (qualified_identifier scope: (namespace_identifier) @scope name: (qualified_identifier scope: (namespace_identifier) @scope name: (identifier) @name))
    (init_declarator declarator: [(identifier) @name (pointer_declarator declarator: (identifier) @name) (array_declarator declarator: (identifier) @name) (reference_declarator (identifier) @name) (pointer_declarator declarator: (array_declarator declarator: (identifier) @name)) (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (identifier) @name))) (qualified_identifier scope: [(namespace_identifier) @scope (template_type name: (_) @scope)] name: (identifier) @name) (array_declarator declarator: (qualified_identifier scope: (namespace_identifier) @scope name: (identifier) @name)) (qualified_identifier scope: (namespace_identifier) @scope name: (qualified_identifier scope: (namespace_identifier) @scope name: (identifier) @name))] value: (initializer_list)? @body)
  ]) @definition.var)
(preproc_ifdef (declaration declarator: [
    (identifier) @name
    (pointer_declarator declarator: (identifier) @name)
    (array_declarator declarator: (identifier) @name)
    (reference_declarator (identifier) @name)
    (init_declarator declarator: [(identifier) @name (pointer_declarator declarator: (identifier) @name) (array_declarator declarator: (identifier) @name) (reference_declarator (identifier) @name)] value: (initializer_list)? @body)
  ]) @definition.var)
(preproc_if (declaration declarator: [
    (identifier) @name
    (pointer_declarator declarator: (identifier) @name)
    (array_declarator declarator: (identifier) @name)
    (reference_declarator (identifier) @name)
    (init_declarator declarator: [(identifier) @name (pointer_declarator declarator: (identifier) @name) (array_declarator declarator: (identifier) @name) (reference_declarator (identifier) @name)] value: (initializer_list)? @body)
  ]) @definition.var)
(preproc_else (declaration declarator: [
    (identifier) @name
    (pointer_declarator declarator: (identifier) @name)
    (init_declarator declarator: [(identifier) @name (pointer_declarator declarator: (identifier) @name)] value: (initializer_list)? @body)
  ]) @definition.var)
(declaration_list (declaration declarator: [
    (identifier) @name
    (pointer_declarator declarator: (identifier) @name)
    (array_declarator declarator: (identifier) @name)
    (reference_declarator (identifier) @name)
    (pointer_declarator declarator: (array_declarator declarator: (identifier) @name))
    (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (identifier) @name)))
    (pointer_declarator declarator: (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (identifier) @name))))
    (array_declarator declarator: (array_declarator declarator: (identifier) @name))
    (qualified_identifier scope: [(namespace_identifier) @scope (template_type name: (_) @scope)] name: (identifier) @name)
    (array_declarator declarator: (qualified_identifier scope: (namespace_identifier) @scope name: (identifier) @name))
    (qualified_identifier scope: (namespace_identifier) @scope name: (qualified_identifier scope: (namespace_identifier) @scope name: (identifier) @name))
    (init_declarator declarator: [(identifier) @name (pointer_declarator declarator: (identifier) @name) (array_declarator declarator: (identifier) @name) (reference_declarator (identifier) @name) (pointer_declarator declarator: (array_declarator declarator: (identifier) @name)) (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (identifier) @name))) (qualified_identifier scope: [(namespace_identifier) @scope (template_type name: (_) @scope)] name: (identifier) @name) (array_declarator declarator: (qualified_identifier scope: (namespace_identifier) @scope name: (identifier) @name)) (qualified_identifier scope: (namespace_identifier) @scope name: (qualified_identifier scope: (namespace_identifier) @scope name: (identifier) @name))] value: (initializer_list)? @body)
  ]) @definition.var)
(linkage_specification (declaration declarator: [
    (identifier) @name
    (pointer_declarator declarator: (identifier) @name)
    (init_declarator declarator: [(identifier) @name (pointer_declarator declarator: (identifier) @name)] value: (initializer_list)? @body)
  ]) @definition.var)
(export_declaration (declaration declarator: [
    (identifier) @name
    (pointer_declarator declarator: (identifier) @name)
    (init_declarator declarator: [(identifier) @name (pointer_declarator declarator: (identifier) @name)] value: (initializer_list)? @body)
  ]) @definition.var)

(template_declaration (declaration declarator: (init_declarator declarator: (identifier) @name)) @definition.var)

; References.
(type_parameter_declaration (type_identifier) @reference.none)
(optional_type_parameter_declaration name: (type_identifier) @reference.none)
(variadic_type_parameter_declaration (type_identifier) @reference.none)
(base_class_clause [
  (type_identifier) @reference.inherit
  (template_type name: (type_identifier) @reference.inherit)
  (qualified_identifier name: [(type_identifier) @reference.inherit (template_type name: (type_identifier) @reference.inherit) (qualified_identifier name: (type_identifier) @reference.inherit) (qualified_identifier name: (template_type name: (type_identifier) @reference.inherit))])
])
(throw_statement (call_expression function: [
  (identifier) @reference.throw
  (qualified_identifier name: (identifier) @reference.throw)
  (qualified_identifier name: (qualified_identifier name: (identifier) @reference.throw))
]))
(throw_statement (compound_literal_expression type: [
  (type_identifier) @reference.throw
  (qualified_identifier name: (type_identifier) @reference.throw)
]))
(new_expression type: [
  (type_identifier) @reference.instance
  (template_type name: (type_identifier) @reference.instance)
  (qualified_identifier name: [(type_identifier) @reference.instance (template_type name: (type_identifier) @reference.instance) (qualified_identifier name: (type_identifier) @reference.instance) (qualified_identifier name: (template_type name: (type_identifier) @reference.instance))])
])
(compound_literal_expression type: [
  (type_identifier) @reference.instance
  (template_type name: (type_identifier) @reference.instance)
  (qualified_identifier name: [(type_identifier) @reference.instance (template_type name: (type_identifier) @reference.instance) (qualified_identifier name: (type_identifier) @reference.instance) (qualified_identifier name: (template_type name: (type_identifier) @reference.instance))])
])
(call_expression function: [
  (identifier) @reference.call
  (template_function name: (identifier) @reference.call)
  (field_expression field: (field_identifier) @reference.call)
  (field_expression field: (template_method name: (field_identifier) @reference.call))
  (field_expression field: (dependent_name (template_method name: (field_identifier) @reference.call)))
  (qualified_identifier name: (identifier) @reference.call)
  (qualified_identifier name: (template_function name: (identifier) @reference.call))
  (qualified_identifier name: (qualified_identifier name: (identifier) @reference.call))
  (qualified_identifier name: (qualified_identifier name: (template_function name: (identifier) @reference.call)))
  (qualified_identifier name: (qualified_identifier name: (qualified_identifier name: (identifier) @reference.call)))
])
(assignment_expression left: [
  (identifier) @reference.write
  (field_expression field: (field_identifier) @reference.write)
  (qualified_identifier name: (identifier) @reference.write)
])
(update_expression argument: (field_expression field: (field_identifier) @reference.write))
(field_initializer (field_identifier) @reference.write)
(attribute name: (identifier) @reference.decorator)
(initializer_list (identifier) @reference.read)
(initializer_pair value: (identifier) @reference.read)
(pointer_expression argument: (qualified_identifier name: (identifier) @reference.read))
(argument_list (pointer_expression argument: (identifier) @reference.read))
(preproc_ifdef name: (identifier) @reference.read)
(preproc_defined (identifier) @reference.read)
(using_declaration (qualified_identifier name: (identifier) @reference.import))
(type_identifier) @reference.type

; Imports.
(preproc_include path: (_) @import.module) @import
(import_declaration name: (_) @import.module) @import
(import_declaration header: (_) @import.module) @import
(import_declaration partition: (_) @import.module) @import
(using_declaration (identifier) @import.module) @import
(using_declaration (qualified_identifier scope: (_) @import.module name: (identifier) @import.name)) @import
(using_declaration (qualified_identifier name: (qualified_identifier)) @import.module) @import

(comment) @comment
((comment) @doc (#match? @doc "^/(\\*[*!]|/[/!])"))

; what is known of values
(compound_statement (declaration
  type: [(type_identifier) (qualified_identifier) (template_type)] @binding.type
  declarator: (function_declarator declarator: (identifier) @binding.name)))
(declaration
  type: [(type_identifier) (qualified_identifier) (template_type) (struct_specifier !body)] @binding.type
  declarator: [
    (identifier) @binding.name
    (pointer_declarator declarator: [(identifier) @binding.name (pointer_declarator declarator: (identifier) @binding.name)])
    (reference_declarator (identifier) @binding.name)
    (array_declarator declarator: (identifier) @binding.name)
    (init_declarator declarator: [
      (identifier) @binding.name
      (pointer_declarator declarator: (identifier) @binding.name)
      (reference_declarator (identifier) @binding.name)
      (array_declarator declarator: (identifier) @binding.name)])])
(declaration
  type: (placeholder_type_specifier)
  declarator: (init_declarator
    declarator: [(identifier) @binding.name (pointer_declarator declarator: (identifier) @binding.name) (reference_declarator (identifier) @binding.name)]
    value: [(call_expression) (new_expression) (identifier) (field_expression) (subscript_expression) (pointer_expression) (qualified_identifier)] @binding.value))
(init_declarator
  declarator: [(identifier) @binding.name (pointer_declarator declarator: (identifier) @binding.name)]
  value: (call_expression function: [
    (template_function name: (_) @_maker arguments: (template_argument_list . (type_descriptor) @binding.type))
    (qualified_identifier name: (template_function name: (_) @_maker arguments: (template_argument_list . (type_descriptor) @binding.type)))])
  (#any-of? @_maker "make_unique" "make_shared" "static_cast" "dynamic_cast" "reinterpret_cast" "const_cast"))
(parameter_declaration
  type: [(type_identifier) (qualified_identifier) (template_type) (struct_specifier)] @binding.type
  declarator: [
    (identifier) @binding.name
    (pointer_declarator declarator: [(identifier) @binding.name (pointer_declarator declarator: (identifier) @binding.name)])
    (reference_declarator (identifier) @binding.name)])
(optional_parameter_declaration
  type: [(type_identifier) (qualified_identifier) (template_type)] @binding.type
  declarator: [(identifier) @binding.name (pointer_declarator declarator: (identifier) @binding.name) (reference_declarator (identifier) @binding.name)])
(for_range_loop type: (placeholder_type_specifier) declarator: [(identifier) @binding.name (reference_declarator (identifier) @binding.name)] right: (_) @binding.item)
(for_range_loop
  type: [(type_identifier) (qualified_identifier) (template_type)] @binding.type
  declarator: [(identifier) @binding.name (pointer_declarator declarator: (identifier) @binding.name) (reference_declarator (identifier) @binding.name)])
(field_declaration
  type: [(type_identifier) (qualified_identifier) (template_type) (struct_specifier !body)] @binding.type
  declarator: [
    (field_identifier) @binding.member
    (pointer_declarator declarator: [(field_identifier) @binding.member (pointer_declarator declarator: (field_identifier) @binding.member)])
    (reference_declarator (field_identifier) @binding.member)
    (array_declarator declarator: (field_identifier) @binding.member)])
(field_declaration
  type: [(type_identifier) (qualified_identifier) (template_type)] @binding.returns
  declarator: [(function_declarator) (pointer_declarator (function_declarator)) (reference_declarator (function_declarator))])
(function_definition type: [(type_identifier) (qualified_identifier) (template_type) (struct_specifier !body)] @binding.returns declarator: (_))
(trailing_return_type (type_descriptor) @binding.returns)
(alias_declaration name: (type_identifier) @binding.name type: (type_descriptor) @binding.type)
(type_definition
  type: [(type_identifier) @binding.type (qualified_identifier) @binding.type (template_type) @binding.type (struct_specifier name: (_) @binding.type)]
  declarator: [(type_identifier) @binding.name (pointer_declarator declarator: (type_identifier) @binding.name)])
