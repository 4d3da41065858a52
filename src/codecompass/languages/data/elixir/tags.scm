; Modules, protocols and what implements them.
((call target: (identifier) @_define (arguments . (alias) @name) (do_block) @body) @definition.mod (#eq? @_define "defmodule"))
((call target: (identifier) @_define (arguments . (alias) @name) (do_block) @body) @definition.interface (#eq? @_define "defprotocol"))
((call target: (identifier) @_define (arguments . (alias) @name @definition.none (keywords (pair key: (keyword) @_for value: (alias)))))
  (#eq? @_define "defimpl") (#match? @_for "^for:"))
((call target: (identifier) @_define (arguments . (alias) (keywords (pair key: (keyword) @_for value: (alias) @name))) (do_block) @body) @definition.impl
  (#eq? @_define "defimpl") (#match? @_for "^for:"))
((call target: (identifier) @_define (arguments . (alias) @name) (do_block) @body) @definition.impl (#eq? @_define "defimpl"))

; Functions, macros and guards; `when` stands between head and body.
((call target: (identifier) @modifier (arguments . [
    (call target: (identifier) @name)
    (identifier) @name
    (binary_operator left: [(call target: (identifier) @name) (identifier) @name] operator: "when")] (keywords)? @body) (do_block)? @body) @definition.fn
  (#any-of? @modifier "def" "defp" "defn" "defnp"))
((call target: (identifier) @modifier (arguments . [
    (call target: (identifier) @name)
    (identifier) @name
    (binary_operator left: [(call target: (identifier) @name) (identifier) @name] operator: "when")] (keywords)? @body) (do_block)? @body) @definition.macro
  (#any-of? @modifier "defmacro" "defmacrop" "defguard" "defguardp"))
((call target: (identifier) @modifier (arguments . [(identifier) @name (call target: (identifier) @name)])) @definition.fn
  (#eq? @modifier "defdelegate"))
((call target: (identifier) @modifier (arguments . (binary_operator operator: _ @name) (keywords)? @body) (do_block)? @body) @definition.fn
  (#any-of? @modifier "def" "defp") (#not-eq? @name "when"))
((call target: (identifier) @modifier (arguments . (binary_operator operator: _ @name) (keywords)? @body) (do_block)? @body) @definition.macro
  (#any-of? @modifier "defmacro" "defmacrop") (#not-eq? @name "when"))

; Tests are functions that go by a sentence.
((call target: (identifier) @_define (arguments . [
  (string . (quoted_content) @name .) (string . (_) @name (_) @name.end .)]) (do_block) @body) @definition.fn
  (#eq? @_define "test"))

; What a module says of itself with attributes: types, callbacks, constants.
((unary_operator operator: "@" operand: (call target: (identifier) @modifier (arguments . (binary_operator
  left: [(identifier) @name (call target: (identifier) @name)] operator: "::")))) @definition.type
  (#any-of? @modifier "type" "opaque" "typep"))
((unary_operator operator: "@" operand: (call target: (identifier) @_word (arguments . [
  (binary_operator left: (call target: (identifier) @name))
  (binary_operator left: (binary_operator left: (call target: (identifier) @name)))]))) @definition.fn
  (#any-of? @_word "callback" "macrocallback"))
((unary_operator operator: "@" operand: (call target: (identifier) @name @definition.none @reference.none))
  (#any-of? @name
    "moduledoc" "doc" "typedoc" "spec" "type" "typep" "opaque" "callback" "macrocallback" "optional_callbacks" "behaviour" "impl"
    "derive" "enforce_keys" "before_compile" "after_compile" "after_verify" "on_definition" "on_load" "compile" "dialyzer"
    "external_resource" "deprecated" "since" "vsn" "file" "nifs" "tag" "moduletag" "describetag" "shortdoc" "fallback_to_any"
    "preferred_cli_env" "requirements" "recursive" "undefined_impl_description"))
(unary_operator operator: "@" operand: (call target: (identifier) @name @visibility.private (arguments))) @definition.const

; Fields of a struct or an exception.
((call target: (identifier) @_define (arguments [
  (keywords (pair key: (keyword) @name) @definition.field)
  (list [(atom) @name @definition.field (keywords (pair key: (keyword) @name) @definition.field)])]))
  (#any-of? @_define "defstruct" "defexception"))

; Imports.
((call target: (identifier) @_import (arguments . (alias) @import.module @reference.import)) @import
  (#any-of? @_import "alias" "require" "use"))
((call target: (identifier) @_import (arguments . (alias) @import.module @reference.import
    (keywords (pair key: (keyword) @_as value: (alias) @import.alias @reference.none)))) @import
  (#any-of? @_import "alias" "require") (#match? @_as "^as:"))
((call target: (identifier) @_import (arguments . (dot left: (alias) @import.module right: (tuple (alias) @import.name @reference.import)))) @import
  (#any-of? @_import "alias" "require" "use" "import"))
((call target: (identifier) @_import @import.star (arguments . (alias) @import.module @reference.import)) @import
  (#eq? @_import "import"))

; References. Words that only declare something are no calls worth a mention.
((call target: (identifier) @reference.none)
  (#any-of? @reference.none
    "defmodule" "defprotocol" "defimpl" "def" "defp" "defmacro" "defmacrop" "defguard" "defguardp" "defdelegate" "defn" "defnp"
    "defstruct" "defexception" "defoverridable" "alias" "import" "require" "use" "raise" "reraise"
    "if" "unless" "case" "cond" "with" "for" "fn" "quote" "unquote" "unquote_splicing" "try" "receive" "super"))
((unary_operator operator: "@" operand: (call target: (identifier) @_word (arguments . (alias) @reference.inherit)))
  (#eq? @_word "behaviour"))
((call target: (identifier) @_define (arguments . (alias) @reference.inherit)) (#eq? @_define "defimpl"))
((call target: (identifier) @_raise (arguments . [(alias) @reference.throw (map (struct (alias) @reference.throw))]))
  (#any-of? @_raise "raise" "reraise"))
; What is matched with is a type, what stands elsewhere makes one.
(binary_operator left: (map (struct (alias) @reference.type)) operator: "=")
(struct (alias) @reference.instance)
((unary_operator operator: "@" operand: (call target: (identifier) @_word (arguments (binary_operator
  left: (call target: (identifier) @reference.none (arguments [(identifier) @reference.type _])?) operator: "::"))))
  (#any-of? @_word "spec" "callback" "macrocallback"))
((unary_operator operator: "@" operand: (call target: (identifier) @_word (arguments (binary_operator
  operator: "::" right: (identifier) @reference.type))))
  (#any-of? @_word "spec" "callback" "macrocallback" "type" "typep" "opaque"))
((call target: (dot left: (alias) right: (identifier) @reference.type)) (#eq? @reference.type "t"))
(unary_operator operator: "@" operand: (call target: (identifier) @reference.write))
(unary_operator operator: "&" operand: (binary_operator left: (identifier) @reference.call operator: "/"))
(binary_operator operator: "|>" right: (identifier) @reference.call)
(call target: [(identifier) @reference.call (dot right: (identifier) @reference.call)])
(dot left: (alias) @reference.type)

(comment) @comment
((unary_operator operator: "@" operand: (call target: (identifier) @_word (arguments . [(string) (sigil)] @doc)))
  (#any-of? @_word "doc" "moduledoc" "typedoc"))
