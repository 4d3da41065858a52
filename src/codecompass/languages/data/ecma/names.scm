; Every name; those bound inside functions; those that are no uses.
[(identifier) (property_identifier) (private_property_identifier) (shorthand_property_identifier)] @name

(variable_declarator name: (identifier) @local)
(arrow_function parameter: (identifier) @local)
(object_pattern [
  (shorthand_property_identifier_pattern) @local
  (pair_pattern value: [(identifier) @local (assignment_pattern left: (identifier) @local)])
  (object_assignment_pattern left: (shorthand_property_identifier_pattern) @local)
  (rest_pattern (identifier) @local)])
(array_pattern [(identifier) @local (assignment_pattern left: (identifier) @local) (rest_pattern (identifier) @local)])
(for_in_statement left: (identifier) @local)
(catch_clause parameter: (identifier) @local)
(function_expression name: (identifier) @local)

(pair key: (property_identifier) @silent)
(pair_pattern key: (property_identifier) @silent)
(method_definition name: (_) @silent)
(import_specifier alias: (identifier) @silent)
(namespace_import (identifier) @silent)
(namespace_export (identifier) @silent)
(export_specifier alias: (identifier) @silent)
(meta_property (_) @silent)
