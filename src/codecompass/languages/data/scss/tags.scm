(rule_set (selectors (_) @name) (block) @body) @definition.rule
(keyframes_statement (keyframes_name) @name (keyframe_block_list) @body) @definition.rule
(mixin_statement name: (identifier) @name (block) @body) @definition.macro
(function_statement name: (identifier) @name (block) @body) @definition.fn
(stylesheet (declaration (property_name) @name (#match? @name "^\\$")) @definition.var)
(declaration (property_name) @name (#match? @name "^--")) @definition.var

(use_statement (string_value) @import.module) @import
(forward_statement (string_value) @import.module) @import
(import_statement (string_value) @import.module) @import
(import_statement (ERROR (string_value) @import.module)) @import
(import_statement (call_expression (arguments [(string_value) (plain_value)] @import.module))) @import

(include_statement (identifier) @reference.call)
(call_expression (function_name) @reference.call)
((plain_value) @reference.read (#match? @reference.read "^--"))
(declaration (property_name) @_animation (plain_value) @reference.read (#any-of? @_animation "animation" "animation-name"))
(comment) @comment
(js_comment) @comment
