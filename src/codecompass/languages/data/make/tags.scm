((rule (targets (_) @name)) @definition.rule
 (#not-match? @name "^\\.[A-Z_]+$"))
(define_directive name: (word) @name) @definition.macro

(variable_assignment name: (word) @reference.write operator: "+=")
(variable_assignment name: (word) @name) @definition.var
(shell_assignment name: (word) @name) @definition.var

; A rule calls what it needs first.
(prerequisites (word) @reference.call)
(variable_reference (word) @reference.read)
(substitution_reference text: (word) @reference.read)
((function_call function: "call" (arguments . argument: (text) @reference.call))
 (#match? @reference.call "^[A-Za-z_][A-Za-z0-9_.-]*$"))

(include_directive filenames: (list (word) @import.module)) @import

(comment) @comment
