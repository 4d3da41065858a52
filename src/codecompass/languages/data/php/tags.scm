; Namespaces: a block nests what it holds, a line names the package of the file.
(namespace_definition name: (namespace_name) @package !body)
(namespace_definition name: (namespace_name . (name) @name (name)? @name.end .) body: (_) @body) @definition.mod

; Types. One without a name goes by the word that makes it.
(class_declaration name: (name) @name body: (_) @body) @definition.class
(interface_declaration name: (name) @name body: (_) @body) @definition.interface
(trait_declaration name: (name) @name body: (_) @body) @definition.trait
(enum_declaration name: (name) @name body: (_) @body) @definition.enum
(anonymous_class "class" @name body: (_) @body) @definition.class

; Members. A parameter of the constructor with a visibility is a field.
(method_declaration name: (name) @name body: (_)? @body) @definition.method
(property_declaration (property_element name: (variable_name (name) @name)) (property_hook_list) @body) @definition.property
(property_declaration (property_element name: (variable_name (name) @name))) @definition.field
(property_promotion_parameter name: (variable_name (name) @name @hoist) (property_hook_list) @body) @definition.property
(property_promotion_parameter name: (variable_name (name) @name @hoist)) @definition.field
(enum_case name: (name) @name) @definition.field
(use_as_clause (visibility_modifier)? (name) @name .) @definition.method

