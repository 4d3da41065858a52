; inherits: ecma
; class members
(class_body (method_definition ["get" "set"] name: [(property_identifier) @name (private_property_identifier) @name (computed_property_name) @name (string (string_fragment) @name)] body: (_) @body) @definition.property)
(class_body (method_definition name: [(property_identifier) @name (private_property_identifier) @name (computed_property_name) @name (string (string_fragment) @name)] body: (_) @body) @definition.method)
(field_definition property: [(property_identifier) @name (private_property_identifier) @name (computed_property_name) @name (string (string_fragment) @name)] value: [(arrow_function "=>" @body) (function_expression body: (_) @body) (generator_function body: (_) @body)]) @definition.method
(field_definition property: [(property_identifier) @name (private_property_identifier) @name (computed_property_name) @name (string (string_fragment) @name)]) @definition.field

(class_heritage [(identifier) @reference.inherit (member_expression property: (property_identifier) @reference.inherit)])

; components; a closing tag says nothing new
(jsx_closing_element name: (member_expression object: (identifier) @reference.none property: (property_identifier) @reference.none))
(jsx_opening_element name: [(identifier) @reference.call (member_expression property: (property_identifier) @reference.call)]
  (#match? @reference.call "^[A-Z]"))
(jsx_self_closing_element name: [(identifier) @reference.call (member_expression property: (property_identifier) @reference.call)]
  (#match? @reference.call "^[A-Z]"))
(jsx_attribute (jsx_expression (identifier) @reference.read))
