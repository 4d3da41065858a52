; Containers. `Struct.new` and `Class.new` make one under the name of a constant.
(module name: (constant) @name body: (_) @body) @definition.mod
(module name: (scope_resolution scope: (_) @scope name: (constant) @name) body: (_) @body) @definition.mod
(module name: (constant) @name "end" @body) @definition.mod
(class name: (constant) @name body: (_) @body) @definition.class
(class name: (scope_resolution scope: (_) @scope name: (constant) @name) body: (_) @body) @definition.class
(class name: (constant) @name "end" @body) @definition.class
(assignment
  left: (constant) @name
  right: (call
    receiver: (constant) @_maker
    method: (identifier) @_new
    block: (_)? @body
    (#any-of? @_maker "Struct" "Data")
    (#any-of? @_new "new" "define"))) @definition.struct
(assignment
  left: (constant) @name
  right: (call receiver: (constant) @_maker method: (identifier) @_new block: (_)? @body
    (#eq? @_maker "Class")
    (#eq? @_new "new"))) @definition.class
(assignment
  left: (constant) @name
  right: (call receiver: (constant) @_maker method: (identifier) @_new block: (_)? @body
    (#eq? @_maker "Module")
    (#eq? @_new "new"))) @definition.mod
(call
  receiver: (constant) @_maker
  method: (identifier) @_new
  arguments: (argument_list (simple_symbol) @name @definition.property)
  (#any-of? @_maker "Struct" "Data")
  (#any-of? @_new "new" "define"))

; Methods, alone or behind a word that says who may call them.
(call
  method: (identifier) @modifier
  arguments: (argument_list (method name: (_) @name body: (_) @body))
  (#any-of? @modifier "private" "protected" "public" "module_function")) @definition.fn
(call
  method: (identifier) @modifier
  arguments: (argument_list (singleton_method name: (_) @name body: (_) @body))
  (#eq? @modifier "private_class_method")) @definition.fn
(call
  method: (identifier) @modifier
  arguments: (argument_list (method name: (_) @name "end" @body))
  (#any-of? @modifier "private" "protected" "public" "module_function")) @definition.fn
(method name: (_) @name body: (_) @body) @definition.fn
(method name: (_) @name "end" @body) @definition.fn
(singleton_method object: (self) @modifier name: (_) @name body: (_) @body) @definition.fn
(singleton_method object: (self) @modifier name: (_) @name "end" @body) @definition.fn
(singleton_method object: (constant) @scope name: (_) @name body: (_) @body) @definition.fn
(singleton_method name: (_) @name body: (_) @body) @definition.fn
(singleton_method name: (_) @name "end" @body) @definition.fn
(alias name: (_) @name) @definition.fn
(call
  method: (identifier) @_alias
  arguments: (argument_list . (simple_symbol) @name)
  (#eq? @_alias "alias_method")) @definition.fn
(call
  method: (identifier) @_define
  arguments: (argument_list . (simple_symbol) @name)
  block: (_) @body
  (#any-of? @_define "define_method" "define_singleton_method")) @definition.fn
(call
  method: (identifier) @modifier
  arguments: (argument_list (call
    method: (identifier) @_attr
    arguments: (argument_list (simple_symbol) @name)))
  (#any-of? @modifier "private" "protected" "public")
  (#any-of? @_attr "attr_accessor" "attr_reader" "attr_writer" "attr")) @definition.property
(call
  !receiver
  method: (identifier) @_attr
  arguments: (argument_list (simple_symbol) @name)
  (#any-of? @_attr "attr_accessor" "attr_reader" "attr_writer" "attr")) @definition.property

; Constants and globals.
(assignment left: (constant) @name) @definition.const
(assignment left: (scope_resolution scope: (_) @scope name: (constant) @name)) @definition.const
(assignment left: (left_assignment_list (constant) @name)) @definition.const
(program (assignment left: (global_variable) @name) @definition.var)

; References. Words that only declare something are no calls worth a mention.
(call
  !receiver
  method: (identifier) @reference.none
  (#any-of? @reference.none
    "require" "require_relative" "load" "autoload" "include" "extend" "prepend" "attr_accessor" "attr_reader" "attr_writer"
    "private" "protected" "public" "private_constant" "private_class_method" "module_function" "alias_method"
    "define_method" "raise"))
((body_statement (identifier) @reference.none)
  (#any-of? @reference.none "private" "protected" "public" "module_function"))
(superclass (constant) @reference.inherit)
(superclass (scope_resolution name: (constant) @reference.inherit))
; What a block mixes in is no part of the type around the block.
(class body: (body_statement (call
  !receiver
  method: (identifier) @_mix
  arguments: (argument_list [(constant) @reference.inherit (scope_resolution name: (constant) @reference.inherit)]))
  (#any-of? @_mix "include" "extend" "prepend")))
(module body: (body_statement (call
  !receiver
  method: (identifier) @_mix
  arguments: (argument_list [(constant) @reference.inherit (scope_resolution name: (constant) @reference.inherit)]))
  (#any-of? @_mix "include" "extend" "prepend")))
(assignment left: (constant) right: (call
  receiver: (constant) @_maker
  method: (identifier) @_new
  arguments: (argument_list . [(constant) @reference.inherit (scope_resolution name: (constant) @reference.inherit)])
  (#eq? @_maker "Class")
  (#eq? @_new "new")))
(call
  !receiver
  method: (identifier) @_raise
  arguments: (argument_list . [
    (constant) @reference.throw
    (scope_resolution name: (constant) @reference.throw)
    (call receiver: (constant) @reference.throw)
    (call receiver: (scope_resolution name: (constant) @reference.throw))
  ])
  (#any-of? @_raise "raise" "fail"))
(call
  receiver: [(constant) @reference.instance (scope_resolution name: (constant) @reference.instance)]
  method: (identifier) @_new
  (#eq? @_new "new"))
(assignment left: (call method: (identifier) @reference.write))
(operator_assignment left: (call method: (identifier) @reference.write))
(assignment left: (instance_variable) @reference.write)
(operator_assignment left: (instance_variable) @reference.write)
(operator_assignment left: (constant) @reference.write)
(call method: (identifier) @reference.call)
(call method: (constant) @reference.call)
(body_statement (identifier) @reference.call . (_))
(method !parameters body: (body_statement . (identifier) @reference.call))
(singleton_method !parameters body: (body_statement . (identifier) @reference.call))
(block_argument (simple_symbol) @reference.call)
(alias alias: (_) @reference.read)
(call
  method: (identifier) @_alias
  arguments: (argument_list (simple_symbol) . (simple_symbol) @reference.read)
  (#eq? @_alias "alias_method"))
(call receiver: (constant) @reference.type)
(call receiver: (scope_resolution name: (constant) @reference.type))
(scope_resolution scope: (constant) @reference.type)
(exceptions (constant) @reference.type)
(exceptions (scope_resolution name: (constant) @reference.type))
(constant) @reference.read

; Imports.
((call
  !receiver
  method: (identifier) @_require
  arguments: (argument_list . (string) @import.module)) @import
  (#any-of? @_require "require" "require_relative" "load"))
((call
  method: (identifier) @_require
  arguments: (argument_list . (simple_symbol) @import.name . (string) @import.module)) @import
  (#eq? @_require "autoload"))

(comment) @comment

; what is known of values
(assignment left: (identifier) @binding.name right: [(call) (identifier) (constant) (scope_resolution) (instance_variable) (string) (array) (hash)] @binding.value)
(operator_assignment left: (identifier) @binding.name operator: "||=" right: (call) @binding.value)
(assignment left: (instance_variable) @binding.member right: [(call) (identifier) (constant) (scope_resolution) (string) (array) (hash)] @binding.value)
(operator_assignment left: (instance_variable) @binding.member operator: "||=" right: [(call) (string) (array) (hash)] @binding.value)
(assignment left: (constant) @binding.name @binding.member right: [(call) (constant) (scope_resolution) (string) (array) (hash)] @binding.value)
(rescue exceptions: (exceptions . [(constant) (scope_resolution)] @binding.type .) variable: (exception_variable (identifier) @binding.name))
(method body: (body_statement [(call) (identifier) (constant) (instance_variable) (self)] @binding.result .))
(singleton_method body: (body_statement [(call) (identifier) (constant) (instance_variable) (self)] @binding.result .))
