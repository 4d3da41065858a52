; inherits: c
(function_declarator parameters: (parameter_list [(optional_parameter_declaration) (variadic_parameter_declaration)] @parameter))
(parameter_declaration declarator: (reference_declarator (identifier) @parameter.name))
(variadic_parameter_declaration declarator: (_ (identifier) @parameter.name))
(optional_parameter_declaration declarator: [
  (identifier) @parameter.name
  (pointer_declarator declarator: (identifier) @parameter.name)
  (reference_declarator (identifier) @parameter.name)])
(optional_parameter_declaration default_value: (_) @parameter.default)
(field_declaration type: (_) @returns declarator: [(function_declarator) (pointer_declarator declarator: (function_declarator)) (reference_declarator (function_declarator))])
(trailing_return_type (type_descriptor) @returns)
(lambda_expression) @lambda
((field_declaration (storage_class_specifier) @mark.static) (#eq? @mark.static "static"))
[(function_definition "virtual" @mark.virtual) (field_declaration "virtual" @mark.virtual)]
((virtual_specifier) @mark.override (#eq? @mark.override "override"))
((virtual_specifier) @mark.final (#eq? @mark.final "final"))
(pure_virtual_clause) @mark.abstract
(field_declaration declarator: (function_declarator) default_value: (number_literal) @mark.abstract)
(for_range_loop type: (_) @declaration.type declarator: [(identifier) @declaration.name (reference_declarator (identifier) @declaration.name)]) @declaration
(compound_statement (declaration type: (_) @declaration.type declarator: (function_declarator declarator: (identifier) @declaration.name)) @declaration)
(init_declarator declarator: (reference_declarator (identifier) @write))
(for_range_loop declarator: [(identifier) @write (reference_declarator (identifier) @write)])
(catch_clause) @branch
(for_range_loop) @loop
(co_return_statement (_)) @return
(co_yield_statement) @yield
[(co_await_expression) (co_yield_statement) (co_return_statement)] @mark.async
(co_await_expression argument: (_) @await)
