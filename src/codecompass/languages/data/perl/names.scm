; Every name; those bound inside functions.
[(varname) (bareword)] @name

(variable_declaration (_ (varname) @local))
(mandatory_parameter (_ (varname) @local))
(optional_parameter (_ (varname) @local))
(slurpy_parameter (_ (varname) @local))
(for_statement variable: (scalar (varname) @local))
((varname) @silent (#match? @silent "^([_0-9]|[^A-Za-z_])$"))
((bareword) @silent (#eq? @silent "__PACKAGE__"))
