; inherits: typescript
; components; a closing tag says nothing new
(jsx_closing_element name: (member_expression object: (identifier) @reference.none property: (property_identifier) @reference.none))
(jsx_opening_element name: [(identifier) @reference.call (member_expression property: (property_identifier) @reference.call)]
  (#match? @reference.call "^[A-Z]"))
(jsx_self_closing_element name: [(identifier) @reference.call (member_expression property: (property_identifier) @reference.call)]
  (#match? @reference.call "^[A-Z]"))
