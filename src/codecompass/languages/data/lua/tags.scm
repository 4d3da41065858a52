; Names bound by require() are imports, not definitions.
(chunk (variable_declaration (assignment_statement
  (variable_list . name: (identifier) @name @definition.none .)
  (expression_list . value: [
    (function_call name: (identifier) @_require)
    (dot_index_expression table: (function_call name: (identifier) @_require))]))
  (#eq? @_require "require")))

; A key that is worked out is no name.
(field "[" name: (identifier) @name @definition.none @reference.read)

; Functions: by their own name, as members of a table, as values of names and fields.
(function_declaration "local" @visibility.private name: (identifier) @name body: (_) @body) @definition.fn
(function_declaration name: (identifier) @name body: (_) @body) @definition.fn
(function_declaration name: (dot_index_expression table: (_) @scope field: (identifier) @name) body: (_) @body) @definition.fn
(function_declaration name: (method_index_expression table: (_) @scope method: (identifier) @name) body: (_) @body) @definition.method
(variable_declaration . "local" @visibility.private (assignment_statement
  (variable_list . name: (identifier) @name .)
  (expression_list . value: (function_definition body: (_) @body) .))) @definition.fn
(assignment_statement
  (variable_list . name: (identifier) @name .)
  (expression_list . value: (function_definition body: (_) @body) .)) @definition.fn
(assignment_statement
  (variable_list . name: (dot_index_expression table: [(identifier) (dot_index_expression)] @scope field: (identifier) @name) .)
  (expression_list . value: (function_definition body: (_) @body) .)) @definition.fn
(field name: (identifier) @name value: (function_definition body: (_) @body)) @definition.fn
(field name: (string content: (string_content) @name) value: (function_definition body: (_) @body)) @definition.fn
; The same without anything inside.
(function_declaration "local" @visibility.private name: (identifier) @name "end" @body) @definition.fn
(function_declaration name: (identifier) @name "end" @body) @definition.fn
(function_declaration name: (dot_index_expression table: (_) @scope field: (identifier) @name) "end" @body) @definition.fn
(function_declaration name: (method_index_expression table: (_) @scope method: (identifier) @name) "end" @body) @definition.method
(variable_declaration . "local" @visibility.private (assignment_statement
  (variable_list . name: (identifier) @name .)
  (expression_list . value: (function_definition "end" @body) .))) @definition.fn
(assignment_statement
  (variable_list . name: (identifier) @name .)
  (expression_list . value: (function_definition "end" @body) .)) @definition.fn
(assignment_statement
  (variable_list . name: (dot_index_expression table: [(identifier) (dot_index_expression)] @scope field: (identifier) @name) .)
  (expression_list . value: (function_definition "end" @body) .)) @definition.fn
(field name: (identifier) @name value: (function_definition "end" @body)) @definition.fn
(field name: (string content: (string_content) @name) value: (function_definition "end" @body)) @definition.fn

; Variables of the file, and the fields of its tables.
(chunk (variable_declaration . "local" @visibility.private (assignment_statement (variable_list
  name: (identifier) @name . attribute: (attribute (identifier) @_constant))) (#eq? @_constant "const")) @definition.const)
(chunk (variable_declaration . "local" @visibility.private (assignment_statement (variable_list . name: (identifier) @name .))
  (#match? @name "^[A-Z][A-Z0-9_]+$")) @definition.const)
(chunk (assignment_statement (variable_list . name: (identifier) @name .) (#match? @name "^[A-Z][A-Z0-9_]+$")) @definition.const)
(chunk (variable_declaration . "local" @visibility.private [
  (variable_list name: (identifier) @name)
  (assignment_statement (variable_list name: (identifier) @name) (expression_list . value: (table_constructor)? @body))]) @definition.var)
(chunk (assignment_statement
  (variable_list name: (identifier) @name)
  (expression_list . value: (table_constructor)? @body)) @definition.var)
(chunk (assignment_statement
  (variable_list . name: (dot_index_expression table: [(identifier) (dot_index_expression)] @scope field: (identifier) @name) .)
  (expression_list . value: (table_constructor)? @body)) @definition.field)
(chunk (variable_declaration (assignment_statement (expression_list value: (table_constructor
  (field name: [(identifier) @name (string content: (string_content) @name)] value: (table_constructor)? @body) @definition.field)))))
(chunk (assignment_statement (expression_list value: (table_constructor
  (field name: [(identifier) @name (string content: (string_content) @name)] value: (table_constructor)? @body) @definition.field))))
(chunk (return_statement (expression_list (table_constructor
  (field name: [(identifier) @name (string content: (string_content) @name)] value: (table_constructor)? @body) @definition.field))))

; References.
(chunk (variable_declaration (assignment_statement (expression_list value: (function_call
  name: (identifier) @_meta
  arguments: (arguments (table_constructor (field name: (identifier) @_index value: [
    (identifier) @reference.inherit (dot_index_expression field: (identifier) @reference.inherit)])))))
  (#eq? @_meta "setmetatable") (#eq? @_index "__index"))))
(variable_declaration (assignment_statement (variable_list name: (identifier) @reference.none)))
(function_call name: (identifier) @reference.none (#eq? @reference.none "require"))
(function_call name: [
  (identifier) @reference.call
  (dot_index_expression field: (identifier) @reference.call)
  (method_index_expression method: (identifier) @reference.call)])
(assignment_statement (variable_list name: [
  (identifier) @reference.write
  (dot_index_expression field: (identifier) @reference.write)]))

; Imports.
(variable_declaration (assignment_statement
  (variable_list . name: (identifier) @import.alias)
  (expression_list . value: [
    (function_call name: (identifier) @_require arguments: (arguments . (string content: (string_content) @import.module)))
    (dot_index_expression
      table: (function_call name: (identifier) @_require arguments: (arguments . (string content: (string_content) @import.module)))
      field: (identifier) @import.name)]))
  (#eq? @_require "require")) @import
(variable_declaration (assignment_statement
  (variable_list . (identifier) . name: (identifier) @import.alias)
  (expression_list . value: (function_call name: (identifier) @_try
    arguments: (arguments . (identifier) @_require . (string content: (string_content) @import.module)))))
  (#any-of? @_try "pcall" "xpcall") (#eq? @_require "require")) @import
((function_call name: (identifier) @_require arguments: (arguments . (string content: (string_content) @import.module))) @import
  (#any-of? @_require "require" "dofile" "loadfile"))

(comment) @comment
((comment) @doc (#match? @doc "^---([^-]|$)"))

; What is known of values.
(assignment_statement
  (variable_list . name: (identifier) @binding.name .)
  (expression_list . value: [(function_call) (identifier) (dot_index_expression) (string)] @binding.value .))
(chunk (return_statement (expression_list . [(identifier) (dot_index_expression)] @binding.module .)))
(chunk (return_statement (expression_list . (function_call
  name: (identifier) @_meta arguments: (arguments . (identifier) @binding.module)) .) (#eq? @_meta "setmetatable")))
(return_statement (expression_list . [(function_call) (identifier) (dot_index_expression)] @binding.result .))
