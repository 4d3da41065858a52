(message (message_name (identifier) @name) (message_body) @body) @definition.struct
(enum (enum_name (identifier) @name) (enum_body) @body) @definition.enum
(service (service_name (identifier) @name) "{" @body) @definition.interface
(rpc (rpc_name (identifier) @name) "{"? @body) @definition.method
(field (type) . (identifier) @name) @definition.field
(map_field ">" . (identifier) @name) @definition.field
(oneof_field (type) . (identifier) @name) @definition.field
(oneof "oneof" . (identifier) @name "{" @body) @definition.field
(enum_field . (identifier) @name) @definition.field

(package (full_ident) @package)
(import path: (string) @import.module) @import

(message_or_enum_type (identifier) @reference.none . ".")
(message_or_enum_type (identifier) @reference.type)
(extend (full_ident (identifier) @reference.type .))

(comment) @comment
