; headings; what they head reaches to the next one
(element (start_tag (tag_name) @_tag) . [(text) (element)] @name [(text) (element)]? @name.end . (end_tag) (#match? @_tag "^[hH]1$")) @definition.section @level.1
(element (start_tag (tag_name) @_tag) . [(text) (element)] @name [(text) (element)]? @name.end . (end_tag) (#match? @_tag "^[hH]2$")) @definition.section @level.2
(element (start_tag (tag_name) @_tag) . [(text) (element)] @name [(text) (element)]? @name.end . (end_tag) (#match? @_tag "^[hH]3$")) @definition.section @level.3
(element (start_tag (tag_name) @_tag) . [(text) (element)] @name [(text) (element)]? @name.end . (end_tag) (#match? @_tag "^[hH]4$")) @definition.section @level.4
(element (start_tag (tag_name) @_tag) . [(text) (element)] @name [(text) (element)]? @name.end . (end_tag) (#match? @_tag "^[hH]5$")) @definition.section @level.5
(element (start_tag (tag_name) @_tag) . [(text) (element)] @name [(text) (element)]? @name.end . (end_tag) (#match? @_tag "^[hH]6$")) @definition.section @level.6

; what has an id can be named from elsewhere
(start_tag (attribute (attribute_name) @_id [(attribute_value) @name (quoted_attribute_value (attribute_value) @name)]) (#eq? @_id "id")) @definition.key
(self_closing_tag (attribute (attribute_name) @_id [(attribute_value) @name (quoted_attribute_value (attribute_value) @name)]) (#eq? @_id "id")) @definition.key

((attribute (attribute_name) @_link) @links (#any-of? @_link "href" "src"))
(start_tag (tag_name) @reference.call (#match? @reference.call "-"))
(self_closing_tag (tag_name) @reference.call (#match? @reference.call "-"))
(comment) @comment
