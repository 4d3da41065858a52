; inherits: ecma
; class members
(class_body (method_definition ["get" "set"] name: [(property_identifier) @name (private_property_identifier) @name (computed_property_name) @name (string (string_fragment) @name)] body: (_) @body) @definition.property)
(class_body (method_definition name: [(property_identifier) @name (private_property_identifier) @name (computed_property_name) @name (string (string_fragment) @name)] body: (_) @body) @definition.method)
(field_definition property: [(property_identifier) @name (private_property_identifier) @name (computed_property_name) @name (string (string_fragment) @name)] value: [(arrow_function "=>" @body) (function_expression body: (_) @body) (generator_function body: (_) @body)]) @definition.method
(field_definition property: [(property_identifier) @name (private_property_identifier) @name (computed_property_name) @name (string (string_fragment) @name)]) @definition.field

(class_heritage [(identifier) @reference.inherit (member_expression property: (property_identifier) @reference.inherit)])

; components; a closing tag says nothing new
(jsx_closing_element name: (member_expression object: (identifier) @reference.none property: (property_identifier) @reference.none))
(jsx_opening_element name: [(identifier) @reference.call (member_expression property: (property_identifier) @reference.call)]
  (#match? @reference.call "^[A-Z]"))
(jsx_self_closing_element name: [(identifier) @reference.call (member_expression property: (property_identifier) @reference.call)]
  (#match? @reference.call "^[A-Z]"))

; variables of a bare block around the module
(program (statement_block (_ . (variable_declarator name: (identifier) @name
  value: [(arrow_function "=>" @body) (function_expression body: (_) @body) (generator_function body: (_) @body)])) @definition.fn))
(program (statement_block (_ . (variable_declarator name: (identifier) @name value: (class body: (_) @body))) @definition.class))
(program (statement_block (lexical_declaration kind: "const" (variable_declarator
  name: (identifier) @name
  value: (object)? @body)) @definition.const))
(program (statement_block [(lexical_declaration (variable_declarator
  name: (identifier) @name
  value: (object)? @body)) (variable_declaration (variable_declarator
  name: (identifier) @name
  value: (object)? @body))] @definition.var))
; methods of an object in a bare block
(program (statement_block (_ . (variable_declarator value: (object (method_definition ["get" "set"] name: [(property_identifier) @name (private_property_identifier) @name (computed_property_name) @name (string (string_fragment) @name)] body: (_) @body) @definition.property)))))
(program (statement_block (_ . (variable_declarator value: (object [
  (method_definition name: [(property_identifier) @name (private_property_identifier) @name (computed_property_name) @name (string (string_fragment) @name)] body: (_) @body) @definition.method
  (pair key: [(property_identifier) @name (private_property_identifier) @name (computed_property_name) @name (string (string_fragment) @name)] value: [(arrow_function "=>" @body) (function_expression body: (_) @body) (generator_function body: (_) @body)]) @definition.method])))))
; of a prototype
((assignment_expression
  left: (member_expression object: (identifier) @scope property: (property_identifier) @_prototype @visibility.public)
  right: (object [
    (method_definition name: [(property_identifier) @name (private_property_identifier) @name (computed_property_name) @name (string (string_fragment) @name)] body: (_) @body) @definition.method
    (pair key: [(property_identifier) @name (private_property_identifier) @name (computed_property_name) @name (string (string_fragment) @name)] value: [(arrow_function "=>" @body) (function_expression body: (_) @body) (generator_function body: (_) @body)]) @definition.method])) (#eq? @_prototype "prototype"))
; of an assigned object, such as module.exports
(program (expression_statement (assignment_expression left: (member_expression) @modifier right: (object (method_definition ["get" "set"] name: [(property_identifier) @name (private_property_identifier) @name (computed_property_name) @name (string (string_fragment) @name)] body: (_) @body) @definition.property))))
(program (expression_statement (assignment_expression left: (member_expression) @modifier right: (object [
  (method_definition name: [(property_identifier) @name (private_property_identifier) @name (computed_property_name) @name (string (string_fragment) @name)] body: (_) @body) @definition.method
  (pair key: [(property_identifier) @name (private_property_identifier) @name (computed_property_name) @name (string (string_fragment) @name)] value: [(arrow_function "=>" @body) (function_expression body: (_) @body) (generator_function body: (_) @body)]) @definition.method]))))

; CommonJS exports and members assigned from outside
((assignment_expression
  left: (member_expression object: (identifier) @modifier property: (property_identifier) @name)
  right: [(arrow_function "=>" @body) (function_expression body: (_) @body) (generator_function body: (_) @body)]) @definition.fn (#eq? @modifier "exports"))
((assignment_expression
  left: (member_expression object: (identifier) @modifier property: (property_identifier) @name)
  right: (class body: (_) @body)) @definition.class (#eq? @modifier "exports"))
((assignment_expression
  left: (member_expression object: (identifier) @modifier property: (property_identifier) @name)
  right: (object) @body) @definition.const (#eq? @modifier "exports"))
((assignment_expression
  left: (member_expression object: (identifier) @modifier property: (property_identifier) @name)
  right: [(string) (number) (array) (true) (false) (null) (template_string) (call_expression) (new_expression)]) @definition.const (#eq? @modifier "exports"))
((assignment_expression left: (member_expression object: (identifier) @_exports)
  right: (identifier) @exported) (#eq? @_exports "exports"))
((assignment_expression
  left: (member_expression object: (member_expression) @modifier property: (property_identifier) @name)
  right: [(arrow_function "=>" @body) (function_expression body: (_) @body) (generator_function body: (_) @body)]) @definition.fn (#eq? @modifier "module.exports"))
((assignment_expression
  left: (member_expression object: (member_expression) @modifier property: (property_identifier) @name)
  right: (class body: (_) @body)) @definition.class (#eq? @modifier "module.exports"))
((assignment_expression
  left: (member_expression object: (member_expression) @modifier property: (property_identifier) @name)
  right: (object) @body) @definition.const (#eq? @modifier "module.exports"))
((assignment_expression
  left: (member_expression object: (member_expression) @modifier property: (property_identifier) @name)
  right: [(string) (number) (array) (true) (false) (null) (template_string) (call_expression) (new_expression)]) @definition.const (#eq? @modifier "module.exports"))
((assignment_expression left: (member_expression object: (member_expression) @_exports)
  right: (identifier) @exported) (#eq? @_exports "module.exports"))
((assignment_expression left: (member_expression) @_exports right: [
  (identifier) @exported
  (object [(shorthand_property_identifier) @exported (pair value: (identifier) @exported)])])
  (#eq? @_exports "module.exports"))
((assignment_expression
  left: (member_expression) @_exports
  right: (function_expression name: (identifier) @name @exported body: (_) @body)) @definition.fn (#eq? @_exports "module.exports"))
((assignment_expression
  left: (member_expression) @_exports
  right: (class name: (_) @name @exported body: (_) @body)) @definition.class (#eq? @_exports "module.exports"))
((assignment_expression
  left: (member_expression
    object: (member_expression object: (identifier) @scope property: (property_identifier) @_prototype @visibility.public)
    property: (property_identifier) @name)
  right: [(arrow_function "=>" @body) (function_expression body: (_) @body) (generator_function body: (_) @body)]) @definition.method (#eq? @_prototype "prototype"))
(program (expression_statement (assignment_expression
  left: (member_expression object: (identifier) @scope @visibility.public property: (property_identifier) @name)
  right: [(arrow_function "=>" @body) (function_expression body: (_) @body) (generator_function body: (_) @body)])) @definition.method)
(field_definition property: (_) @binding.member value: [(call_expression) (new_expression) (identifier) (member_expression)] @binding.value)
((assignment_expression left: (member_expression) @binding.name right: [
  (identifier) @binding.value
  (call_expression) @binding.value
  (new_expression) @binding.value
  (member_expression) @binding.value
  (function_expression name: (identifier) @binding.value)
  (class name: (_) @binding.value)]) (#eq? @binding.name "module.exports"))
((assignment_expression left: (member_expression object: (_) @_exports property: (property_identifier) @binding.name)
  right: [(identifier) (member_expression)] @binding.value) (#any-of? @_exports "exports" "module.exports"))
((assignment_expression left: (member_expression) @_exports
  right: (object (pair key: (property_identifier) @binding.name value: [(identifier) (member_expression)] @binding.value))) (#eq? @_exports "module.exports"))
(program (expression_statement (assignment_expression left: (member_expression) right: [
  (function_expression body: (statement_block (return_statement [(call_expression) (new_expression) (identifier) (member_expression) (this)] @binding.result)))
  (arrow_function body: (statement_block (return_statement [(call_expression) (new_expression) (identifier) (member_expression)] @binding.result)))
  (arrow_function body: [(call_expression) (new_expression) (member_expression)] @binding.result)])))

; fields that are given or taken by name, of objects of which nothing is known
(object_pattern "{" @holder [
  (shorthand_property_identifier_pattern) @reference.read
  (object_assignment_pattern left: (shorthand_property_identifier_pattern) @reference.read)
  (pair_pattern key: (property_identifier) @reference.read)])
(pair key: (property_identifier) @reference.key ":" @holder)
(object (method_definition name: (property_identifier) @reference.key parameters: (formal_parameters "(" @holder)))
