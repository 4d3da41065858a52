; a script ends with a statement of its own, so that what is read after it adds nothing to its last one
(script_element (start_tag (attribute (attribute_name) @_lang (quoted_attribute_value (attribute_value) @embed.language))) (raw_text) @embed
  (#any-of? @_lang "lang" "type") (#set! embed.share "script") (#set! embed.close "0;"))
((script_element (raw_text) @embed) (#set! embed.language "javascript") (#set! embed.share "script") (#set! embed.close "0;"))
(style_element (start_tag (attribute (attribute_name) @_lang (quoted_attribute_value (attribute_value) @embed.language))) (raw_text) @embed
  (#any-of? @_lang "lang" "type") (#set! embed.share "style"))
((style_element (raw_text) @embed) (#set! embed.language "css") (#set! embed.share "style"))

; expressions of the markup are read with the script, whose names they use
((attribute_name (raw_text_expr) @embed)
  (#match? @embed "^\\.\\.\\.") (#set! embed.language "javascript") (#set! embed.share "script") (#set! embed.optional) (#set! embed.open ";[") (#set! embed.close "]"))
((attribute_name (raw_text_expr) @embed)
  (#set! embed.language "javascript") (#set! embed.share "script") (#set! embed.optional) (#set! embed.open ";") (#set! embed.close ";"))
((expression (raw_text_expr) @embed)
  (#set! embed.language "javascript") (#set! embed.share "script") (#set! embed.optional) (#set! embed.open ";") (#set! embed.close ";"))
(([(if_start_expr (raw_text_expr) @embed) (else_if_expr (raw_text_expr) @embed) (key_start_expr (raw_text_expr) @embed)
   (html_expr (raw_text_expr) @embed) (const_expr (raw_text_expr) @embed) (render_expr (raw_text_expr) @embed)
   (each_start_expr (raw_text_each) @embed) (await_start_expr (raw_text_await) @embed)])
  (#set! embed.language "javascript") (#set! embed.share "script") (#set! embed.optional) (#set! embed.open ";") (#set! embed.close ";"))
