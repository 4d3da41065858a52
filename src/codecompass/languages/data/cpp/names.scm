; Every name; those bound inside functions; those that are no uses. What a file defines is told apart by its definition.
[(identifier) (field_identifier) (namespace_identifier)] @name

(parameter_declaration declarator: (identifier) @local)
(optional_parameter_declaration declarator: (identifier) @local)
(variadic_declarator (identifier) @local)
(declaration declarator: (identifier) @local)
(compound_statement (declaration declarator: (function_declarator declarator: (identifier) @local)))
(init_declarator declarator: (identifier) @local)
(pointer_declarator declarator: (identifier) @local)
(array_declarator declarator: (identifier) @local)
(reference_declarator (identifier) @local)
(structured_binding_declarator (identifier) @local)
(for_range_loop declarator: (identifier) @local)
(lambda_capture_initializer left: (identifier) @local)
(preproc_params (identifier) @local)

(namespace_definition name: (_) @silent)
(nested_namespace_specifier (namespace_identifier) @silent)
(function_declarator declarator: (qualified_identifier scope: (namespace_identifier) @silent))
(using_declaration (identifier) @silent)
(attribute_specifier (argument_list [(identifier) @silent (call_expression function: (identifier) @silent)]))
(attribute prefix: (identifier) @silent)

; What a macro stands for is left as text by the grammar.
(preproc_def value: (preproc_arg) @text)
(preproc_function_def value: (preproc_arg) @text)
