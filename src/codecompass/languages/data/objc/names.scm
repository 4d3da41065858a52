; inherits: c
(method_parameter (identifier) @local)
(method_declaration (identifier) @silent)
(method_definition (identifier) @silent)
(property_attribute (identifier) @silent)
