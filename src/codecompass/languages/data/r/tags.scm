; Classes. One that is assigned goes by the name it is given.
((binary_operator
  lhs: (identifier)
  rhs: (call
    function: [(identifier) @_class (namespace_operator rhs: (identifier) @_class)]
    arguments: (arguments . (argument value: (string content: (string_content) @name @definition.none)))))
  (#any-of? @_class "setClass" "setRefClass" "R6Class" "new_class" "ggproto"))
((binary_operator
  lhs: (identifier) @name
  rhs: (call
    function: [(identifier) @_class (namespace_operator rhs: (identifier) @_class)]
    arguments: (arguments) @body)) @definition.class
  (#any-of? @_class "setClass" "setRefClass" "R6Class" "new_class" "ggproto"))
((call
  function: [(identifier) @_class (namespace_operator rhs: (identifier) @_class)]
  arguments: (arguments . (argument value: (string content: (string_content) @name)))) @definition.class
  (#any-of? @_class "setClass" "setRefClass" "setClassUnion"))
((call
  function: [(identifier) @_class (namespace_operator rhs: (identifier) @_class)]
  arguments: (arguments (argument
    name: (identifier) @_part
    value: (call arguments: (arguments (argument
      name: (identifier) @name
      value: (function_definition body: (_) @body)) @definition.method)))))
  (#any-of? @_class "R6Class" "setRefClass")
  (#any-of? @_part "public" "methods"))
((call
  function: [(identifier) @_class (namespace_operator rhs: (identifier) @_class)]
  arguments: (arguments (argument
    name: (identifier) @_part
    value: (call arguments: (arguments (argument
      name: (identifier) @name @visibility.private
      value: (function_definition body: (_) @body)) @definition.method)))))
  (#eq? @_class "R6Class")
  (#eq? @_part "private"))
((call
  function: [(identifier) @_class (namespace_operator rhs: (identifier) @_class)]
  arguments: (arguments (argument
    name: (identifier) @_part
    value: (call arguments: (arguments (argument name: (identifier) @name) @definition.property)))))
  (#eq? @_class "R6Class")
  (#eq? @_part "active"))
((call
  function: [(identifier) @_class (namespace_operator rhs: (identifier) @_class)]
  arguments: (arguments (argument
    name: (identifier) @_part
    value: (call arguments: (arguments (argument name: (identifier) @name @visibility.private) @definition.field)))))
  (#eq? @_class "R6Class")
  (#eq? @_part "private"))
((call
  function: [(identifier) @_class (namespace_operator rhs: (identifier) @_class)]
  arguments: (arguments (argument
    name: (identifier) @_part
    value: (call arguments: (arguments (argument name: (identifier) @name) @definition.field)))))
  (#any-of? @_class "R6Class" "setRefClass" "setClass")
  (#any-of? @_part "public" "fields" "slots" "representation"))
((call
  function: (identifier) @_class
  arguments: (arguments (argument
    !name
    value: (call
      function: (identifier) @_slots
      arguments: (arguments (argument name: (identifier) @name) @definition.field)))))
  (#eq? @_class "setClass")
  (#eq? @_slots "representation"))
((call
  function: (extract_operator lhs: (identifier) @scope rhs: (identifier) @_methods)
  arguments: (arguments (argument name: (identifier) @name value: (function_definition body: (_) @body)) @definition.method))
  (#eq? @_methods "methods"))

; Generics and their methods.
((call
  function: (identifier) @_generic
  arguments: (arguments
    . (argument value: (string content: (string_content) @name))
    (argument value: (function_definition body: (_) @body))?)) @definition.fn
  (#eq? @_generic "setGeneric"))
((call
  function: (identifier) @_method
  arguments: (arguments
    . (argument value: (string content: (string_content) @name))
    . (comma)
    . (argument value: [
      (string content: (string_content) @scope)
      (call arguments: (arguments . (argument value: (string content: (string_content) @scope))))])
    (argument value: (function_definition body: (_) @body)))) @definition.method
  (#any-of? @_method "setMethod" "setReplaceMethod"))

; Functions, then values of the file. A dot before a name hides it.
((binary_operator
  lhs: [(identifier) @name @visibility.private (string content: (string_content) @name @visibility.private)]
  operator: ["<-" "=" "<<-"]
  rhs: (function_definition body: (_) @body)) @definition.fn
  (#match? @name "^[.]"))
(binary_operator
  lhs: [(identifier) @name (string content: (string_content) @name)]
  operator: ["<-" "=" "<<-"]
  rhs: (function_definition body: (_) @body)) @definition.fn
((binary_operator
  lhs: (extract_operator lhs: (identifier) @scope rhs: (identifier) @name)
  operator: ["<-" "=" "<<-"]
  rhs: (function_definition body: (_) @body)) @definition.fn
  (#not-match? @scope "^(self|private)$"))
((program (binary_operator
  lhs: (identifier) @name @visibility.private
  operator: ["<-" "=" "<<-"] @body
  rhs: (_)) @definition.var)
  (#match? @name "^[.]"))
(program (binary_operator lhs: (identifier) @name operator: ["<-" "=" "<<-"] @body rhs: (_)) @definition.var)
(program (binary_operator lhs: (_) operator: ["->" "->>"] rhs: (identifier) @name) @definition.var)

; Imports.
((call
  function: (identifier) @_import
  arguments: (arguments . (argument value: [(identifier) @import.module (string content: (string_content) @import.module)]))) @import
  (#any-of? @_import "library" "require" "requireNamespace" "loadNamespace" "source" "import"))
((call
  function: (identifier) @_import
  arguments: (arguments
    . (argument value: [(identifier) @import.module (string content: (string_content) @import.module)])
    (argument value: [(identifier) @import.name (string content: (string_content) @import.name)]))) @import
  (#eq? @_import "importFrom"))
((call
  function: (identifier) @reference.none
  arguments: (arguments . (argument value: [
    (identifier) @reference.import
    (string content: (string_content) @reference.import)])))
  (#any-of? @reference.none "library" "require" "requireNamespace" "loadNamespace" "import" "importFrom"))

; References.
((argument name: (identifier) @_above value: [
  (string content: (string_content) @reference.inherit)
  (identifier) @reference.inherit
  (namespace_operator rhs: (identifier) @reference.inherit)])
  (#any-of? @_above "contains" "inherit"))
((call
  function: (identifier) @_new
  arguments: (arguments . (argument value: (string content: (string_content) @reference.instance))))
  (#eq? @_new "new"))
((call function: (extract_operator
  lhs: [(identifier) @reference.instance (namespace_operator rhs: (identifier) @reference.instance)]
  rhs: (identifier) @_new))
  (#eq? @_new "new"))
; Words that only declare something are no calls worth a mention.
((call function: [(identifier) @reference.none (namespace_operator rhs: (identifier) @reference.none)])
  (#any-of? @reference.none
    "setClass" "setRefClass" "setClassUnion" "R6Class" "setGeneric" "setMethod" "setReplaceMethod" "representation" "source"))
((call
  function: (identifier) @_raise
  arguments: (arguments . (argument value: (call function: (identifier) @reference.throw))))
  (#any-of? @_raise "stop" "abort" "signalCondition"))
(call function: [
  (identifier) @reference.call
  (extract_operator rhs: (identifier) @reference.call)
  (namespace_operator rhs: (identifier) @reference.call)])
(binary_operator lhs: (identifier) @reference.write operator: "<<-")
(binary_operator lhs: (extract_operator rhs: (identifier) @reference.write) operator: ["<-" "=" "<<-"])

((comment) @doc (#match? @doc "^#'"))
(comment) @comment
