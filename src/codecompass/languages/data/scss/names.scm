(variable) @name
(parameter (variable) @local)
(each_statement key: (variable) @local)
(each_statement value: (variable) @local)
