; accessors: a decorator makes the function a property
(decorated_definition
  (decorator [(identifier) @_accessor (attribute attribute: (identifier) @_accessor)])
  definition: (function_definition name: (identifier) @name body: (_) @body) @definition.property
  (#any-of? @_accessor "property" "cached_property" "abstractproperty" "setter" "getter" "deleter"))

(class_definition name: (identifier) @name body: (_) @body) @definition.class
(function_definition name: (identifier) @name body: (_) @body) @definition.fn

; types by another name
(type_alias_statement left: (type [(identifier) @name (generic_type . (identifier) @name)])) @definition.type
(module (assignment left: (identifier) @name type: (type (identifier) @_alias)) @definition.type (#eq? @_alias "TypeAlias"))
(module (assignment left: (identifier) @name
  right: (call function: [(identifier) @_maker (attribute attribute: (identifier) @_maker)])) @definition.type
  (#any-of? @_maker "TypeVar" "NewType" "ParamSpec" "TypeVarTuple"))

; variables of the module
(module (assignment left: (identifier) @name right: (lambda body: (_) @body)) @definition.fn)
(module (assignment left: [
  (identifier) @name
  (pattern_list [(identifier) @name (list_splat_pattern (identifier) @name)])
  (tuple_pattern [(identifier) @name (list_splat_pattern (identifier) @name)])]) @definition.var)
(module (assignment right: (assignment left: (identifier) @name)) @definition.var)
(module (if_statement [
  (block (assignment left: (identifier) @name) @definition.var)
  (elif_clause (block (assignment left: (identifier) @name) @definition.var))
  (else_clause (block (assignment left: (identifier) @name) @definition.var))]))
(module (try_statement [
  (block (assignment left: (identifier) @name) @definition.var)
  (except_clause (block (assignment left: (identifier) @name) @definition.var))
  (else_clause (block (assignment left: (identifier) @name) @definition.var))
  (finally_clause (block (assignment left: (identifier) @name) @definition.var))]))
(module (with_statement body: (block (assignment left: (identifier) @name) @definition.var)))
(module (if_statement (block (if_statement (block (assignment left: (identifier) @name) @definition.var)))))
(module (if_statement (else_clause (block (try_statement [(block (assignment left: (identifier) @name) @definition.var) (except_clause (block (assignment left: (identifier) @name) @definition.var))])))))
(module (try_statement (except_clause (block (try_statement [(block (assignment left: (identifier) @name) @definition.var) (except_clause (block (assignment left: (identifier) @name) @definition.var))])))))

; fields of a class
(class_definition body: (block (assignment left: [
  (identifier) @name
  (pattern_list (identifier) @name)
  (tuple_pattern (identifier) @name)]) @definition.field))
(class_definition body: (block (assignment right: (assignment left: (identifier) @name)) @definition.field))
(class_definition body: (block (if_statement (block (assignment left: (identifier) @name) @definition.field))))

; fields that the constructor gives every object
(class_definition body: (block (function_definition name: (identifier) @_init body: (block
  (assignment left: (attribute object: (identifier) @_self attribute: (identifier) @name @hoist)) @definition.field)))
  (#eq? @_init "__init__") (#eq? @_self "self"))

; names the module publishes
(module (assignment left: (identifier) @_all right: [
  (list (string (string_content) @exported))
  (tuple (string (string_content) @exported))]) (#eq? @_all "__all__"))

; references
(decorator [(identifier) @reference.decorator (attribute attribute: (identifier) @reference.decorator)])
(decorator (call function: [(identifier) @reference.decorator (attribute attribute: (identifier) @reference.decorator)]))
(raise_statement . [
  (identifier) @reference.throw
  (attribute attribute: (identifier) @reference.throw)
  (call function: [(identifier) @reference.throw (attribute attribute: (identifier) @reference.throw)])])
(call function: [(identifier) @reference.call (attribute attribute: (identifier) @reference.call)])
(class_definition superclasses: (argument_list [
  (identifier) @reference.inherit
  (attribute attribute: (identifier) @reference.inherit)
  (keyword_argument value: (identifier) @reference.inherit)
  (keyword_argument value: (attribute attribute: (identifier) @reference.inherit))
  (subscript value: (identifier) @reference.inherit)
  (subscript value: (attribute attribute: (identifier) @reference.inherit))]))
(class_definition superclasses: (argument_list (subscript subscript: (identifier) @reference.type)))
; a base that a call makes from other types, by custom those with a capital, has their members
(class_definition superclasses: (argument_list (call arguments: (argument_list [
  (identifier) @reference.inherit
  (attribute attribute: (identifier) @reference.inherit)])
  (#match? @reference.inherit "^[A-Z]"))))
(class_definition superclasses: (argument_list (call function: (attribute object: (identifier) @reference.inherit))
  (#match? @reference.inherit "^[A-Z]")))
(type [
  (identifier) @reference.type
  (attribute attribute: (identifier) @reference.type)
  (generic_type . (identifier) @reference.type)
  (binary_operator (identifier) @reference.type)
  (subscript value: [(identifier) @reference.type (attribute attribute: (identifier) @reference.type)])])
(type (subscript subscript: [(identifier) @reference.type (attribute attribute: (identifier) @reference.type)]))
(type (string (string_content) @reference.type (#match? @reference.type "^[A-Za-z_][A-Za-z0-9_]*$")))
(except_clause value: [
  (identifier) @reference.type
  (attribute attribute: (identifier) @reference.type)
  (tuple [(identifier) @reference.type (attribute attribute: (identifier) @reference.type)])
  (as_pattern . [
    (identifier) @reference.type
    (attribute attribute: (identifier) @reference.type)
    (tuple [(identifier) @reference.type (attribute attribute: (identifier) @reference.type)])])])
(class_pattern (dotted_name (identifier) @reference.type .))
(assignment left: (attribute attribute: (identifier) @reference.write))
(augmented_assignment left: [(identifier) @reference.write (attribute attribute: (identifier) @reference.write)])
(keyword_argument name: (identifier) @reference.key "=" @holder)
(keyword_pattern (identifier) @reference.key "=" @holder)

; imports
(import_statement name: (dotted_name) @import.module) @import
(import_statement name: (aliased_import name: (dotted_name) @import.module alias: (identifier) @import.alias)) @import
(import_from_statement module_name: (_) @import.module name: (dotted_name) @import.name) @import
(import_from_statement module_name: (_) @import.module
  name: (aliased_import name: (dotted_name) @import.name alias: (identifier) @import.alias)) @import
(import_from_statement module_name: (_) @import.module (wildcard_import) @import.name) @import
(future_import_statement "__future__" @import.module name: (dotted_name) @import.name) @import
(import_from_statement name: [
  (dotted_name (identifier) @reference.import .)
  (aliased_import name: (dotted_name (identifier) @reference.import .))])
(import_statement name: [
  (dotted_name (identifier) @reference.import .)
  (aliased_import name: (dotted_name (identifier) @reference.import .))])

(comment) @comment
(module . (comment)* . (string) @doc)
(class_definition body: (block . (comment)* . (string) @doc))
(function_definition body: (block . (comment)* . (string) @doc))

; what is known of values
(typed_parameter . (identifier) @binding.name type: (type) @binding.type)
(typed_default_parameter name: (identifier) @binding.name type: (type) @binding.type)
(assignment left: (identifier) @binding.name type: (type) @binding.type)
(class_definition body: (block (assignment left: (identifier) @binding.member type: (type) @binding.type)))
(assignment left: (attribute object: (identifier) @_self attribute: (identifier) @binding.member) type: (type) @binding.type (#any-of? @_self "self" "cls"))
(assignment left: (identifier) @binding.name right: [(call) (identifier) (attribute) (await) (string) (list) (dictionary) (subscript)] @binding.value)
(assignment left: (attribute object: (identifier) @_self attribute: (identifier) @binding.member)
  right: [(call) (identifier) (attribute) (await) (string) (list) (dictionary) (subscript)] @binding.value (#any-of? @_self "self" "cls"))
(class_definition body: (block (assignment left: (identifier) @binding.member
  right: [(call) (identifier) (attribute) (string) (list) (dictionary)] @binding.value)))
; members that are set by name, on the type around or on one that it makes
(call function: (identifier) @_set arguments: (argument_list . (_) . (string (string_content) @binding.member) .
  [(call) (identifier) (attribute)] @binding.value .) (#eq? @_set "setattr"))
(call function: (attribute object: (identifier) @_type attribute: (identifier) @_set)
  arguments: (argument_list . (string (string_content) @binding.member) . [(call) (identifier) (attribute)] @binding.value .)
  (#any-of? @_type "cls" "self" "klass" "new_class") (#match? @_set "^(add|set|_*setattr)"))
(assignment left: (attribute object: (identifier) @_self attribute: (identifier) @binding.member)
  right: [(boolean_operator) (conditional_expression) (binary_operator) (lambda)] @binding.doubt (#any-of? @_self "self" "cls"))
(class_definition body: (block (assignment left: (identifier) @binding.member
  right: [(boolean_operator) (conditional_expression) (binary_operator) (lambda) (subscript)] @binding.doubt)))
(named_expression name: (identifier) @binding.name value: [(call) (identifier) (attribute)] @binding.value)
(as_pattern (call) @binding.value alias: (as_pattern_target (identifier) @binding.name))
(as_pattern (identifier) @binding.type alias: (as_pattern_target (identifier) @binding.name))
(for_statement left: (identifier) @binding.name right: [(identifier) (attribute) (call)] @binding.item)
(for_in_clause left: (identifier) @binding.name right: [(identifier) (attribute) (call)] @binding.item)
(function_definition return_type: (type) @binding.returns)
(return_statement [(call) (identifier) (attribute) (await) (string)] @binding.result)
