; Every name; those bound inside statements.
(field name: (identifier) @name)

(cte (identifier) @local)
(relation alias: (identifier) @local)
(function_argument (identifier) @local)
