; Definitions. A companion without a name is no definition: its members are those of the class around.
(class_declaration "interface" . (type_identifier) @name (class_body)? @body) @definition.interface
(class_declaration "enum" "class" . (type_identifier) @name (enum_class_body)? @body) @definition.enum
(class_declaration "class" . (type_identifier) @name (class_body)? @body) @definition.class
(object_declaration (type_identifier) @name (class_body)? @body) @definition.class
(companion_object (type_identifier) @name (class_body)? @body) @definition.class
(class_parameter (binding_pattern_kind) . (simple_identifier) @name) @definition.field
(enum_entry (simple_identifier) @name @visibility.public (class_body)? @body) @definition.field
(type_alias (type_identifier) @name) @definition.type
(class_body (function_declaration (simple_identifier) @name (function_body)? @body) @definition.method)
(function_declaration (simple_identifier) @name (function_body)? @body) @definition.fn
(secondary_constructor "constructor" @name "{"? @body) @definition.method

; Properties; those of functions are no definitions.
(statements (property_declaration (variable_declaration . (simple_identifier) @name)) @definition.none)
(property_declaration (modifiers (property_modifier) @_const) (variable_declaration . (simple_identifier) @name) (#eq? @_const "const")) @definition.const
(_ (property_declaration (variable_declaration . (simple_identifier) @name)) @definition.property . (getter) . (setter) @tail)
(_ (property_declaration (variable_declaration . (simple_identifier) @name)) @definition.property . [(getter) (setter (function_body))] @tail)
(property_declaration (variable_declaration . (simple_identifier) @name) [(getter) (setter)] @body) @definition.property
(property_declaration (variable_declaration . (simple_identifier) @name) (property_delegate)) @definition.property
(source_file (property_declaration (binding_pattern_kind "val") (variable_declaration . (simple_identifier) @name)
  [(lambda_literal) (object_literal)]? @body) @definition.const)
(source_file (property_declaration (variable_declaration . (simple_identifier) @name)) @definition.var)
(source_file (property_declaration (multi_variable_declaration (variable_declaration . (simple_identifier) @name))) @definition.var)
(property_declaration (variable_declaration . (simple_identifier) @name) [(lambda_literal) (object_literal)]? @body) @definition.field

; Imports.
(package_header (identifier) @package)
(import_header (identifier) @import.module (import_alias (type_identifier) @import.alias)) @import
(import_header (identifier) @import.module (wildcard_import) @import.name) @import
(import_header (identifier) @import.module) @import
(import_header (identifier (simple_identifier) @reference.import .))

; References.
(import_alias (type_identifier) @reference.none)
(type_parameter . (type_identifier) @reference.none)
(type_parameter (type_parameter_modifiers) . (type_identifier) @reference.none)
(annotation (user_type (type_identifier) @reference.decorator .))
(annotation (constructor_invocation (user_type (type_identifier) @reference.decorator .)))
(file_annotation (user_type (type_identifier) @reference.decorator .))
(file_annotation (constructor_invocation (user_type (type_identifier) @reference.decorator .)))
(delegation_specifier (user_type (type_identifier) @reference.inherit .))
(delegation_specifier (user_type (type_identifier) @reference.inherit . (type_arguments)))
(delegation_specifier (_ . (user_type (type_identifier) @reference.inherit .)))
(delegation_specifier (_ . (user_type (type_identifier) @reference.inherit . (type_arguments))))
(jump_expression "throw" (call_expression . (simple_identifier) @reference.throw))
(jump_expression "throw" (call_expression . (navigation_expression (navigation_suffix (simple_identifier) @reference.throw))))
((call_expression . (simple_identifier) @reference.instance) (#match? @reference.instance "^[A-Z]"))
((call_expression . (navigation_expression (navigation_suffix (simple_identifier) @reference.instance))) (#match? @reference.instance "^[A-Z]"))
(call_expression . (simple_identifier) @reference.call)
(call_expression . (navigation_expression (navigation_suffix (simple_identifier) @reference.call)))
(infix_expression . (_) @holder . (simple_identifier) @reference.call . (_))
(directly_assignable_expression . (simple_identifier) @reference.write .)
(directly_assignable_expression (navigation_suffix (simple_identifier) @reference.write) .)
(postfix_expression . (simple_identifier) @reference.write ["++" "--"])
(postfix_expression . (navigation_expression (navigation_suffix (simple_identifier) @reference.write)) ["++" "--"])
(prefix_expression ["++" "--"] . (simple_identifier) @reference.write)
((navigation_expression . (simple_identifier) @reference.type) (#match? @reference.type "^[A-Z]"))
((type_identifier) @reference.none (#match? @reference.none "^([a-z].*|[A-Z]|Companion)$"))
(type_identifier) @reference.type

(line_comment) @comment
(multiline_comment) @comment
((multiline_comment) @doc (#match? @doc "^/\\*\\*[^/]"))

; what is known of values
(function_declaration receiver: (receiver_type) @binding.receiver)
(property_declaration receiver: (receiver_type) @binding.receiver)
(parameter . (simple_identifier) @binding.name (_) @binding.type .)
(class_parameter (simple_identifier) @binding.name . [(user_type) (nullable_type)] @binding.type)
(class_parameter (binding_pattern_kind) . (simple_identifier) @binding.member . (_) @binding.type)
(variable_declaration . (simple_identifier) @binding.name (_) @binding.type .)
(property_declaration (variable_declaration . (simple_identifier) @binding.name .) (_) @binding.value .)
(for_statement (variable_declaration . (simple_identifier) @binding.name .) . (_) @binding.item)
(when_subject (variable_declaration . (simple_identifier) @binding.name .) . (_) @binding.value)
(catch_block (simple_identifier) @binding.name (user_type) @binding.type)
(class_body (property_declaration (variable_declaration . (simple_identifier) @binding.member . (_) @binding.type)))
(class_body (property_declaration (variable_declaration . (simple_identifier) @binding.member .) (_) @binding.value .))
(class_body (property_declaration (variable_declaration . (simple_identifier) @binding.member .)
  (property_delegate (call_expression (simple_identifier) @_lazy (call_suffix (annotated_lambda (lambda_literal
    (statements . (call_expression) @binding.value .)))))) (#eq? @_lazy "lazy")))
(enum_class_body (property_declaration (variable_declaration . (simple_identifier) @binding.member . (_) @binding.type)))
(function_declaration (function_value_parameters) . [(user_type) (nullable_type)] @binding.returns)
(function_declaration (function_body "=" . (_) @binding.result .))
(getter (function_body "=" . (_) @binding.result .))
(type_alias (type_identifier) @binding.name [(user_type) (nullable_type)] @binding.type)
; `= apply { … }` gives the object itself; what a block is given by `let` and its like is what stands before them.
((function_body "=" . (call_expression . (simple_identifier) @binding.returns (call_suffix (annotated_lambda)))) (#any-of? @binding.returns "apply" "also"))
((call_expression . (navigation_expression . (_) @binding.value (navigation_suffix (simple_identifier) @_given))
  (call_suffix (annotated_lambda (lambda_literal (lambda_parameters . (variable_declaration . (simple_identifier) @binding.name .) .)))))
  (#any-of? @_given "let" "also" "use"))
((call_expression . (navigation_expression . (_) @binding.item (navigation_suffix (simple_identifier) @_each))
  (call_suffix (annotated_lambda (lambda_literal (lambda_parameters . (variable_declaration . (simple_identifier) @binding.name .) .)))))
  (#any-of? @_each "forEach" "map" "filter" "any" "all" "none" "first" "firstOrNull" "find" "flatMap" "mapNotNull" "onEach" "associateBy" "groupBy" "sumOf" "sortedBy"))
