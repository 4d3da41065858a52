; Every name; those bound inside functions; those that are no uses. What a file defines is told apart by its definition.
[(identifier) (field_identifier)] @name

(parameter_declaration declarator: (identifier) @local)
(declaration declarator: (identifier) @local)
(init_declarator declarator: (identifier) @local)
(pointer_declarator declarator: (identifier) @local)
(array_declarator declarator: (identifier) @local)
(preproc_params (identifier) @local)

(attribute_specifier (argument_list [(identifier) @silent (call_expression function: (identifier) @silent)]))
(attribute (identifier) @silent)

; What a macro stands for is left as text by the grammar.
(preproc_def value: (preproc_arg) @text)
(preproc_function_def value: (preproc_arg) @text)
