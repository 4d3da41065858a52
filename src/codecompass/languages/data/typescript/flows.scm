; inherits: ecma
(required_parameter pattern: [(identifier) @param.name (rest_pattern (identifier) @param.name)]) @param
(required_parameter pattern: (object_pattern [(shorthand_property_identifier_pattern) @param.name (pair_pattern value: (identifier) @param.name)])) @param
(optional_parameter pattern: (identifier) @param.name) @param
[(type_annotation) (type_arguments)] @neutral
