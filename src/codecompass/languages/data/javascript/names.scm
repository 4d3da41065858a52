; inherits: ecma
(formal_parameters [(identifier) @local (assignment_pattern left: (identifier) @local) (rest_pattern (identifier) @local)])
(jsx_attribute (property_identifier) @silent)
