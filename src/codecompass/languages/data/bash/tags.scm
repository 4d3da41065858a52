; Functions and aliases.
(function_definition name: (word) @name body: (_) @body) @definition.fn
((command name: (command_name (word) @_alias) argument: [(word) @name (concatenation . (word) @name)]) @definition.macro
  (#eq? @_alias "alias") (#match? @name "^[^-=][^=]*="))

; Variables of the script: those that stay as they are, those other programs see, and the rest.
(program (declaration_command "readonly" @visibility.internal (variable_assignment name: (variable_name) @name)) @definition.const)
((program (declaration_command ["declare" "typeset"] @visibility.internal
  (word) @_flags (variable_assignment name: (variable_name) @name)) @definition.const)
  (#match? @_flags "^-[a-zA-Z]*r"))
((program (declaration_command ["declare" "typeset"] @visibility.public
  (word) @_flags (variable_assignment name: (variable_name) @name)) @definition.var)
  (#match? @_flags "^-[a-zA-Z]*x"))
(program (declaration_command "export" @visibility.public (variable_assignment name: (variable_name) @name)) @definition.var)
(program (declaration_command ["declare" "typeset"] @visibility.internal (variable_assignment name: (variable_name) @name)) @definition.var)
(program (variable_assignment name: (variable_name) @name @visibility.internal) @definition.var)
(program (variable_assignments (variable_assignment name: (variable_name) @name @visibility.internal) @definition.var))
(program (list (variable_assignment name: (variable_name) @name @visibility.internal) @definition.var))
(program (if_statement [
  (variable_assignment name: (variable_name) @name @visibility.internal) @definition.var
  (declaration_command "export" @visibility.public (variable_assignment name: (variable_name) @name)) @definition.var
  (elif_clause (variable_assignment name: (variable_name) @name @visibility.internal) @definition.var)
  (elif_clause (declaration_command "export" @visibility.public (variable_assignment name: (variable_name) @name)) @definition.var)
  (else_clause (variable_assignment name: (variable_name) @name @visibility.internal) @definition.var)
  (else_clause (declaration_command "export" @visibility.public (variable_assignment name: (variable_name) @name)) @definition.var)]))
((program (command name: (command_name (word) @_colon)
  argument: [(expansion (variable_name) @name @visibility.internal operator: ":=")
    (string (expansion (variable_name) @name @visibility.internal operator: ":="))]) @definition.var)
  (#eq? @_colon ":"))
(declaration_command "export" (variable_name) @exported)

; References. Words that only steer the script are no calls worth a mention.
((command name: (command_name (word) @reference.none))
  (#any-of? @reference.none "source" "." "alias" "return" "exit" "break" "continue" "shift" ":" "true" "false" "{" "}" "@test"))
(command name: (command_name (word) @reference.call))
((command name: (command_name (word) @_trap) . argument: (word) @reference.call)
  (#eq? @_trap "trap") (#match? @reference.call "^[A-Za-z_]"))
((command name: (command_name (word) @_read) argument: (word) @reference.write)
  (#any-of? @_read "read" "mapfile" "readarray") (#match? @reference.write "^[A-Za-z_][A-Za-z0-9_]*$"))
(declaration_command "local" [(variable_assignment name: (variable_name) @reference.none) (variable_name) @reference.none])
(variable_assignment name: [(variable_name) @reference.write (subscript name: (variable_name) @reference.write)])
(expansion (variable_name) @reference.write operator: [":=" "="])
(unset_command (variable_name) @reference.write)

; Imports.
((command name: (command_name (word) @_source) . argument: [(word) (string) (raw_string) (concatenation)] @import.module) @import
  (#any-of? @_source "source" "."))

(comment) @comment
