; inherits: typescript
(jsx_attribute (property_identifier) @pair.name (jsx_expression (_) @pair.value)) @pair
