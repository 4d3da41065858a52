; Every name; those bound inside functions; those that are no uses.
(identifier) @name

(parameter name: (identifier) @local)
(binary_operator lhs: (identifier) @local operator: ["<-" "="])
(binary_operator operator: "->" rhs: (identifier) @local)
(for_statement variable: (identifier) @local)
(argument name: (identifier) @silent)
