; Every name; those bound inside functions, and the blocks they end with; those that are no uses.
[(identifier) (field_identifier)] @name

(parameter pattern: (identifier) @local)
(let_declaration pattern: (identifier) @local)
(for_expression pattern: (identifier) @local)
(closure_parameters (identifier) @local)
(field_pattern name: (shorthand_field_identifier) @local)
(mut_pattern (identifier) @local)
(ref_pattern (identifier) @local)
(captured_pattern . (identifier) @local)
([
  (let_condition pattern: (identifier) @local)
  (match_pattern . (identifier) @local)
  (tuple_pattern (identifier) @local)
  (tuple_struct_pattern type: (_) (identifier) @local)
  (field_pattern pattern: (identifier) @local)
  (reference_pattern (identifier) @local)
  (slice_pattern (identifier) @local)
  (or_pattern (identifier) @local)
] (#match? @local "^[a-z_]"))

[(block) (match_arm) (closure_expression) (for_expression) (if_expression) (while_expression)] @block

(label (identifier) @silent)
(use_declaration argument: (scoped_identifier path: (identifier) @silent))
(scoped_use_list path: (identifier) @silent)
(use_as_clause alias: (identifier) @silent)
(extern_crate_declaration alias: (identifier) @silent)
(attribute arguments: (token_tree (identifier) @silent))
(lifetime (identifier) @silent)
(scoped_identifier path: (identifier) @silent (#eq? @silent "Self"))
