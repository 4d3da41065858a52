(rule_set (selectors (_) @name) (block) @body) @definition.rule
(keyframes_statement (keyframes_name) @name (keyframe_block_list) @body) @definition.rule
(declaration (property_name) @name (#match? @name "^--")) @definition.var
(at_rule (at_keyword) @_word (keyword_query) @name (block) @body (#eq? @_word "@property")) @definition.var

(import_statement (string_value) @import.module) @import
(import_statement (call_expression (arguments [(string_value) (plain_value)] @import.module))) @import
((plain_value) @reference.read (#match? @reference.read "^--"))
(declaration (property_name) @_animation (plain_value) @reference.read (#any-of? @_animation "animation" "animation-name"))
(comment) @comment
