; Namespaces: a block nests what it holds, a line names the package of the file.
(namespace_declaration "namespace" @visibility.public name: (identifier) @name body: (_) @body) @definition.mod
(namespace_declaration
  "namespace" @visibility.public
  name: (qualified_name qualifier: (_) @scope name: (_) @name)
  body: (_) @body) @definition.mod
(file_scoped_namespace_declaration name: (_) @package)

; Types.
(class_declaration name: (identifier) @name body: (_)? @body) @definition.class
(struct_declaration name: (identifier) @name body: (_)? @body) @definition.struct
(record_declaration "struct" name: (identifier) @name body: (_)? @body) @definition.struct
(record_declaration name: (identifier) @name body: (_)? @body) @definition.class
(interface_declaration name: (identifier) @name body: (_)? @body) @definition.interface
(enum_declaration name: (identifier) @name body: (_)? @body) @definition.enum
(enum_member_declaration name: (identifier) @name) @definition.field
(delegate_declaration name: (identifier) @name) @definition.type

; Members. The parameters of a record are its properties.
(record_declaration (parameter_list (parameter name: (identifier) @name @visibility.public) @definition.property))
(method_declaration name: (identifier) @name body: (_)? @body) @definition.fn
(constructor_declaration name: (identifier) @name (constructor_initializer) @body) @definition.fn
(constructor_declaration name: (identifier) @name body: (_)? @body) @definition.fn
(destructor_declaration "~" @name name: (identifier) @name.end body: (_)? @body) @definition.fn
(operator_declaration "operator" @name . _ @name.end parameters: (_) body: (_)? @body) @definition.fn
(conversion_operator_declaration "operator" @name type: (_) @name.end body: (_)? @body) @definition.fn
(local_function_statement name: (identifier) @name body: (_)? @body) @definition.fn
(property_declaration name: (identifier) @name accessors: (_) @body) @definition.property
(property_declaration name: (identifier) @name value: (arrow_expression_clause) @body) @definition.property
(indexer_declaration "this" @name accessors: (_) @body) @definition.property
(indexer_declaration "this" @name value: (_) @body) @definition.property
(event_declaration name: (identifier) @name accessors: (_) @body) @definition.property
(event_field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @definition.property
(field_declaration
  (modifier "const")
  (variable_declaration (variable_declarator name: (identifier) @name))) @definition.const
(field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @definition.field

; References.
(file_scoped_namespace_declaration name: (qualified_name name: (identifier) @reference.none))
(file_scoped_namespace_declaration (qualified_name qualifier: (qualified_name name: (identifier) @reference.none)))
(namespace_declaration name: (qualified_name qualifier: (qualified_name name: (identifier) @reference.none)))
(using_directive name: (identifier) @reference.none)
(using_directive "global" @reference.import)
(using_directive (identifier) @reference.import)
(using_directive (qualified_name name: (identifier) @reference.import))
(throw_statement (object_creation_expression type: [
  (identifier) @reference.throw
  (qualified_name name: (identifier) @reference.throw)
  (generic_name (identifier) @reference.throw)
]))
(throw_expression (object_creation_expression type: [
  (identifier) @reference.throw
  (qualified_name name: (identifier) @reference.throw)
]))
(object_creation_expression type: [
  (identifier) @reference.instance
  (generic_name (identifier) @reference.instance)
  (qualified_name name: (identifier) @reference.instance)
  (qualified_name name: (generic_name (identifier) @reference.instance))
])
(base_list [
  (identifier) @reference.inherit
  (generic_name (identifier) @reference.inherit)
  (qualified_name name: (identifier) @reference.inherit)
  (qualified_name name: (generic_name (identifier) @reference.inherit))
  (primary_constructor_base_type type: (identifier) @reference.inherit)
  (primary_constructor_base_type type: (generic_name (identifier) @reference.inherit))
])
(attribute name: (identifier) @reference.decorator)
(attribute name: (qualified_name name: (identifier) @reference.decorator))
(invocation_expression function: [
  (identifier) @reference.call
  (generic_name (identifier) @reference.call)
  (member_access_expression name: (identifier) @reference.call)
  (member_access_expression name: (generic_name (identifier) @reference.call))
  (conditional_access_expression (member_binding_expression name: (identifier) @reference.call))
  (conditional_access_expression (member_binding_expression name: (generic_name (identifier) @reference.call)))
])
; A name in an initializer is a member of what is made.
(object_creation_expression type: (_) @holder
  initializer: (initializer_expression (assignment_expression left: (identifier) @reference.write)))
(initializer_expression (assignment_expression left: (identifier) @reference.none))
(with_initializer . (identifier) @reference.none)
(assignment_expression left: [
  (identifier) @reference.write
  (member_access_expression name: (identifier) @reference.write)
])
(postfix_unary_expression (member_access_expression name: (identifier) @reference.write))
(explicit_interface_specifier (identifier) @reference.type)
(variable_declaration type: (identifier) @reference.type)
(parameter type: (identifier) @reference.type)
(method_declaration returns: (identifier) @reference.type)
(local_function_statement type: (identifier) @reference.type)
(property_declaration type: (identifier) @reference.type)
(indexer_declaration type: (identifier) @reference.type)
(event_declaration type: (identifier) @reference.type)
(delegate_declaration type: (identifier) @reference.type)
(operator_declaration type: (identifier) @reference.type)
(conversion_operator_declaration type: (identifier) @reference.type)
(nullable_type type: (identifier) @reference.type)
(array_type type: (identifier) @reference.type)
(tuple_element type: (identifier) @reference.type)
(cast_expression type: (identifier) @reference.type)
(typeof_expression type: (identifier) @reference.type)
(declaration_pattern type: (identifier) @reference.type)
(recursive_pattern type: (identifier) @reference.type)
(catch_declaration type: (identifier) @reference.type)
(foreach_statement type: (identifier) @reference.type)
(as_expression right: (identifier) @reference.type)
(is_expression right: (identifier) @reference.type)
(type_argument_list (identifier) @reference.type)
(type_parameter_constraint type: (identifier) @reference.type)
(generic_name (identifier) @reference.type)
(qualified_name name: (identifier) @reference.type)
((member_access_expression expression: (identifier) @reference.type) (#match? @reference.type "^[A-Z]"))

; Imports. The word `global` stands as the name of what every file of the project imports.
(using_directive "global" @import.name !name [(identifier) (qualified_name) (alias_qualified_name)] @import.module) @import
(using_directive !name [(identifier) (qualified_name) (alias_qualified_name)] @import.module) @import
(using_directive name: (identifier) @import.alias [(qualified_name) (generic_name) (predefined_type) (tuple_type)] @import.module) @import
(using_directive name: (identifier) @import.alias "=" (identifier) @import.module) @import

(comment) @comment
((comment) @doc (#match? @doc "^/(\\*[*]|//)"))

; what is known of values
(parameter type: (_) @binding.type name: (identifier) @binding.name)
(parameter_list type: (_) @binding.type name: (identifier) @binding.name)
(local_declaration_statement (variable_declaration
  type: [(identifier) (generic_name) (qualified_name) (nullable_type) (array_type) (predefined_type)] @binding.type (variable_declarator name: (identifier) @binding.name)))
(variable_declaration type: (implicit_type) (variable_declarator name: (identifier) @binding.name (object_creation_expression type: (_) @binding.type)))
(variable_declaration type: (implicit_type) (variable_declarator name: (identifier) @binding.name
  [(invocation_expression) (identifier) (member_access_expression) (await_expression) (element_access_expression)] @binding.value))
(variable_declaration type: (implicit_type) (variable_declarator name: (identifier) @binding.name [(cast_expression type: (_) @binding.type) (as_expression right: (_) @binding.type)]))
(foreach_statement type: (implicit_type) left: (identifier) @binding.name right: (_) @binding.item)
(foreach_statement type: [(identifier) (generic_name) (qualified_name)] @binding.type left: (identifier) @binding.name)
(catch_declaration type: (_) @binding.type name: (identifier) @binding.name)
(declaration_pattern type: (_) @binding.type name: (identifier) @binding.name)
(declaration_expression type: [(identifier) (generic_name) (qualified_name)] @binding.type name: (identifier) @binding.name)
(field_declaration (variable_declaration type: (_) @binding.type (variable_declarator name: (identifier) @binding.member)))
(property_declaration type: (_) @binding.type name: (identifier) @binding.member)
(class_declaration (parameter_list (parameter type: (_) @binding.type name: (identifier) @binding.member)))
(record_declaration (parameter_list (parameter type: (_) @binding.type name: (identifier) @binding.member)))
(method_declaration returns: (_) @binding.returns)
(local_function_statement type: (_) @binding.returns)
