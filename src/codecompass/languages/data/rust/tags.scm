; Definitions. `visibility.public` marks what is as visible as its owner, whatever is written before it.
(impl_item
  trait: (_)
  body: (declaration_list (function_item name: (_) @name @visibility.public body: (_) @body) @definition.fn))
(impl_item trait: (_) body: (declaration_list (const_item name: (_) @name @visibility.public) @definition.const))
(impl_item trait: (_) body: (declaration_list (type_item name: (_) @name @visibility.public) @definition.type))
(function_item (visibility_modifier)? @modifier name: (_) @name body: (_) @body) @definition.fn
(function_signature_item (visibility_modifier)? @modifier name: (_) @name) @definition.fn
(struct_item (visibility_modifier)? @modifier name: (_) @name body: (field_declaration_list) @body) @definition.struct
(struct_item (visibility_modifier)? @modifier name: (_) @name) @definition.struct
(union_item (visibility_modifier)? @modifier name: (_) @name body: (_) @body) @definition.struct
(enum_item (visibility_modifier)? @modifier name: (_) @name body: (_) @body) @definition.enum
(enum_variant name: (_) @name @visibility.public) @definition.field
(enum_variant
  body: (field_declaration_list (field_declaration name: (_) @name @visibility.public) @definition.field))
(field_declaration (visibility_modifier)? @modifier name: (_) @name) @definition.field
(trait_item (visibility_modifier)? @modifier name: (_) @name body: (_) @body) @definition.trait
(associated_type name: (_) @name) @definition.type
(type_item (visibility_modifier)? @modifier name: (_) @name) @definition.type
(const_item (visibility_modifier)? @modifier name: (_) @name) @definition.const
(static_item (visibility_modifier)? @modifier name: (_) @name) @definition.const
(mod_item (visibility_modifier)? @modifier name: (_) @name body: (_) @body) @definition.mod
(mod_item (visibility_modifier)? @modifier name: (_) @name) @definition.mod
((attribute_item (attribute (identifier) @_export))
  .
  (macro_definition name: (_) @name @visibility.public (macro_rule) @body) @definition.macro
  (#eq? @_export "macro_export"))
(macro_definition name: (_) @name (macro_rule) @body) @definition.macro
(macro_definition name: (_) @name) @definition.macro

; Items handed to a macro that stands where items stand (`cfg_unix! { fn open() {} }`): tokens only, so just the name.
(source_file (macro_invocation (token_tree "pub" @modifier . "fn" @_word . (identifier) @name @definition.fn)))
(source_file (macro_invocation (token_tree (token_tree "pub" @modifier . "fn" @_word . (identifier) @name @definition.fn))))
(declaration_list (macro_invocation (token_tree "pub" @modifier . "fn" @_word . (identifier) @name @definition.fn)))
(source_file (macro_invocation (token_tree "pub" @modifier . "struct" @_word . (identifier) @name @definition.struct)))
(source_file (macro_invocation (token_tree "pub" @modifier . "enum" @_word . (identifier) @name @definition.enum)))
(source_file (macro_invocation (token_tree "pub" @modifier . "trait" @_word . (identifier) @name @definition.trait)))
(source_file (macro_invocation (token_tree "pub" @modifier . "type" @_word . (identifier) @name @definition.type)))
(source_file (macro_invocation (token_tree "pub" @modifier . "mod" @_word . (identifier) @name @definition.mod)))
(source_file (macro_invocation (token_tree "fn" @_word . (identifier) @name @definition.fn)))
(source_file (macro_invocation (token_tree (token_tree "fn" @_word . (identifier) @name @definition.fn))))
(declaration_list (macro_invocation (token_tree "fn" @_word . (identifier) @name @definition.fn)))
(source_file (macro_invocation (token_tree "struct" @_word . (identifier) @name @definition.struct)))
(source_file (macro_invocation (token_tree "enum" @_word . (identifier) @name @definition.enum)))
(source_file (macro_invocation (token_tree "trait" @_word . (identifier) @name @definition.trait)))
(source_file (macro_invocation (token_tree "type" @_word . (identifier) @name @definition.type)))
(source_file (macro_invocation (token_tree "mod" @_word . (identifier) @name @definition.mod)))

; An impl is named by its type, without its arguments, path or reference.
(impl_item
  type: [
    (type_identifier) @name
    (primitive_type) @name
    (scoped_type_identifier name: (_) @name)
    (generic_type type: [(type_identifier) @name (scoped_type_identifier name: (_) @name)])
    (reference_type
      type: [
        (type_identifier) @name
        (primitive_type) @name
        (scoped_type_identifier name: (_) @name)
        (generic_type type: [(type_identifier) @name (scoped_type_identifier name: (_) @name)])
        (dynamic_type trait: (type_identifier) @name)
      ])
    (dynamic_type
      trait: [
        (type_identifier) @name
        (scoped_type_identifier name: (_) @name)
        (generic_type type: (type_identifier) @name)
      ])
    (array_type) @name
    (tuple_type) @name
    (unit_type) @name
    (pointer_type) @name
    (function_type) @name
    (bounded_type) @name
    (never_type) @name
    (macro_invocation macro: (identifier) @name)
  ]
  body: (_) @body) @definition.impl

; Imports: a leaf of the use tree each; the lists around it put their paths before its own.
(use_declaration argument: (identifier) @import.module @reference.import) @import
(use_declaration argument: (scoped_identifier path: (_) @import.module name: (_) @import.name @reference.import)) @import
(use_list (identifier) @import @import.name @reference.import)
(use_list (self) @import @import.name)
(use_list (scoped_identifier path: (_) @import.module name: (_) @import.name @reference.import) @import)
(use_as_clause path: (identifier) @import.name @reference.import alias: (_) @import.alias) @import
(use_as_clause path: (self) @import.name alias: (_) @import.alias) @import
(use_as_clause
  path: (scoped_identifier path: (_) @import.module name: (_) @import.name @reference.import)
  alias: (_) @import.alias) @import
(use_wildcard [(identifier) (scoped_identifier) (crate) (self) (super)] @import.module "*" @import.name) @import
(use_list (use_wildcard . "*" @import @import.name))
(extern_crate_declaration name: (_) @import.module @reference.import !alias) @import
(extern_crate_declaration name: (_) @import.module @reference.import alias: (_) @import.alias) @import

; References.
(attribute (identifier) @reference.decorator)
(attribute (scoped_identifier name: (_) @reference.decorator))
((attribute (identifier) @_derive arguments: (token_tree (identifier) @reference.decorator . ["," ")"]))
  (#eq? @_derive "derive"))
(macro_invocation macro: (identifier) @reference.call)
(macro_invocation macro: (scoped_identifier name: (_) @reference.call))
(call_expression function: (identifier) @reference.call)
(call_expression function: (scoped_identifier name: (_) @reference.call))
(call_expression function: (field_expression field: (field_identifier) @reference.call))
(generic_function function: (identifier) @reference.call)
(generic_function function: (scoped_identifier name: (_) @reference.call))
(generic_function function: (field_expression field: (field_identifier) @reference.call))
(token_tree (identifier) @reference.call . (token_tree . "("))
(token_tree (identifier) @reference.call . "!" . (token_tree))
(struct_expression
  name: [
    (type_identifier) @reference.instance
    (scoped_type_identifier name: (_) @reference.instance)
    (generic_type_with_turbofish type: (type_identifier) @reference.instance)
    (generic_type_with_turbofish type: (scoped_identifier name: (_) @reference.instance))
  ])
(impl_item
  trait: [
    (type_identifier) @reference.inherit
    (scoped_type_identifier name: (_) @reference.inherit)
    (generic_type type: (type_identifier) @reference.inherit)
    (generic_type type: (scoped_type_identifier name: (_) @reference.inherit))
  ])
(trait_item
  bounds: (trait_bounds
    [
      (type_identifier) @reference.inherit
      (scoped_type_identifier name: (_) @reference.inherit)
      (generic_type type: (type_identifier) @reference.inherit)
      (generic_type type: (scoped_type_identifier name: (_) @reference.inherit))
    ]))
(assignment_expression left: (identifier) @reference.write)
(assignment_expression left: (field_expression field: (field_identifier) @reference.write))
(compound_assignment_expr left: (identifier) @reference.write)
(compound_assignment_expr left: (field_expression field: (field_identifier) @reference.write))
(struct_expression
  name: (_) @holder
  body: (field_initializer_list
    [
      (field_initializer field: (field_identifier) @reference.write)
      (shorthand_field_initializer (identifier) @reference.write)
    ]))
((type_identifier) @reference.type (#not-match? @reference.type "^([A-Z]|Self|_)$"))
(scoped_identifier path: (identifier) @reference.type (#match? @reference.type "^(?!Self$)[A-Z]"))
(field_expression field: (field_identifier) @reference.read)
(tuple_struct_pattern type: [(identifier) @reference.read (scoped_identifier name: (_) @reference.read)])
(match_pattern (scoped_identifier name: (_) @reference.read))

(line_comment !doc) @comment
(block_comment !doc) @comment
(line_comment doc: (_)) @doc
(block_comment doc: (_)) @doc

; what is known of values
(parameter pattern: (identifier) @binding.name type: (_) @binding.type)
(let_declaration pattern: (identifier) @binding.name type: (_) @binding.type)
(field_declaration name: (_) @binding.member type: (_) @binding.type)
(const_item name: (_) @binding.name type: (_) @binding.type)
(static_item name: (_) @binding.name type: (_) @binding.type)
(type_item name: (_) @binding.name type: (_) @binding.type)
(function_item type_parameters: (type_parameters
  (type_parameter name: (_) @binding.name bounds: (trait_bounds) @binding.type)))
(function_item (where_clause (where_predicate left: (type_identifier) @binding.name bounds: (_) @binding.type)))
(let_declaration pattern: (identifier) @binding.name !type value: [
  (call_expression) @binding.value
  (field_expression) @binding.value
  (identifier) @binding.value
  (scoped_identifier) @binding.value
  (await_expression) @binding.value
  (index_expression) @binding.value
  (reference_expression) @binding.value
  (struct_expression name: (_) @binding.type)
  (try_expression (_) @binding.value)])
(let_condition
  pattern: (tuple_struct_pattern type: (identifier) @_held . [(identifier) @binding.name (ref_pattern (identifier) @binding.name)] .)
  value: (_) @binding.value (#any-of? @_held "Some" "Ok"))
(let_declaration
  pattern: (tuple_struct_pattern type: (identifier) @_held . (identifier) @binding.name .)
  value: (_) @binding.value (#any-of? @_held "Some" "Ok"))
(for_expression pattern: (identifier) @binding.name value: (_) @binding.item)
(function_item return_type: (_) @binding.returns)
(function_signature_item return_type: (_) @binding.returns)
