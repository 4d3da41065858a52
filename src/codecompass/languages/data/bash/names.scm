; Every name; those bound inside functions; those that are no uses.
(variable_name) @name

(declaration_command "local" [(variable_assignment name: (variable_name) @local) (variable_name) @local])
((declaration_command ["declare" "typeset"] (word)? @_flags
  [(variable_assignment name: (variable_name) @local) (variable_name) @local])
  (#not-match? @_flags "g"))
(for_statement variable: (variable_name) @local)
(c_style_for_statement initializer: (variable_assignment name: (variable_name) @local))

((variable_name) @silent (#match? @silent "^[0-9]+$"))
