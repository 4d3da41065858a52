; Every name. A word that begins small and is not called is a variable, and those are all local.
(alias) @name
(unary_operator operator: "@" operand: (identifier) @name)
