; Parameters: the type stands around the name
(function_declarator parameters: (parameter_list (parameter_declaration) @parameter))
(parameter_declaration declarator: [
  (identifier) @parameter.name
  (pointer_declarator declarator: [(identifier) @parameter.name (pointer_declarator declarator: (identifier) @parameter.name) (array_declarator declarator: (identifier) @parameter.name)])
  (array_declarator declarator: (identifier) @parameter.name)
  (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (identifier) @parameter.name)))])
(function_definition type: (_) @returns)
(function_definition declarator: (pointer_declarator) @returns.pointer)
(function_definition declarator: (pointer_declarator declarator: (pointer_declarator) @returns.pointer))
(declaration type: (_) @returns declarator: [(function_declarator) (pointer_declarator declarator: (function_declarator))])
(declaration declarator: (pointer_declarator declarator: (function_declarator)) @returns.pointer)
((function_definition (storage_class_specifier) @mark.static) (#eq? @mark.static "static"))
((function_definition (storage_class_specifier) @mark.inline) (#eq? @mark.inline "inline"))
((declaration (storage_class_specifier) @mark.extern) (#eq? @mark.extern "extern"))

; Variables
(declaration type: (_) @declaration.type declarator: [
  (identifier) @declaration.name
  (init_declarator declarator: [(identifier) @declaration.name (pointer_declarator declarator: (identifier) @declaration.name) (array_declarator declarator: (identifier) @declaration.name)])
  (pointer_declarator declarator: (identifier) @declaration.name)
  (array_declarator declarator: (identifier) @declaration.name)]) @declaration
(field_declaration type: (_) @declaration.type declarator: [
  (field_identifier) @declaration.name
  (pointer_declarator declarator: (field_identifier) @declaration.name)
  (array_declarator declarator: (field_identifier) @declaration.name)]) @declaration
(init_declarator declarator: [(identifier) @variable.name (pointer_declarator declarator: (identifier) @variable.name)] value: (_) @variable.value) @variable
(assignment_expression left: [(identifier) (field_expression)] @variable.name operator: "=" right: (_) @variable.value) @variable

; What is given a value
(init_declarator declarator: [(identifier) @write (pointer_declarator declarator: (identifier) @write) (array_declarator declarator: (identifier) @write)])
(assignment_expression left: [(identifier) @write (field_expression) @mutation (subscript_expression) @mutation (pointer_expression) @mutation])
(update_expression argument: [(identifier) @write (field_expression) @mutation (subscript_expression) @mutation (pointer_expression) @mutation])

; Ways the code may turn
[(if_statement) (conditional_expression)] @branch
(case_statement value: (_)) @branch
[(for_statement) (while_statement) (do_statement)] @loop
(break_statement) @break
(continue_statement) @continue
(return_statement (_)) @return
