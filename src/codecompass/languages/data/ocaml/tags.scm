; Values. What is bound inside an expression is no definition; a binding alone in its statement takes all of it.
(let_expression (value_definition (let_binding pattern: [
  (value_name) @name
  (parenthesized_operator (_) @name)
  (tuple_pattern (value_name) @name)
  (parenthesized_pattern (tuple_pattern (value_name) @name))]) @definition.none))
((value_name) @name @definition.none (#eq? @name "_"))
(value_definition . (let_binding
  pattern: [(value_name) @name (parenthesized_operator (_) @name)] . (parameter) body: (_) @body) .) @definition.fn
(value_definition . (let_binding
  pattern: [(value_name) @name (parenthesized_operator (_) @name)]
  body: [(fun_expression) (function_expression)] @body) .) @definition.fn
(value_definition . (let_binding pattern: [(value_name) @name (parenthesized_operator (_) @name)] body: (_) @body) .) @definition.var
(let_binding pattern: [(value_name) @name (parenthesized_operator (_) @name)] . (parameter) body: (_) @body) @definition.fn
(let_binding
  pattern: [(value_name) @name (parenthesized_operator (_) @name)]
  body: [(fun_expression) (function_expression)] @body) @definition.fn
(let_binding pattern: [(value_name) @name (parenthesized_operator (_) @name)] body: (_) @body) @definition.var
(let_binding
  pattern: [(tuple_pattern (value_name) @name) (parenthesized_pattern (tuple_pattern (value_name) @name))]
  body: (_) @body) @definition.var
(external [(value_name) @name (parenthesized_operator (_) @name)]) @definition.fn
(value_specification
  [(value_name) @name (parenthesized_operator (_) @name)]
  type: [(function_type) (polymorphic_type (function_type))]) @definition.fn
(value_specification [(value_name) @name (parenthesized_operator (_) @name)]) @definition.var

; Types.
(type_definition . (type_binding name: (type_constructor) @name body: (variant_declaration) @body) .) @definition.enum
(type_definition . (type_binding name: (type_constructor) @name body: (record_declaration) @body) .) @definition.struct
(type_definition . (type_binding name: (type_constructor) @name) .) @definition.type
(type_binding name: (type_constructor) @name body: (variant_declaration) @body) @definition.enum
(type_binding name: (type_constructor) @name body: (record_declaration) @body) @definition.struct
(type_binding name: (type_constructor) @name) @definition.type
(exception_definition (constructor_declaration (constructor_name) @name)) @definition.type
(constructor_declaration (constructor_name) @name (record_declaration) @body) @definition.field
(constructor_declaration (constructor_name) @name) @definition.field
(field_declaration (field_name) @name) @definition.field

; Modules, classes.
(module_definition . (module_binding (module_name) @name body: [(structure) (functor)] @body) .) @definition.mod
(module_definition . (module_binding (module_name) @name module_type: (signature) @body) .) @definition.mod
(module_definition . (module_binding (module_name) @name) .) @definition.mod
(module_binding (module_name) @name body: (structure) @body) @definition.mod
(module_binding (module_name) @name) @definition.mod
(module_type_definition (module_type_name) @name body: (_) @body) @definition.interface
(module_type_definition (module_type_name) @name) @definition.interface
(class_definition . (class_binding (class_name) @name body: (_) @body) .) @definition.class
(class_definition . (class_binding (class_name) @name) .) @definition.class
(class_binding (class_name) @name body: (_) @body) @definition.class
(class_type_definition . (class_type_binding (class_type_name) @name body: (_) @body) .) @definition.interface
(method_definition "private"? @modifier (method_name) @name body: (_) @body) @definition.method
(method_definition "private"? @modifier (method_name) @name) @definition.method
(method_specification "private"? @modifier (method_name) @name) @definition.method
(instance_variable_definition (instance_variable_name) @name @visibility.private body: (_) @body) @definition.field
(instance_variable_specification (instance_variable_name) @name @visibility.private) @definition.field

; Imports. A module that is only named is one too: that is how files depend on each other.
(open_module module: (module_path) @import.module) @import @import.star
(include_module module: (module_path) @import.module) @import @import.star
(include_module_type module_type: (module_type_of module: (module_path) @import.module)) @import @import.star
(value_path (module_path . (module_name) @import.module .)) @import @import.implied
(constructor_path (module_path . (module_name) @import.module .)) @import @import.implied
(field_path (module_path . (module_name) @import.module .)) @import @import.implied
(type_constructor_path (extended_module_path . (module_name) @import.module .)) @import @import.implied
(include_module_type module_type: (module_type_path (module_type_name) @reference.inherit))
(open_module module: (module_path (module_name) @reference.import))
(include_module module: (module_path (module_name) @reference.import))

; References.
((application_expression
  function: (value_path (value_name) @_raise)
  argument: [
    (constructor_path (constructor_name) @reference.throw)
    (parenthesized_expression
      expression: [
        (constructor_path (constructor_name) @reference.throw)
        (application_expression function: (constructor_path (constructor_name) @reference.throw))])])
  (#any-of? @_raise "raise" "raise_notrace" "fail" "reraise"))
(application_expression function: (value_path (value_name) @reference.call))
(application_expression function: (constructor_path (constructor_name) @reference.instance))
((infix_expression operator: (_) @_pipe right: (value_path (value_name) @reference.call))
  (#any-of? @_pipe "|>" ">>=" ">|=" ">>|" ">>" "=<<"))
((infix_expression left: (value_path (value_name) @reference.call) operator: (_) @_pipe)
  (#eq? @_pipe "@@"))
((infix_expression left: (value_path (value_name) @reference.write) operator: (assign_operator) @_set)
  (#eq? @_set ":="))
((infix_expression operator: [(rel_operator) (pow_operator) (mult_operator) (concat_operator)] @reference.call)
  (#match? @reference.call "^([^a-z ]{3,}|>>)$"))
(set_expression (field_get_expression field: (field_path (field_name) @reference.write)))
(set_expression (instance_variable_name) @reference.write)
(record_expression (field_expression (field_path (field_name) @reference.write)))
(method_invocation method: (method_name) @reference.call)
(new_expression (class_path (class_name) @reference.instance))
(inheritance_definition class: (class_path (class_name) @reference.inherit))
(inheritance_definition (_ (class_path (class_name) @reference.inherit)))
(module_application functor: (module_path (module_name) @reference.call))
(module_binding module_type: (module_type_path (module_type_name) @reference.inherit))
(module_binding module_type: (module_type_constraint module_type: (module_type_path (module_type_name) @reference.inherit)))
(module_type_path (module_type_name) @reference.type)
(type_constructor_path (type_constructor) @reference.type)
(class_type_path (class_type_name) @reference.type)
(constructor_pattern (constructor_path (constructor_name) @reference.type))

((comment) @doc (#match? @doc "^\\(\\*\\*[^*)]"))
(comment) @comment
