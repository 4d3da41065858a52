; What every dialect of the ECMAScript family shares; a language puts it before its own text with `inherits`.

; Names bound by require() or import() are imports, not definitions.
(variable_declarator name: (identifier) @name @definition.none
  value: [(call_expression function: (identifier) @_require arguments: (arguments . (string) .))
          (member_expression object: (call_expression function: (identifier) @_require arguments: (arguments . (string) .)))] (#eq? @_require "require"))
(variable_declarator name: (identifier) @name @definition.none
  value: (await_expression (call_expression function: (import))))
(variable_declarator name: (object_pattern [
    (shorthand_property_identifier_pattern) @name @definition.none
    (object_assignment_pattern left: (_) @name @definition.none)
    (pair_pattern value: [(identifier) @name @definition.none (assignment_pattern left: (_) @name @definition.none)])])
  value: [(call_expression function: (identifier) @_require arguments: (arguments . (string) .))
          (member_expression object: (call_expression function: (identifier) @_require arguments: (arguments . (string) .)))] (#eq? @_require "require"))
(variable_declarator name: (object_pattern [
    (shorthand_property_identifier_pattern) @name @definition.none
    (object_assignment_pattern left: (_) @name @definition.none)
    (pair_pattern value: [(identifier) @name @definition.none (assignment_pattern left: (_) @name @definition.none)])])
  value: (await_expression (call_expression function: (import))))

; functions and classes, at any depth
(function_declaration name: (identifier) @name body: (_) @body) @definition.fn
(generator_function_declaration name: (identifier) @name body: (_) @body) @definition.fn
(class_declaration name: (_) @name body: (_) @body) @definition.class

; default exports without a name of their own are called `default`
(export_statement . "default" @name @visibility.public value: [(arrow_function "=>" @body) (function_expression !name body: (_) @body) (generator_function !name body: (_) @body)]) @definition.fn
(export_statement . "default" @name @visibility.public value: (class !name body: (_) @body)) @definition.class
(export_statement . "default" @name @visibility.public value: (object) @body) @definition.const
(export_statement . "default" @name @visibility.public value: [(call_expression) (new_expression) (array) (string) (template_string)]) @definition.const

; re-exports, and names given by an export list
(export_statement . (export_clause (export_specifier alias: [(identifier) @name (string (string_fragment) @name)])) @visibility.public) @definition.use
(export_statement . (export_clause (export_specifier name: [(identifier) @name "default" @name] !alias)) @visibility.public source: (_)) @definition.use
(export_statement . (namespace_export (identifier) @name) @visibility.public) @definition.use
(export_statement . (export_clause (export_specifier name: (identifier) @exported)) !source)
(export_statement . "default" value: (identifier) @exported)

; variables of the module
(program (_ . (variable_declarator name: (identifier) @name
  value: [(arrow_function "=>" @body) (function_expression body: (_) @body) (generator_function body: (_) @body)])) @definition.fn)
(program (_ . (variable_declarator name: (identifier) @name value: (class body: (_) @body))) @definition.class)
(program (lexical_declaration kind: "const" (variable_declarator
  name: [
    (identifier) @name
    (object_pattern [
      (shorthand_property_identifier_pattern) @name
      (pair_pattern value: [(identifier) @name (assignment_pattern left: (identifier) @name)])
      (object_assignment_pattern left: (shorthand_property_identifier_pattern) @name)
      (rest_pattern (identifier) @name)])
    (array_pattern [(identifier) @name (assignment_pattern left: (identifier) @name) (rest_pattern (identifier) @name)])]
  value: (object)? @body)) @definition.const)
(program [(lexical_declaration (variable_declarator
  name: [
    (identifier) @name
    (object_pattern [
      (shorthand_property_identifier_pattern) @name
      (pair_pattern value: [(identifier) @name (assignment_pattern left: (identifier) @name)])
      (object_assignment_pattern left: (shorthand_property_identifier_pattern) @name)
      (rest_pattern (identifier) @name)])
    (array_pattern [(identifier) @name (assignment_pattern left: (identifier) @name) (rest_pattern (identifier) @name)])]
  value: (object)? @body)) (variable_declaration (variable_declarator
  name: [
    (identifier) @name
    (object_pattern [
      (shorthand_property_identifier_pattern) @name
      (pair_pattern value: [(identifier) @name (assignment_pattern left: (identifier) @name)])
      (object_assignment_pattern left: (shorthand_property_identifier_pattern) @name)
      (rest_pattern (identifier) @name)])
    (array_pattern [(identifier) @name (assignment_pattern left: (identifier) @name) (rest_pattern (identifier) @name)])]
  value: (object)? @body))] @definition.var)

; exported variables
(export_statement declaration: (_ . (variable_declarator name: (identifier) @name
  value: [(arrow_function "=>" @body) (function_expression body: (_) @body) (generator_function body: (_) @body)])) @definition.fn)
(export_statement declaration: (_ . (variable_declarator name: (identifier) @name value: (class body: (_) @body))) @definition.class)
(export_statement declaration: (lexical_declaration kind: "const" (variable_declarator
  name: [
    (identifier) @name
    (object_pattern [
      (shorthand_property_identifier_pattern) @name
      (pair_pattern value: [(identifier) @name (assignment_pattern left: (identifier) @name)])
      (object_assignment_pattern left: (shorthand_property_identifier_pattern) @name)
      (rest_pattern (identifier) @name)])
    (array_pattern [(identifier) @name (assignment_pattern left: (identifier) @name) (rest_pattern (identifier) @name)])]
  value: (object)? @body)) @definition.const)
(export_statement declaration: [(lexical_declaration (variable_declarator
  name: [
    (identifier) @name
    (object_pattern [
      (shorthand_property_identifier_pattern) @name
      (pair_pattern value: [(identifier) @name (assignment_pattern left: (identifier) @name)])
      (object_assignment_pattern left: (shorthand_property_identifier_pattern) @name)
      (rest_pattern (identifier) @name)])
    (array_pattern [(identifier) @name (assignment_pattern left: (identifier) @name) (rest_pattern (identifier) @name)])]
  value: (object)? @body)) (variable_declaration (variable_declarator
  name: [
    (identifier) @name
    (object_pattern [
      (shorthand_property_identifier_pattern) @name
      (pair_pattern value: [(identifier) @name (assignment_pattern left: (identifier) @name)])
      (object_assignment_pattern left: (shorthand_property_identifier_pattern) @name)
      (rest_pattern (identifier) @name)])
    (array_pattern [(identifier) @name (assignment_pattern left: (identifier) @name) (rest_pattern (identifier) @name)])]
  value: (object)? @body))] @definition.var)

; methods of an object of the module
(program (_ . (variable_declarator value: (object (method_definition ["get" "set"] name: [(property_identifier) @name (private_property_identifier) @name (computed_property_name) @name (string (string_fragment) @name)] body: (_) @body) @definition.property))))
(program (_ . (variable_declarator value: (object [
  (method_definition name: [(property_identifier) @name (private_property_identifier) @name (computed_property_name) @name (string (string_fragment) @name)] body: (_) @body) @definition.method
  (pair key: [(property_identifier) @name (private_property_identifier) @name (computed_property_name) @name (string (string_fragment) @name)] value: [(arrow_function "=>" @body) (function_expression body: (_) @body) (generator_function body: (_) @body)]) @definition.method]))))
; of an exported object
(export_statement declaration: (_ . (variable_declarator value: (object (method_definition ["get" "set"] name: [(property_identifier) @name (private_property_identifier) @name (computed_property_name) @name (string (string_fragment) @name)] body: (_) @body) @definition.property))))
(export_statement declaration: (_ . (variable_declarator value: (object [
  (method_definition name: [(property_identifier) @name (private_property_identifier) @name (computed_property_name) @name (string (string_fragment) @name)] body: (_) @body) @definition.method
  (pair key: [(property_identifier) @name (private_property_identifier) @name (computed_property_name) @name (string (string_fragment) @name)] value: [(arrow_function "=>" @body) (function_expression body: (_) @body) (generator_function body: (_) @body)]) @definition.method]))))
; of the default export
(export_statement value: (object (method_definition ["get" "set"] name: [(property_identifier) @name (private_property_identifier) @name (computed_property_name) @name (string (string_fragment) @name)] body: (_) @body) @definition.property))
(export_statement value: (object [
  (method_definition name: [(property_identifier) @name (private_property_identifier) @name (computed_property_name) @name (string (string_fragment) @name)] body: (_) @body) @definition.method
  (pair key: [(property_identifier) @name (private_property_identifier) @name (computed_property_name) @name (string (string_fragment) @name)] value: [(arrow_function "=>" @body) (function_expression body: (_) @body) (generator_function body: (_) @body)]) @definition.method]))
; imports
(import_statement "import" . source: (string) @import.module) @import
(import_statement (import_clause (identifier) @import.default) source: (string) @import.module) @import
(import_statement (import_clause (named_imports (import_specifier name: (_) @import.name !alias))) source: (string) @import.module) @import
(import_statement (import_clause (named_imports (import_specifier name: [(_) "default"] @import.name alias: (_) @import.alias))) source: (string) @import.module) @import
(import_statement (import_clause (namespace_import "*" @import.name (identifier) @import.alias)) source: (string) @import.module) @import
(export_statement . "*" @import.name source: (string) @import.module) @import
(export_statement . (namespace_export "*" @import.name (_) @import.alias) source: (string) @import.module) @import
(export_statement . (export_clause (export_specifier name: [(_) "default"] @import.name !alias)) source: (string) @import.module) @import
(export_statement . (export_clause (export_specifier name: [(_) "default"] @import.name alias: [(identifier) @import.alias (string (string_fragment) @import.alias)])) source: (string) @import.module) @import
(call_expression function: (import) arguments: (arguments . (string) @import.module)) @import
(variable_declarator name: (identifier) @import.alias
  value: (await_expression (call_expression function: (import) arguments: (arguments . (string) @import.module)) @import))
(variable_declarator name: (object_pattern [(shorthand_property_identifier_pattern) @import.name
    (object_assignment_pattern left: (_) @import.name)])
  value: (await_expression (call_expression function: (import) arguments: (arguments . (string) @import.module)) @import))
((call_expression function: (identifier) @_require arguments: (arguments . (string) @import.module .)) @import (#eq? @_require "require"))
(variable_declarator name: (identifier) @import.alias
  value: (call_expression function: (identifier) @_require arguments: (arguments . (string) @import.module .)) @import (#eq? @_require "require"))
(variable_declarator name: (object_pattern [(shorthand_property_identifier_pattern) @import.name
    (object_assignment_pattern left: (_) @import.name)])
  value: (call_expression function: (identifier) @_require arguments: (arguments . (string) @import.module .)) @import (#eq? @_require "require"))
(variable_declarator name: (object_pattern (pair_pattern key: (property_identifier) @import.name
    value: [(identifier) @import.alias (assignment_pattern left: (_) @import.alias)]))
  value: (call_expression function: (identifier) @_require arguments: (arguments . (string) @import.module .)) @import (#eq? @_require "require"))
(variable_declarator name: (identifier) @import.alias value: (member_expression
  object: (call_expression function: (identifier) @_require arguments: (arguments . (string) @import.module .)) @import
  property: (property_identifier) @import.name) (#eq? @_require "require"))

; references
(import_specifier name: (identifier) @reference.import)
(import_clause (identifier) @reference.import)
(export_statement . (export_clause (export_specifier name: (identifier) @reference.import)) source: (_))
(export_specifier name: (identifier) @reference.read)
(export_statement value: (identifier) @reference.read)
(decorator (identifier) @reference.decorator)
(decorator (member_expression property: (property_identifier) @reference.decorator))
(decorator (call_expression function: (identifier) @reference.decorator))
(decorator (call_expression function: (member_expression property: (property_identifier) @reference.decorator)))
(throw_statement (new_expression constructor: (identifier) @reference.throw))
(throw_statement (new_expression constructor: (member_expression property: (property_identifier) @reference.throw)))
(call_expression function: (identifier) @reference.call)
(call_expression function: (member_expression property: (_) @reference.call))
(new_expression constructor: (identifier) @reference.instance)
(new_expression constructor: (member_expression property: (property_identifier) @reference.instance))
(assignment_expression left: [(identifier) @reference.write (member_expression property: (_) @reference.write)])
(augmented_assignment_expression left: [(identifier) @reference.write (member_expression property: (_) @reference.write)])
(update_expression argument: [(identifier) @reference.write (member_expression property: (_) @reference.write)])
; fields that are given or taken by name
(variable_declarator name: (object_pattern [
    (shorthand_property_identifier_pattern) @reference.read
    (object_assignment_pattern left: (shorthand_property_identifier_pattern) @reference.read)
    (pair_pattern key: (property_identifier) @reference.read)])
  value: [(identifier) (member_expression) (call_expression) (await_expression) (this)] @holder)
(binary_expression operator: "instanceof" right: [(identifier) @reference.type (member_expression property: (_) @reference.type)])

(comment) @comment
((comment) @doc (#match? @doc "^/[*][*]"))

; what is known of values
(variable_declarator name: (identifier) @binding.name
  value: [(call_expression) (new_expression) (identifier) (member_expression) (await_expression) (string) (template_string) (array) (subscript_expression)] @binding.value)
(variable_declarator name: (object_pattern [
    (shorthand_property_identifier_pattern) @binding.name
    (object_assignment_pattern left: (shorthand_property_identifier_pattern) @binding.name)])
  value: [(identifier) (member_expression) (call_expression) (await_expression) (this)] @binding.part)
(assignment_expression left: (member_expression object: (this) property: (_) @binding.member)
  right: [(call_expression) (new_expression) (identifier) (member_expression) (await_expression)] @binding.value)
(for_in_statement left: (identifier) @binding.name operator: "of" right: [(identifier) (member_expression) (call_expression)] @binding.item)
(function_declaration body: (statement_block (return_statement [(call_expression) (new_expression) (identifier) (member_expression)] @binding.result)))
(method_definition body: (statement_block (return_statement [(call_expression) (new_expression) (identifier) (member_expression) (this)] @binding.result)))
(variable_declarator value: (arrow_function body: [(call_expression) (new_expression) (member_expression)] @binding.result))
(variable_declarator value: (arrow_function body: (statement_block (return_statement [(call_expression) (new_expression) (identifier) (member_expression)] @binding.result))))
(export_statement . "default" @binding.name value: (identifier) @binding.value)
(export_statement (export_clause (export_specifier name: (identifier) @binding.value alias: (identifier) @binding.name)) !source)
