(snippet_statement (snippet_start_expr (snippet_name) @name) . (_) @body) @definition.fn
(render_expr (snippet_name) @reference.call)
(start_tag (tag_name) @reference.call (#match? @reference.call "^[A-Z][^.]*$"))
(self_closing_tag (tag_name) @reference.call (#match? @reference.call "^[A-Z][^.]*$"))
((attribute (attribute_name) @_link) @links (#eq? @_link "src"))
(comment) @comment
