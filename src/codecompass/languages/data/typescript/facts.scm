; inherits: ecma
([
  (required_parameter pattern: [
    (identifier) @parameter.name
    (this) @parameter.name
    (rest_pattern (identifier) @parameter.name)
    (array_pattern (identifier) @parameter.name)
    (object_pattern [
      (shorthand_property_identifier_pattern) @parameter.name
      (pair_pattern value: (identifier) @parameter.name)
      (object_assignment_pattern left: (shorthand_property_identifier_pattern) @parameter.name)
      (rest_pattern (identifier) @parameter.name)])])
  (optional_parameter pattern: (identifier) @parameter.name)] @parameter)
[(required_parameter type: (type_annotation (_) @parameter.type)) (optional_parameter type: (type_annotation (_) @parameter.type))]
(required_parameter value: (_) @parameter.default)
[(function_declaration return_type: (type_annotation (_) @returns)) (function_signature return_type: (type_annotation (_) @returns))
 (method_definition return_type: (type_annotation (_) @returns)) (method_signature return_type: (type_annotation (_) @returns))
 (abstract_method_signature return_type: (type_annotation (_) @returns)) (arrow_function return_type: (type_annotation (_) @returns))
 (generator_function_declaration return_type: (type_annotation (_) @returns)) (function_expression return_type: (type_annotation (_) @returns))
 (function_declaration return_type: [(type_predicate_annotation (_) @returns) (asserts_annotation (_) @returns)])]
(variable_declarator name: (identifier) @variable.name type: (type_annotation (_) @variable.type)) @variable
(public_field_definition name: (property_identifier) @variable.name type: (type_annotation (_) @variable.type)) @variable
(public_field_definition name: (property_identifier) @variable.name value: (_) @variable.value) @variable
(property_signature name: (property_identifier) @variable.name type: (type_annotation (_) @variable.type)) @variable
(public_field_definition "static" @mark.static)
[(abstract_class_declaration "abstract" @mark.abstract) (abstract_method_signature "abstract" @mark.abstract)]
(public_field_definition "readonly" @mark.readonly)
(override_modifier) @mark.override
(function_type) @lambda
