; Types. A type of one constructor is a struct, one of several an enum; the constructors are its fields.
(data_type name: (name) @name constructors: (data_constructors "|") @body) @definition.enum
(data_type name: (name) @name constructors: (gadt_constructors) @body) @definition.enum
(data_type name: (name) @name constructors: (data_constructors) @body) @definition.struct
(data_type name: (name) @name !constructors) @definition.type
(data_type (infix operator: [(constructor_operator) (operator)] @name) constructors: (_) @body) @definition.enum
(newtype name: (name) @name constructor: (newtype_constructor) @body) @definition.struct
(type_synomym name: (name) @name) @definition.type
(type_family name: (name) @name closed_family: (_) @body) @definition.type
(type_family name: (name) @name) @definition.type
(data_family name: (name) @name) @definition.type
(class name: (name) @name declarations: (_) @body) @definition.trait
(class name: (name) @name) @definition.trait

(data_constructor constructor: [
  (prefix name: (constructor) @name)
  (prefix name: (prefix_id (constructor_operator) @name))
  (record name: (constructor) @name fields: (_) @body)
  (infix operator: (constructor_operator) @name)]) @definition.field
(newtype_constructor name: (constructor) @name field: (record) @body) @definition.field
(newtype_constructor name: (constructor) @name) @definition.field
(gadt_constructor name: (constructor) @name) @definition.field
(gadt_constructor names: (binding_list name: (constructor) @name)) @definition.field
(field name: (field_name (variable) @name @hoist)) @definition.field

; An instance is named by the type that it is for, without its arguments.
(instance
  patterns: (type_patterns [
    (name) @name
    (qualified id: (name) @name)
    (parens type: [
      (name) @name
      (qualified id: (name) @name)
      (function) @name
      (infix operator: (_) @name)
      (apply constructor: [
        (name) @name
        (prefix_tuple) @name
        (prefix_id) @name
        (variable) @name
        (qualified id: (name) @name)
        (apply constructor: [
          (name) @name
          (prefix_tuple) @name
          (qualified id: (name) @name)
          (apply constructor: [(name) @name (prefix_tuple) @name (apply) @name])])])])
    (literal) @name
    (promoted) @name
    (list) @name
    (prefix_list) @name
    (tuple) @name
    (unit) @name
    (variable) @name
  ] .)
  declarations: (_)? @body) @definition.impl
(deriving_instance
  patterns: (type_patterns [
    (name) @name
    (parens type: (apply constructor: [(name) @name (apply constructor: (name) @name)]))
  ] .)) @definition.impl

; Functions: a signature and the equations after it are one definition. What is bound inside a function is none.
(local_binds [(function name: (variable) @name) (signature name: (variable) @name)] @definition.none)
(local_binds (signature names: (binding_list name: (variable) @name)) @definition.none)
(local_binds (bind name: (variable) @name) @definition.none)
(local_binds (function (infix operator: [(operator) @name (infix_id (variable) @name)])) @definition.none)
(default_signature signature: (signature name: (variable) @name) @definition.none)
(foreign_import signature: (signature name: (variable) @name)) @definition.fn
(signature name: [(variable) @name (prefix_id (operator) @name)]) @definition.fn
(signature names: (binding_list name: [(variable) @name (prefix_id (operator) @name)])) @definition.fn
(function name: [(variable) @name (prefix_id (operator) @name)] match: (_) @body) @definition.fn
(function (infix operator: [(operator) @name (infix_id (variable) @name)]) match: (_) @body) @definition.fn
(bind name: [(variable) @name (prefix_id (operator) @name)] match: (_) @body) @definition.fn
(declarations (bind pattern: [(tuple element: (variable) @name) (as bind: (variable) @name)] match: (_) @body) @definition.var)
(pattern_synonym (equation synonym: [
  (constructor) @name
  (apply function: [(constructor) @name (apply function: (constructor) @name)])
  (record constructor: (constructor) @name)
  (infix operator: (constructor_operator) @name)])) @definition.fn

