(class_definition name: (identifier) @name body: (_) @body) @definition.class
(function_definition name: (identifier) @name body: (_) @body) @definition.fn

(module (assignment left: (identifier) @name) @definition.var)
(module (assignment left: (pattern_list (identifier) @name)) @definition.var)
(class_definition body: (block (assignment left: (identifier) @name) @definition.field))
(type_alias_statement left: (type (identifier) @name)) @definition.type
(module (if_statement (block (assignment left: (identifier) @name) @definition.var)))
(module (try_statement (block (assignment left: (identifier) @name) @definition.var)))

(decorator (identifier) @reference.decorator)
(decorator (attribute attribute: (identifier) @reference.decorator))
(decorator (call function: (identifier) @reference.decorator))
(decorator (call function: (attribute attribute: (identifier) @reference.decorator)))
(call function: (identifier) @reference.call)
(call function: (attribute attribute: (identifier) @reference.call))
(class_definition superclasses: (argument_list (identifier) @reference.inherit))
(class_definition superclasses: (argument_list (attribute attribute: (identifier) @reference.inherit)))
(class_definition superclasses: (argument_list (keyword_argument value: (identifier) @reference.inherit)))
(class_definition superclasses: (argument_list (subscript value: (identifier) @reference.inherit)))
(type (identifier) @reference.type)
(type (attribute attribute: (identifier) @reference.type))
(type (generic_type (identifier) @reference.type))
(type (binary_operator (identifier) @reference.type))
(type (subscript value: (identifier) @reference.type))
(raise_statement (identifier) @reference.throw)
(raise_statement (attribute attribute: (identifier) @reference.throw))
(except_clause (identifier) @reference.type)
(except_clause (as_pattern (identifier) @reference.type))
(except_clause (tuple (identifier) @reference.type))
(assignment left: (attribute attribute: (identifier) @reference.write))
(augmented_assignment left: (attribute attribute: (identifier) @reference.write))
(augmented_assignment left: (identifier) @reference.write)

(import_statement name: (dotted_name) @import.module) @import
(import_statement name: (aliased_import name: (dotted_name) @import.module alias: (identifier) @import.alias)) @import
(import_from_statement module_name: (_) @import.module name: (dotted_name) @import.name) @import
(import_from_statement module_name: (_) @import.module name: (aliased_import name: (dotted_name) @import.name alias: (identifier) @import.alias)) @import
(import_from_statement module_name: (_) @import.module (wildcard_import) @import.name) @import
(import_from_statement name: (dotted_name (identifier) @reference.import .))
(import_from_statement name: (aliased_import name: (dotted_name (identifier) @reference.import .)))
(import_statement name: (dotted_name (identifier) @reference.import .))
(import_statement name: (aliased_import name: (dotted_name (identifier) @reference.import .)))

(comment) @comment
(module . (comment)* . (string) @doc)
(class_definition body: (block . (comment)* . (string) @doc))
(function_definition body: (block . (comment)* . (string) @doc))
