; Definitions. A schema before a name is its scope.
(create_table (object_reference database: (identifier)? @scope schema: (identifier)? @scope name: (identifier) @name) (keyword_as) @body) @definition.table
(create_table (object_reference database: (identifier)? @scope schema: (identifier)? @scope name: (identifier) @name) (column_definitions) @body) @definition.table
(create_table (object_reference database: (identifier)? @scope schema: (identifier)? @scope name: (identifier) @name)) @definition.table
(create_view (object_reference database: (identifier)? @scope schema: (identifier)? @scope name: (identifier) @name) (keyword_as) @body) @definition.table
(create_materialized_view (object_reference database: (identifier)? @scope schema: (identifier)? @scope name: (identifier) @name) (keyword_as) @body) @definition.table
(create_function (object_reference database: (identifier)? @scope schema: (identifier)? @scope name: (identifier) @name) (function_body) @body) @definition.fn
(create_trigger (keyword_trigger) . (object_reference database: (identifier)? @scope schema: (identifier)? @scope name: (identifier) @name)) @definition.fn
(create_index column: [(identifier) (literal)] @name) @definition.key
(create_sequence (object_reference database: (identifier)? @scope schema: (identifier)? @scope name: (identifier) @name)) @definition.key
(create_type (object_reference database: (identifier)? @scope schema: (identifier)? @scope name: (identifier) @name)) @definition.type
(create_schema [(keyword_schema) (keyword_exists)] . (identifier) @name) @definition.mod
(create_database [(keyword_database) (keyword_exists)] . (identifier) @name) @definition.mod
(alter_table (object_reference name: (identifier) @scope) (add_column (column_definition name: [(identifier) (literal)] @name) @definition.field))
(column_definition name: [(identifier) (literal)] @name) @definition.field

; Imports.
(create_extension (identifier) @import.module) @import

; References.
(create_trigger [(keyword_function) (keyword_procedure)] . (object_reference name: (identifier) @reference.call))
(create_trigger (object_reference name: (identifier) @reference.type))
(create_index (object_reference name: (identifier) @reference.type))
(insert (object_reference name: (identifier) @reference.write))
(update (relation (object_reference name: (identifier) @reference.write)))
(statement (delete) (from (object_reference name: (identifier) @reference.write)))
(assignment left: (field name: (identifier) @reference.write))
(relation (object_reference name: (identifier) @reference.type))
(from (object_reference name: (identifier) @reference.type))
(column_definition (object_reference name: (identifier) @reference.type))
(constraint (object_reference name: (identifier) @reference.type))
(alter_table (object_reference name: (identifier) @reference.type))
(drop_table (object_reference name: (identifier) @reference.type))
(drop_view (object_reference name: (identifier) @reference.type))
(comment_statement (object_reference name: (identifier) @reference.type))
(invocation (object_reference name: (identifier) @reference.call))

[(comment) (marginalia)] @comment
