; inherits: ecma
(formal_parameters [
  (identifier) @param @param.name
  (assignment_pattern left: (identifier) @param.name) @param
  (object_pattern [(shorthand_property_identifier_pattern) @param.name (pair_pattern value: (identifier) @param.name)]) @param
  (rest_pattern (identifier) @param.name) @param])
(jsx_attribute (property_identifier) @pair.name (jsx_expression (_) @pair.value)) @pair
