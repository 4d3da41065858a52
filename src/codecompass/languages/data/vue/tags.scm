; components, in either spelling
(start_tag (tag_name) @reference.call (#match? @reference.call "^[A-Z]|-"))
(self_closing_tag (tag_name) @reference.call (#match? @reference.call "^[A-Z]|-"))
((attribute (attribute_name) @_link) @links (#eq? @_link "src"))
(comment) @comment
