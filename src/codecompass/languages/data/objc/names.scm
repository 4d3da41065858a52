; Every name; those bound inside functions; those that are no uses.
[(identifier) (field_identifier)] @name

(parameter_declaration declarator: [(identifier) @local (pointer_declarator declarator: (identifier) @local)])
(init_declarator declarator: [(identifier) @local (pointer_declarator declarator: (identifier) @local)])
(method_parameter (identifier) @local)
(preproc_params (identifier) @local)
(method_declaration (identifier) @silent)
(property_attribute (identifier) @silent)