; Functions and constants, and the variables of a script.
(function_definition name: (name) @name body: (_) @body) @definition.fn
(const_declaration (const_element . (name) @name)) @definition.const
((function_call_expression
  function: (name) @_define
  arguments: (arguments . (argument [(string (string_content) @name) (encapsed_string . (string_content) @name .)]))) @definition.const
  (#any-of? @_define "define" "DEFINE"))
(program (expression_statement (assignment_expression left: (variable_name) @name) @definition.var))
(program (expression_statement (assignment_expression left: (list_literal (variable_name) @name)) @definition.var))
(program (expression_statement (reference_assignment_expression left: (variable_name) @name) @definition.var))

; References. Words of the language that look like calls or types are none.
(function_call_expression function: (name) @reference.none (#any-of? @reference.none "isset" "empty"))
(named_type (name) @reference.none (#any-of? @reference.none "self" "static" "parent"))
(object_creation_expression (name) @reference.none (#any-of? @reference.none "self" "static" "parent"))
(class_constant_access_expression (_) (name) @reference.none . (#eq? @reference.none "class"))
(attribute [(name) @reference.decorator (qualified_name (name) @reference.decorator)])
(base_clause [(name) @reference.inherit (qualified_name (name) @reference.inherit)])
(class_interface_clause [(name) @reference.inherit (qualified_name (name) @reference.inherit)])
(use_declaration [(name) @reference.inherit (qualified_name (name) @reference.inherit)])
(use_instead_of_clause (_) [(name) @reference.type (qualified_name (name) @reference.type)])
(throw_expression (object_creation_expression [(name) @reference.throw (qualified_name (name) @reference.throw)]))
(object_creation_expression [
  (name) @reference.instance
  (qualified_name (name) @reference.instance)
  (relative_name (name) @reference.instance)])
(function_call_expression function: [
  (name) @reference.call
  (variable_name) @reference.call
  (qualified_name (name) @reference.call)
  (relative_name (name) @reference.call)])
(member_call_expression name: (name) @reference.call)
(nullsafe_member_call_expression name: (name) @reference.call)
(scoped_call_expression name: (name) @reference.call)
(scoped_call_expression scope: [(name) @reference.type (qualified_name (name) @reference.type)])
(scoped_property_access_expression scope: [(name) @reference.type (qualified_name (name) @reference.type)])
(class_constant_access_expression . [(name) @reference.type (qualified_name (name) @reference.type)])
(assignment_expression left: [
  (member_access_expression name: (name) @reference.write)
  (scoped_property_access_expression name: (variable_name) @reference.write)])
(reference_assignment_expression left: [
  (member_access_expression name: (name) @reference.write)
  (scoped_property_access_expression name: (variable_name) @reference.write)])
(augmented_assignment_expression left: [
  (variable_name) @reference.write
  (member_access_expression name: (name) @reference.write)
  (scoped_property_access_expression name: (variable_name) @reference.write)])
(update_expression argument: [
  (variable_name) @reference.write
  (member_access_expression name: (name) @reference.write)
  (scoped_property_access_expression name: (variable_name) @reference.write)])
(list_literal [
  (member_access_expression name: (name) @reference.write)
  (scoped_property_access_expression name: (variable_name) @reference.write)])
(named_type [
  (name) @reference.type
  (qualified_name (name) @reference.type)
  (relative_name (name) @reference.type)])
(binary_expression left: [(variable_name) @binding.name (_)] operator: "instanceof" right: [
  (name) @reference.type @binding.test
  (qualified_name (name) @reference.type) @binding.test])

; Imports: names of namespaces one by one or in groups, and files.
(namespace_use_declaration (namespace_use_clause
  (qualified_name prefix: (namespace_name) @import.module (name) @import.name @reference.import)
  alias: (name)? @import.alias) @import)
(namespace_use_declaration (namespace_use_clause
  . (name) @import.module @reference.import
  alias: (name)? @import.alias) @import)
(namespace_use_declaration (namespace_use_clause
  (qualified_name . (name) @import.module @reference.import)
  alias: (name)? @import.alias) @import)
(namespace_use_declaration (namespace_name) @import.module body: (namespace_use_group (namespace_use_clause
  . (name) @import.name @reference.import
  alias: (name)? @import.alias) @import))
(namespace_use_declaration (namespace_name) @import.module body: (namespace_use_group (namespace_use_clause
  (qualified_name prefix: (namespace_name) @import.module (name) @import.name @reference.import)
  alias: (name)? @import.alias) @import))
(include_expression [(string) @import.module (_ right: (string) @import.module)]) @import
(include_once_expression [(string) @import.module (_ right: (string) @import.module)]) @import
(require_expression [(string) @import.module (_ right: (string) @import.module)]) @import
(require_once_expression [(string) @import.module (_ right: (string) @import.module)]) @import

(comment) @comment
((comment) @doc (#match? @doc "^/\\*\\*[^/]"))

; what is known of values
(simple_parameter type: (_) @binding.type name: (variable_name) @binding.name)
(property_promotion_parameter type: (_) @binding.type name: (variable_name (name) @binding.member) @binding.name)
(property_declaration type: (_) @binding.type (property_element name: (variable_name (name) @binding.member)))
(property_declaration !type (property_element name: (variable_name (name) @binding.member)
  default_value: [(array_creation_expression) (string) (encapsed_string)] @binding.value))
(assignment_expression left: (variable_name) @binding.name right: [
  (object_creation_expression) (variable_name) (member_access_expression) (nullsafe_member_access_expression)
  (member_call_expression) (nullsafe_member_call_expression) (scoped_call_expression) (function_call_expression)
  (scoped_property_access_expression) (class_constant_access_expression) (subscript_expression)
  (string) (encapsed_string) (array_creation_expression)] @binding.value)
(assignment_expression left: (variable_name) @binding.name right: (clone_expression (_) @binding.value))
(assignment_expression left: (variable_name) @binding.name right: (assignment_expression right: [
  (object_creation_expression) (member_call_expression) (scoped_call_expression) (function_call_expression)] @binding.value))
(assignment_expression left: (variable_name) @binding.name right: (binary_expression left: (_) @binding.value operator: "??"))
(assignment_expression left: (variable_name) @binding.name right: (conditional_expression
  body: [(object_creation_expression) (variable_name) (member_access_expression) (member_call_expression) (scoped_call_expression)] @binding.value))
(augmented_assignment_expression left: (variable_name) @binding.name operator: "??=" right: [
  (object_creation_expression) (member_call_expression) (scoped_call_expression) (function_call_expression)] @binding.value)
(assignment_expression
  left: (member_access_expression object: (variable_name) @_this name: (name) @binding.member)
  right: [
    (object_creation_expression) (variable_name) (member_access_expression) (member_call_expression)
    (scoped_call_expression) (function_call_expression) (string) (array_creation_expression)] @binding.value
  (#eq? @_this "$this"))
(assignment_expression
  left: (scoped_property_access_expression scope: (relative_scope) name: (variable_name (name) @binding.member))
  right: [
    (object_creation_expression) (variable_name) (member_call_expression) (scoped_call_expression)
    (function_call_expression)] @binding.value)
(foreach_statement . (_) @binding.item . [
  (variable_name) @binding.name
  (by_ref (variable_name) @binding.name)
  (pair (_) . [(variable_name) @binding.name (by_ref (variable_name) @binding.name)])])
(catch_clause type: (_) @binding.type name: (variable_name) @binding.name)
(function_definition return_type: (_) @binding.returns)
(method_declaration return_type: (_) @binding.returns)
(method_declaration body: (compound_statement (return_statement [
  (object_creation_expression) (variable_name) (member_access_expression) (member_call_expression)
  (scoped_call_expression) (function_call_expression)] @binding.result)))
(function_definition body: (compound_statement (return_statement [
  (object_creation_expression) (variable_name) (member_call_expression) (scoped_call_expression)
  (function_call_expression)] @binding.result)))