; What the file shows.
(header module: (module) @package)
(header exports: (exports) @exported)
(export variable: (variable) @exported @exported.member)
(export type: (name) @exported)
(export operator: (prefix_id (_) @exported @exported.member))
(export type: (name) @exported.all children: (children element: (all_names)))
(export children: (children element: (_) @exported.member))
(module_export module: (module) @exported)

; Imports. What an import hides is no part of it.
(import module: (module) @import.module alias: (module)? @import.alias "hiding") @import @import.whole
(import module: (module) @import.module alias: (module) @import.alias !names) @import
(import module: (module) @import.module !alias !names) @import
((import module: (module) @import.module names: (import_list name: (import_name [
  variable: (variable) @import.name
  type: (name) @import.name
  operator: (prefix_id (_) @import.name)]))) @import)
(import_name variable: (variable) @reference.import)
(import_name type: (name) @reference.import)
(import module: (module) @reference.import)

; References.
(default_signature signature: (signature name: (variable) @reference.none))
(kind_signature name: (name) @reference.none)
(instance name: (name) @reference.inherit)
(instance name: (qualified id: (name) @reference.inherit))
(deriving_instance name: (name) @reference.inherit)
(deriving classes: [
  (name) @reference.inherit
  (tuple (name) @reference.inherit)
  (parens (name) @reference.inherit)
  (qualified id: (name) @reference.inherit)])
(class context: (context context: [
  (apply constructor: [(name) @reference.inherit (apply constructor: (name) @reference.inherit)])
  (parens (apply constructor: (name) @reference.inherit))
  (tuple (apply constructor: (name) @reference.inherit))]))
((apply
  function: [(variable) @_throw (qualified id: (variable) @_throw)]
  argument: [
    (constructor) @reference.throw
    (parens expression: (apply function: [
      (constructor) @reference.throw
      (apply function: (constructor) @reference.throw)]))])
  (#any-of? @_throw "throw" "throwIO" "throwM" "throwError" "throwE" "throwSTM"))
((infix
  left_operand: [(variable) @_throw (qualified id: (variable) @_throw)]
  right_operand: [
    (constructor) @reference.throw
    (apply function: [(constructor) @reference.throw (apply function: (constructor) @reference.throw)])])
  (#any-of? @_throw "throw" "throwIO" "throwM" "throwError" "throwE" "throwSTM"))
(_ pattern: (apply function: (constructor) @reference.type))
(apply function: [(variable) @reference.call (qualified id: (variable) @reference.call)])
(apply function: [(constructor) @reference.instance (qualified id: (constructor) @reference.instance)])
(infix operator: (infix_id [(variable) @reference.call (qualified id: (variable) @reference.call)]))
((infix left_operand: [(variable) @reference.call (qualified id: (variable) @reference.call)] operator: (operator) @_apply)
  (#any-of? @_apply "$" "$!" "." "<$>" "=<<" "<$!>"))
((infix operator: (operator) @_apply right_operand: [(variable) @reference.call (qualified id: (variable) @reference.call)])
  (#any-of? @_apply "." ">>=" "&" ">=>" "<&>"))
((infix operator: (operator) @reference.call)
  (#not-match? @reference.call
    "^([$+*/<>^&.-]|[=/<>]=|&&|[|][|]|<>|[+][+]|<[$*&]>|>>=?|=<<|<[$*]|[$*]>|!!|[$]!|<[|]>|>=>|[*][*]|[$^][$^])$"))
(exp [(variable) @reference.call (qualified id: (variable) @reference.call)])
(do statement: (bind expression: [(variable) @reference.call (qualified id: (variable) @reference.call)]))
(record expression: (constructor) @reference.instance)
(record expression: (constructor) @holder field: (field_update field: (field_name (variable) @reference.write)))
(field_update field: (field_name (variable) @reference.write))
(name) @reference.type

[(comment) (pragma) (cpp)] @comment
(haddock) @doc
