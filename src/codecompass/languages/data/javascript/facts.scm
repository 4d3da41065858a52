; inherits: ecma
(formal_parameters [
  (identifier) @parameter @parameter.name
  (assignment_pattern left: (identifier) @parameter.name right: (_) @parameter.default) @parameter
  (rest_pattern (identifier) @parameter.name) @parameter
  (object_pattern [
    (shorthand_property_identifier_pattern) @parameter.name
    (pair_pattern value: (identifier) @parameter.name)
    (object_assignment_pattern left: (shorthand_property_identifier_pattern) @parameter.name)
    (rest_pattern (identifier) @parameter.name)]) @parameter
  (assignment_pattern left: (object_pattern [
    (shorthand_property_identifier_pattern) @parameter.name
    (pair_pattern value: (identifier) @parameter.name)
    (object_assignment_pattern left: (shorthand_property_identifier_pattern) @parameter.name)]) right: (_) @parameter.default) @parameter
  (array_pattern (identifier) @parameter.name) @parameter])
(class_body (field_definition "static" @mark.static))
(class_body (field_definition property: (property_identifier) @variable.name value: (_) @variable.value) @variable)
