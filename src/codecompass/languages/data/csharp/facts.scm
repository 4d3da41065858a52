; Parameters
(parameter type: (_) @parameter.type name: (identifier) @parameter.name) @parameter
(parameter name: (identifier) "=" . (_) @parameter.default)
(parameter_list type: (_) @parameter @parameter.type name: (identifier) @parameter.tail)
(implicit_parameter) @parameter @parameter.name
[(method_declaration returns: (_) @returns) (local_function_statement type: (_) @returns) (operator_declaration type: (_) @returns) (delegate_declaration type: (_) @returns)
 (property_declaration type: (_) @returns) (indexer_declaration type: (_) @returns)]
[(lambda_expression) (anonymous_method_expression)] @lambda
((modifier) @mark.async (#eq? @mark.async "async"))
((modifier) @mark.static (#eq? @mark.static "static"))
((modifier) @mark.abstract (#eq? @mark.abstract "abstract"))
((modifier) @mark.override (#eq? @mark.override "override"))
((modifier) @mark.virtual (#eq? @mark.virtual "virtual"))
((modifier) @mark.sealed (#eq? @mark.sealed "sealed"))
((modifier) @mark.readonly (#eq? @mark.readonly "readonly"))
((modifier) @mark.partial (#eq? @mark.partial "partial"))

; Variables
(variable_declaration type: (_) @declaration.type (variable_declarator name: (identifier) @declaration.name)) @declaration
(property_declaration type: (_) @declaration.type name: (identifier) @declaration.name) @declaration
(foreach_statement type: (_) @declaration.type left: (identifier) @declaration.name) @declaration
(catch_declaration type: (_) @declaration.type name: (identifier) @declaration.name) @declaration
(declaration_pattern type: (_) @declaration.type name: (identifier) @declaration.name) @declaration
(variable_declarator name: (identifier) @variable.name "=" . (_) @variable.value) @variable
(assignment_expression left: [(identifier) (member_access_expression)] @variable.name operator: "=" right: (_) @variable.value) @variable

; What is given a value
(variable_declarator name: (identifier) @write "=")
(assignment_expression left: [(identifier) @write (member_access_expression) @mutation (element_access_expression) @mutation])
(postfix_unary_expression [(identifier) @write (member_access_expression) @mutation (element_access_expression) @mutation] ["++" "--"])
(prefix_unary_expression ["++" "--"] [(identifier) @write (member_access_expression) @mutation (element_access_expression) @mutation])
(foreach_statement left: (identifier) @write)

; Ways the code may turn
[(if_statement) (conditional_expression) (catch_clause)] @branch
(switch_section "case" @branch)
(switch_expression_arm . [(constant_pattern) (declaration_pattern) (relational_pattern) (recursive_pattern) (or_pattern) (and_pattern) (type_pattern) (list_pattern) (negated_pattern)] @branch)
[(for_statement) (foreach_statement) (while_statement) (do_statement)] @loop
(break_statement) @break
(continue_statement) @continue
(return_statement (_)) @return
[(method_declaration body: (arrow_expression_clause (_) @return)) (local_function_statement body: (arrow_expression_clause (_) @return)) (property_declaration value: (arrow_expression_clause (_) @return))]
(yield_statement) @yield
(await_expression (_) @await)
