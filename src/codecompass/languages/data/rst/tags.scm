(section "adornment"? @overline (title) @name . "adornment" @level.seen) @definition.section

; What other places point to or put in.
(target name: (name) @name !link) @definition.key
(substitution_definition name: (substitution) @name) @definition.key

((directive name: (type) @_kind body: (body (arguments) @import.module)) @import
 (#any-of? @_kind "include" "literalinclude" "image" "figure" "csv-table"))

(comment) @comment
