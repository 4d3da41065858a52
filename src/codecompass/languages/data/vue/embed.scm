; a script ends with a statement of its own, so that what is read after it adds nothing to its last one
(script_element (start_tag (attribute (attribute_name) @_lang (quoted_attribute_value (attribute_value) @embed.language))) (raw_text) @embed
  (#any-of? @_lang "lang" "type") (#set! embed.share "script") (#set! embed.close "0;"))
((script_element (raw_text) @embed) (#set! embed.language "javascript") (#set! embed.share "script") (#set! embed.close "0;"))
(style_element (start_tag (attribute (attribute_name) @_lang (quoted_attribute_value (attribute_value) @embed.language))) (raw_text) @embed
  (#eq? @_lang "lang") (#set! embed.share "style"))
((style_element (raw_text) @embed) (#set! embed.language "css") (#set! embed.share "style"))

; expressions of the template are read with the script, whose names they use
((interpolation (raw_text) @embed)
  (#set! embed.language "javascript") (#set! embed.share "script") (#set! embed.optional) (#set! embed.open ";(") (#set! embed.close ");"))
((directive_attribute "@" (quoted_attribute_value (attribute_value) @embed))
  (#set! embed.language "javascript") (#set! embed.share "script") (#set! embed.optional) (#set! embed.open ";") (#set! embed.close ";"))
((directive_attribute (directive_name) @_on (quoted_attribute_value (attribute_value) @embed))
  (#eq? @_on "v-on") (#set! embed.language "javascript") (#set! embed.share "script") (#set! embed.optional) (#set! embed.open ";") (#set! embed.close ";"))
((directive_attribute (directive_name) @_for (quoted_attribute_value (attribute_value) @embed))
  (#eq? @_for "v-for") (#match? @embed "^[^()]+ of ") (#set! embed.language "javascript") (#set! embed.share "script") (#set! embed.optional) (#set! embed.open ";for(") (#set! embed.close ")"))
((directive_attribute (quoted_attribute_value (attribute_value) @embed))
  (#set! embed.language "javascript") (#set! embed.share "script") (#set! embed.optional) (#set! embed.open ";(") (#set! embed.close ")"))
