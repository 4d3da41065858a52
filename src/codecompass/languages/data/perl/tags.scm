; Packages: one without a block reaches to the next one.
(package_statement name: (package) @name (block) @body) @definition.mod
(package_statement name: (package) @name) @definition.mod
(class_statement name: (package) @name (block) @body) @definition.class
(class_statement name: (package) @name) @definition.class

; Subs.
(subroutine_declaration_statement lexical: "my" name: (bareword) @name @visibility.private body: (block) @body) @definition.fn
(subroutine_declaration_statement name: (bareword) @name body: (block) @body) @definition.fn
(method_declaration_statement name: (bareword) @name body: (block) @body) @definition.method
((expression_statement (assignment_expression
  left: (glob (varname) @name)
  right: [(anonymous_subroutine_expression body: (block) @body) (refgen_expression (function))])) @definition.fn
  (#match? @name "^\\w+$"))

; Constants and variables of the file.
((use_statement module: (package) @_constant (list_expression . (autoquoted_bareword) @name)) @definition.const
  (#eq? @_constant "constant"))
((use_statement module: (package) @_constant (autoquoted_bareword) @name) @definition.const
  (#eq? @_constant "constant"))
((use_statement
  module: (package) @_constant
  (anonymous_hash_expression (list_expression (autoquoted_bareword) @name @definition.const)))
  (#eq? @_constant "constant"))
(class_statement (block (expression_statement [
  (assignment_expression left: (variable_declaration "field" variable: (_ (varname) @name)))
  (variable_declaration "field" variable: (_ (varname) @name))]) @definition.field))
(source_file (expression_statement (assignment_expression
  left: (variable_declaration "our" (_ (varname) @name)) operator: _ @body)) @definition.var)
(source_file (expression_statement (assignment_expression
  left: (variable_declaration (_ (varname) @name @visibility.private)) operator: _ @body)) @definition.var)
(source_file (expression_statement (variable_declaration "our" (_ (varname) @name))) @definition.var)
(source_file (expression_statement (variable_declaration (_ (varname) @name @visibility.private))) @definition.var)
(package_statement (block (expression_statement (assignment_expression
  left: (variable_declaration "our" (_ (varname) @name)) operator: _ @body)) @definition.var))
(package_statement (block (expression_statement (assignment_expression
  left: (variable_declaration (_ (varname) @name @visibility.private)) operator: _ @body)) @definition.var))

; Attributes.
((expression_statement (ambiguous_function_call_expression
  function: (function) @_has
  arguments: [(autoquoted_bareword) @name (string_literal content: (string_content) @name)] . )) @definition.property
  (#eq? @_has "has"))
((expression_statement (ambiguous_function_call_expression
  function: (function) @_has
  .
  arguments: [(autoquoted_bareword) @name (string_literal content: (string_content) @name)])) @definition.property
  (#eq? @_has "has"))
((expression_statement (ambiguous_function_call_expression
  function: (function) @_has
  .
  arguments: (anonymous_array_expression (list_expression (string_literal content: (string_content) @name @definition.property)))))
  (#eq? @_has "has"))

; Imports. Words that only set how the file is read are none.
((use_statement "use" module: (package) @import.module [
  (quoted_word_list content: (string_content) @import.name)
  (list_expression (string_literal content: (string_content) @import.name))
  (string_literal content: (string_content) @import.name)]) @import
  (#not-match? @import.module "^(strict|warnings|utf8|feature|constant|vars|lib|overload|bytes|integer|experimental|parent|base|Mojo::Base)$"))
((use_statement "use" module: (package) @import.module) @import
  (#not-match? @import.module "^(strict|warnings|utf8|feature|constant|vars|lib|overload|bytes|integer|experimental|parent|base)$"))
((use_statement module: (package) @_above [
  (string_literal content: (string_content) @import.module)
  (list_expression (string_literal content: (string_content) @import.module))
  (quoted_word_list content: (string_content) @import.module)]) @import
  (#any-of? @_above "parent" "base" "Mojo::Base")
  (#match? @import.module "^[A-Za-z_][A-Za-z0-9_:]*$"))
(require_expression [(bareword) @import.module (string_literal content: (_) @import.module) (interpolated_string_literal content: (_) @import.module)]) @import
((use_statement module: (package) @reference.import)
  (#not-match? @reference.import "^(strict|warnings|utf8|feature|constant|vars|lib|overload|bytes|integer|experimental|parent|base)$"))
(require_expression (bareword) @reference.import)

; References.
((use_statement module: (package) @_above [
  (string_literal content: (string_content) @reference.inherit)
  (list_expression (string_literal content: (string_content) @reference.inherit))
  (quoted_word_list content: (string_content) @reference.inherit)])
  (#any-of? @_above "parent" "base" "Mojo::Base")
  (#match? @reference.inherit "^[A-Za-z_][A-Za-z0-9_:]*$"))
((ambiguous_function_call_expression function: (function) @_above arguments: (string_literal content: (string_content) @reference.inherit))
  (#any-of? @_above "extends" "with"))
((assignment_expression
  left: [(array (varname) @_isa) (variable_declaration variable: (array (varname) @_isa))]
  [
    (string_literal content: (string_content) @reference.inherit)
    (list_expression (string_literal content: (string_content) @reference.inherit))
    (quoted_word_list content: (string_content) @reference.inherit)])
  (#eq? @_isa "ISA")
  (#match? @reference.inherit "^[A-Za-z_][A-Za-z0-9_:]*$"))
((ambiguous_function_call_expression
  function: (function) @_die
  arguments: (method_call_expression invocant: (bareword) @reference.throw))
  (#any-of? @_die "die" "croak" "confess"))
((method_call_expression invocant: (bareword) @reference.throw method: (method) @_throw)
  (#eq? @_throw "throw"))
((method_call_expression invocant: (bareword) @reference.instance method: (method) @_new)
  (#eq? @_new "new"))
(method_call_expression invocant: (bareword) @reference.type)
((ambiguous_function_call_expression function: (function) @reference.none)
  (#any-of? @reference.none "has" "extends" "with"))
(method_call_expression method: (method) @reference.call)
(function_call_expression function: (function (varname) @reference.call))
((function_call_expression function: (function) @reference.call) (#match? @reference.call "^[A-Za-z_]"))
(ambiguous_function_call_expression function: (function) @reference.call)
(refgen_expression (function (varname) @reference.read))
(assignment_expression left: [
  (scalar (varname) @reference.write)
  (array (varname) @reference.write)
  (hash (varname) @reference.write)
  (hash_element_expression hash: (container_variable (varname) @reference.write))])
(assignment_expression left: (hash_element_expression . (_) @holder key: (autoquoted_bareword) @reference.write))
(hash_element_expression . (_) @holder key: (autoquoted_bareword) @reference.read)

(comment) @comment
(pod) @doc
