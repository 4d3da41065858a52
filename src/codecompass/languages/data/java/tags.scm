; Definitions.
(class_declaration (modifiers ["public" "protected" "private"] @modifier)? name: (_) @name body: (_) @body) @definition.class
(interface_declaration (modifiers ["public" "protected" "private"] @modifier)? name: (_) @name body: (_) @body) @definition.interface
(annotation_type_declaration (modifiers ["public" "protected" "private"] @modifier)? name: (_) @name body: (_) @body) @definition.interface
(enum_declaration (modifiers ["public" "protected" "private"] @modifier)? name: (_) @name body: (_) @body) @definition.enum
(record_declaration (modifiers ["public" "protected" "private"] @modifier)? name: (_) @name body: (_) @body) @definition.struct
(record_declaration parameters: (formal_parameters (formal_parameter name: (_) @name @visibility.public) @definition.field))
(enum_body_declarations (constructor_declaration name: (_) @name @visibility.private body: (_) @body) @definition.method)
(method_declaration (modifiers ["public" "protected" "private"] @modifier)? name: (_) @name body: (_)? @body) @definition.method
(constructor_declaration (modifiers ["public" "protected" "private"] @modifier)? name: (_) @name body: (_) @body) @definition.method
(compact_constructor_declaration (modifiers ["public" "protected" "private"] @modifier)? name: (_) @name body: (_) @body) @definition.method
(annotation_type_element_declaration name: (_) @name) @definition.method
(enum_constant name: (_) @name @visibility.public body: (_)? @body) @definition.field
(field_declaration (modifiers ["public" "protected" "private"] @modifier)? declarator: (variable_declarator name: (_) @name)) @definition.field
(constant_declaration declarator: (variable_declarator name: (_) @name)) @definition.field

; Imports.
(package_declaration [(scoped_identifier) (identifier)] @package)
(import_declaration (_) @import.module (asterisk) @import.name) @import
(import_declaration (scoped_identifier scope: (_) @import.module name: (_) @import.name @reference.import) .) @import
(import_declaration (identifier) @import.module @reference.import .) @import

; References.
(marker_annotation name: (identifier) @reference.decorator)
(marker_annotation name: (scoped_identifier name: (_) @reference.decorator))
(annotation name: (identifier) @reference.decorator)
(annotation name: (scoped_identifier name: (_) @reference.decorator))
(superclass
  [
    (type_identifier) @reference.inherit
    (scoped_type_identifier (type_identifier) @reference.inherit .)
    (generic_type . (type_identifier) @reference.inherit)
    (generic_type . (scoped_type_identifier (type_identifier) @reference.inherit .))
  ])
(super_interfaces
  (type_list
    [
      (type_identifier) @reference.inherit
      (scoped_type_identifier (type_identifier) @reference.inherit .)
      (generic_type . (type_identifier) @reference.inherit)
      (generic_type . (scoped_type_identifier (type_identifier) @reference.inherit .))
    ]))
(extends_interfaces
  (type_list
    [
      (type_identifier) @reference.inherit
      (scoped_type_identifier (type_identifier) @reference.inherit .)
      (generic_type . (type_identifier) @reference.inherit)
      (generic_type . (scoped_type_identifier (type_identifier) @reference.inherit .))
    ]))
(throw_statement (object_creation_expression type: (type_identifier) @reference.throw))
(throw_statement (object_creation_expression type: (scoped_type_identifier (type_identifier) @reference.throw .)))
(throws (type_identifier) @reference.throw)
(throws (scoped_type_identifier (type_identifier) @reference.throw .))
(object_creation_expression
  type: [
    (type_identifier) @reference.instance
    (scoped_type_identifier (type_identifier) @reference.instance .)
    (generic_type . (type_identifier) @reference.instance)
    (generic_type . (scoped_type_identifier (type_identifier) @reference.instance .))
  ])
(method_reference . [(identifier) (type_identifier)] @reference.instance "new" .)
(method_reference (_) "::" (identifier) @reference.call .)
(method_invocation name: (identifier) @reference.call)
(assignment_expression left: (identifier) @reference.write)
(assignment_expression left: (field_access field: (identifier) @reference.write))
(update_expression (identifier) @reference.write)
(update_expression (field_access field: (identifier) @reference.write))
(method_invocation object: (identifier) @reference.type (#match? @reference.type "^[A-Z]"))
(field_access object: (identifier) @reference.type (#match? @reference.type "^[A-Z]"))
(method_reference . (identifier) @reference.type (#match? @reference.type "^[A-Z]"))
((scoped_type_identifier (type_identifier) @reference.none) (#match? @reference.none "^[a-z]"))
((type_identifier) @reference.type (#not-match? @reference.type "^([A-Z]|var)$"))
(field_access field: (identifier) @reference.read)

(line_comment) @comment
(block_comment) @comment
((block_comment) @doc (#match? @doc "^/\\*\\*[^/]"))
((line_comment) @doc (#match? @doc "^///([^/]|$)"))

; what is known of values
(formal_parameter type: (_) @binding.type name: (identifier) @binding.name)
(spread_parameter (variable_declarator name: (identifier) @binding.name)) @binding.type
(local_variable_declaration type: (_) @binding.type
  declarator: (variable_declarator name: (identifier) @binding.name) (#not-eq? @binding.type "var"))
(local_variable_declaration type: (type_identifier) @_var declarator: (variable_declarator name: (identifier) @binding.name
  value: [(method_invocation) (object_creation_expression) (identifier) (field_access) (array_access)] @binding.value) (#eq? @_var "var"))
(enhanced_for_statement type: (_) @binding.type name: (identifier) @binding.name (#not-eq? @binding.type "var"))
(enhanced_for_statement type: (type_identifier) @_var name: (identifier) @binding.name value: (_) @binding.item (#eq? @_var "var"))
(resource type: (_) @binding.type name: (identifier) @binding.name (#not-eq? @binding.type "var"))
(resource type: (type_identifier) @_var name: (identifier) @binding.name value: (_) @binding.value (#eq? @_var "var"))
(catch_formal_parameter (catch_type) @binding.type name: (identifier) @binding.name)
(instanceof_expression right: (_) @binding.type name: (identifier) @binding.name)
(type_pattern (_) @binding.type . (identifier) @binding.name)
(field_declaration type: (_) @binding.type declarator: (variable_declarator name: (identifier) @binding.member))
(constant_declaration type: (_) @binding.type declarator: (variable_declarator name: (identifier) @binding.member))
(record_declaration parameters: (formal_parameters (formal_parameter type: (_) @binding.type name: (identifier) @binding.member)))
(method_declaration type: (_) @binding.returns)
(annotation_type_element_declaration type: (_) @binding.returns)
