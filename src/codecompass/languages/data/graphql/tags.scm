(object_type_definition (name) @name (fields_definition)? @body) @definition.struct
(interface_type_definition (name) @name (fields_definition)? @body) @definition.interface
(input_object_type_definition (name) @name (input_fields_definition)? @body) @definition.struct
(enum_type_definition (name) @name (enum_values_definition)? @body) @definition.enum
(union_type_definition (name) @name) @definition.type
(scalar_type_definition (name) @name) @definition.type
(directive_definition "@" . (name) @name) @definition.macro

; An extension adds to what is defined elsewhere.
(object_type_extension (name) @name (fields_definition)? @body) @definition.impl
(interface_type_extension (name) @name (fields_definition)? @body) @definition.impl
(input_object_type_extension (name) @name (input_fields_definition)? @body) @definition.impl
(enum_type_extension (name) @name (enum_values_definition)? @body) @definition.impl
(union_type_extension (name) @name) @definition.impl

(field_definition (name) @name) @definition.field
(input_fields_definition (input_value_definition (name) @name) @definition.field)
(enum_value_definition (enum_value (name) @name)) @definition.field

; Documents that ask.
(operation_definition (name) @name (selection_set) @body) @definition.fn
(fragment_definition (fragment_name (name) @name) (selection_set) @body) @definition.fn

(implements_interfaces (named_type (name) @reference.inherit))
(named_type (name) @reference.type)
(fragment_spread (fragment_name (name) @reference.call))
(directive (name) @reference.decorator)
(selection (field . (name) @reference.read))

(comment) @comment
(description) @doc
