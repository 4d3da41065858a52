; What a block defines goes by its labels, as other blocks write it: `aws_instance.web`, `data.aws_ami.ubuntu`.
((body (block (identifier) @_word . (string_lit (template_literal) @scope) . (string_lit (template_literal) @name)) @definition.key)
 (#eq? @_word "resource"))
((body (block (identifier) @scope @_word . (string_lit (template_literal) @scope) . (string_lit (template_literal) @name)) @definition.key)
 (#eq? @_word "data"))
(config_file (body (block (identifier) . (string_lit (template_literal) @scope) . (string_lit (template_literal) @name)) @definition.key))
((config_file (body (block (identifier) @_word . (string_lit (template_literal) @name) . (block_start)) @definition.var))
 (#any-of? @_word "variable" "output"))
((config_file (body (block (identifier) @scope . (string_lit (template_literal) @name) . (block_start)) @definition.mod))
 (#eq? @scope "module"))
(config_file (body (block (identifier) @scope . (string_lit (template_literal) @name) . (block_start)) @definition.key))
((config_file (body (block (identifier) @_word . (block_start) (body (attribute (identifier) @name (expression) @body) @definition.var))))
 (#eq? @_word "locals"))
((config_file (body (block (identifier) @name . (block_start)) @definition.key))
 (#not-eq? @name "locals"))
(config_file (body (attribute (identifier) @name (expression) @body) @definition.key))

((block (identifier) @_word (body (attribute (identifier) @_key (expression (literal_value (string_lit (template_literal) @import.module)))))) @import
 (#eq? @_word "module") (#eq? @_key "source"))

(function_call (identifier) @reference.call)
(get_attr (identifier) @reference.read)
(variable_expr (identifier) @reference.read)

(comment) @comment
