; Parameters
(formal_parameter type: (_) @parameter.type name: (identifier) @parameter.name) @parameter
(spread_parameter . (modifiers)? . (_) @parameter.type (variable_declarator name: (identifier) @parameter.name)) @parameter
(lambda_expression parameters: [(identifier) @parameter @parameter.name (inferred_parameters (identifier) @parameter @parameter.name)])
(method_declaration type: (_) @returns)
(annotation_type_element_declaration type: (_) @returns)
(lambda_expression) @lambda
[(class_declaration (modifiers ["static" @mark.static "abstract" @mark.abstract "final" @mark.final "synchronized" @mark.synchronized "native" @mark.native "default" @mark.default "transient" @mark.transient "volatile" @mark.volatile]))
 (method_declaration (modifiers ["static" @mark.static "abstract" @mark.abstract "final" @mark.final "synchronized" @mark.synchronized "native" @mark.native "default" @mark.default "transient" @mark.transient "volatile" @mark.volatile]))
 (field_declaration (modifiers ["static" @mark.static "abstract" @mark.abstract "final" @mark.final "synchronized" @mark.synchronized "native" @mark.native "default" @mark.default "transient" @mark.transient "volatile" @mark.volatile]))]
[(interface_declaration (modifiers "abstract" @mark.abstract)) (record_declaration (modifiers "static" @mark.static)) (enum_declaration (modifiers "static" @mark.static))]
(throws (_) @throw)

; Variables
(local_variable_declaration type: (_) @declaration.type declarator: (variable_declarator name: (identifier) @declaration.name)) @declaration
(field_declaration type: (_) @declaration.type declarator: (variable_declarator name: (identifier) @declaration.name)) @declaration
(enhanced_for_statement type: (_) @declaration.type name: (identifier) @declaration.name) @declaration
(resource type: (_) @declaration.type name: (identifier) @declaration.name) @declaration
(variable_declarator name: (identifier) @variable.name value: (_) @variable.value) @variable
(assignment_expression left: [(identifier) (field_access)] @variable.name right: (_) @variable.value) @variable

; What is given a value
(variable_declarator name: (identifier) @write value: (_))
(assignment_expression left: [(identifier) @write (field_access) @mutation (array_access) @mutation])
(update_expression [(identifier) @write (field_access) @mutation (array_access) @mutation])
(enhanced_for_statement name: (identifier) @write)

; Ways the code may turn
[(if_statement) (ternary_expression) (catch_clause)] @branch
(switch_label (_)) @branch
[(for_statement) (enhanced_for_statement) (while_statement) (do_statement)] @loop
(break_statement) @break
(continue_statement) @continue
(return_statement (_)) @return
