; Modules and types.
(module_definition name: (identifier) @name (block) @body) @definition.mod
(module_definition name: (identifier) @name "end" @body) @definition.mod
(struct_definition (type_head [
  (identifier) @name
  (parametrized_type_expression . (identifier) @name)
  (binary_expression . [(identifier) @name (parametrized_type_expression . (identifier) @name)])]) [(block) "end"] @body) @definition.struct
(abstract_definition (type_head [
  (identifier) @name
  (parametrized_type_expression . (identifier) @name)
  (binary_expression . [(identifier) @name (parametrized_type_expression . (identifier) @name)])]) "end" @body) @definition.type
(primitive_definition (type_head [
  (identifier) @name
  (parametrized_type_expression . (identifier) @name)
  (binary_expression . [(identifier) @name (parametrized_type_expression . (identifier) @name)])]) "end" @body) @definition.type
(struct_definition (block [
  (identifier) @name @definition.field
  (typed_expression . (identifier) @name) @definition.field
  (const_statement [(identifier) @name (typed_expression . (identifier) @name)]) @definition.field
  (assignment . [(identifier) @name (typed_expression . (identifier) @name)]) @definition.field]))
((macrocall_expression
  (macro_identifier (identifier) @_enum)
  (macro_argument_list . [(identifier) @name (typed_expression . (identifier) @name)])) @definition.enum
  (#eq? @_enum "enum"))
((macrocall_expression
  (macro_identifier (identifier) @_enum)
  (macro_argument_list . (_) [
    (identifier) @name @definition.field
    (assignment . (identifier) @name @definition.field)
    (compound_statement (block [(identifier) @name @definition.field (assignment . (identifier) @name @definition.field)]))]))
  (#eq? @_enum "enum"))

; Functions, in both forms; those of other modules carry the module as their scope.
(function_definition (signature [
  (call_expression . [
    (identifier) @name
    (operator) @name
    (field_expression value: (_) @scope [
      (identifier) @name
      (quote_expression [(operator) @name (parenthesized_expression (operator) @name)])] .)
    (parametrized_type_expression . [(identifier) @name (field_expression value: (_) @scope (identifier) @name .)])
    (parenthesized_expression (typed_expression (identifier) . (identifier) @name .))])
  (where_expression . [(call_expression . [(identifier) @name (field_expression value: (_) @scope (identifier) @name .) (parametrized_type_expression . [(identifier) @name (field_expression value: (_) @scope (identifier) @name .)])]) (typed_expression . (call_expression . [(identifier) @name (field_expression value: (_) @scope (identifier) @name .)]))])
  (typed_expression . (call_expression . [(identifier) @name (field_expression value: (_) @scope (identifier) @name .) (parametrized_type_expression . [(identifier) @name (field_expression value: (_) @scope (identifier) @name .)])]))]) [(block) "end"] @body) @definition.fn
(function_definition (signature (identifier) @name) "end" @body) @definition.fn
(assignment . [
  (call_expression . [
    (identifier) @name
    (operator) @name
    (field_expression value: (_) @scope [
      (identifier) @name
      (quote_expression [(operator) @name (parenthesized_expression (operator) @name)])] .)
    (parametrized_type_expression . [(identifier) @name (field_expression value: (_) @scope (identifier) @name .)])
    (parenthesized_expression (typed_expression (identifier) . (identifier) @name .))])
  (where_expression . [(call_expression . [(identifier) @name (field_expression value: (_) @scope (identifier) @name .) (parametrized_type_expression . [(identifier) @name (field_expression value: (_) @scope (identifier) @name .)])]) (typed_expression . (call_expression . [(identifier) @name (field_expression value: (_) @scope (identifier) @name .)]))])
  (typed_expression . (call_expression . [(identifier) @name (field_expression value: (_) @scope (identifier) @name .) (parametrized_type_expression . [(identifier) @name (field_expression value: (_) @scope (identifier) @name .)])]))] (operator) (_) @body .) @definition.fn
(macro_definition (signature (call_expression . (identifier) @name)) [(block) "end"] @body) @definition.macro

; Values.
(const_statement (assignment . [
  (operator) @name
  (identifier) @name
  (typed_expression . (identifier) @name)
  (open_tuple (identifier) @name)
  (parametrized_type_expression . (identifier) @name)] (operator) (_) @body .)) @definition.const
(source_file (assignment . (identifier) @name (operator) (_) @body .) @definition.var)
(module_definition (block (assignment . (identifier) @name (operator) (_) @body .) @definition.var))
(source_file (global_statement (assignment . (identifier) @name (operator) (_) @body .)) @definition.var)
(module_definition (block (global_statement (assignment . (identifier) @name (operator) (_) @body .)) @definition.var))

; Imports; a file that is included is one too.
(using_statement [(identifier) (import_path)] @import.module) @import
(import_statement [(identifier) (import_path)] @import.module) @import
(using_statement (import_alias . (_) @import.module (identifier) @import.alias .)) @import
(import_statement (import_alias . (_) @import.module (identifier) @import.alias .)) @import
(using_statement (selected_import . (_) @import.module [(identifier) (operator) (macro_identifier)] @import.name)) @import
(import_statement (selected_import . (_) @import.module [(identifier) (operator) (macro_identifier)] @import.name)) @import
(using_statement (selected_import . (_) @import.module (import_alias . (_) @import.name (identifier) @import.alias .))) @import
(import_statement (selected_import . (_) @import.module (import_alias . (_) @import.name (identifier) @import.alias .))) @import
((call_expression . (identifier) @_include (argument_list . (string_literal (content) @import.module) .)) @import
  (#eq? @_include "include"))
((call_expression . (identifier) @reference.none (argument_list . (string_literal) .))
  (#eq? @reference.none "include"))
(using_statement (identifier) @reference.import)
(import_statement (identifier) @reference.import)
(selected_import (identifier) @reference.import)
(import_alias . (identifier) @reference.import)
(import_alias (_) . (identifier) @reference.none .)
(import_path (identifier) @reference.import .)

; References.
(type_head (binary_expression (_) (operator) [
  (identifier) @reference.inherit
  (parametrized_type_expression . (identifier) @reference.inherit)
  (field_expression (identifier) @reference.inherit .)] .))
((call_expression . (identifier) @_throw (argument_list . (call_expression . [
  (identifier) @reference.throw
  (field_expression (identifier) @reference.throw .)])))
  (#any-of? @_throw "throw" "rethrow"))
((call_expression . (identifier) @_throw (argument_list . (identifier) @reference.throw))
  (#eq? @_throw "throw"))
((call_expression . (identifier) @reference.instance) (#match? @reference.instance "^[A-Z]"))
(call_expression . (parametrized_type_expression . (identifier) @reference.instance))
(call_expression . (identifier) @reference.call)
(call_expression . (field_expression (identifier) @reference.call .))
(broadcast_call_expression . [(identifier) @reference.call (field_expression (identifier) @reference.call .)])
(macro_identifier (identifier) @reference.call)
(typed_expression (_) [(identifier) @reference.type (field_expression (identifier) @reference.type .)] .)
(unary_typed_expression [(identifier) @reference.type (field_expression (identifier) @reference.type .)])
(parametrized_type_expression . [(identifier) @reference.type (field_expression (identifier) @reference.type .)])
(curly_expression (identifier) @reference.type)
(assignment . (field_expression (identifier) @reference.write .))
(compound_assignment_expression . [(identifier) @reference.write (field_expression (identifier) @reference.write .)])
(assignment . (index_expression . (identifier) @reference.write))
(export_statement (identifier) @reference.read)

[(line_comment) (block_comment)] @comment
((string_literal) @doc . [
  (function_definition) (macro_definition) (struct_definition) (abstract_definition) (primitive_definition)
  (module_definition) (const_statement) (assignment (call_expression)) (macrocall_expression)])
