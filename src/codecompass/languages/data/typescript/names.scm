; inherits: ecma
(required_parameter pattern: [(identifier) @local (rest_pattern (identifier) @local)])
(optional_parameter pattern: (identifier) @local)
(property_signature name: (_) @silent)
(method_signature name: (_) @silent)
(index_signature name: (identifier) @silent)
(nested_type_identifier module: (identifier) @name)
(type_predicate name: (identifier) @silent)
