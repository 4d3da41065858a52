; a script ends with a statement of its own, so that what is read after it adds nothing to its last one
(script_element (start_tag (attribute (attribute_name) @_type [(attribute_value) @embed.language (quoted_attribute_value (attribute_value) @embed.language)])) (raw_text) @embed
  (#any-of? @_type "type" "lang") (#set! embed.share "script") (#set! embed.close "0;"))
((script_element (raw_text) @embed) (#set! embed.language "javascript") (#set! embed.share "script") (#set! embed.close "0;"))
(style_element (start_tag (attribute (attribute_name) @_type [(attribute_value) @embed.language (quoted_attribute_value (attribute_value) @embed.language)])) (raw_text) @embed
  (#any-of? @_type "type" "lang") (#set! embed.share "style"))
((style_element (raw_text) @embed) (#set! embed.language "css") (#set! embed.share "style"))
((attribute (attribute_name) @_on (quoted_attribute_value (attribute_value) @embed))
  (#match? @_on "^on[a-z]+$") (#set! embed.language "javascript") (#set! embed.share "script") (#set! embed.optional) (#set! embed.open ";") (#set! embed.close ";"))
