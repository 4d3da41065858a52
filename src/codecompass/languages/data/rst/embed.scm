((directive name: (type) @_kind body: (body (arguments) @embed.language (content) @embed))
 (#any-of? @_kind "code-block" "code" "sourcecode")
 (#set! embed.sample))

; A block after a bare `::` has no language; like Sphinx, take it as Python if it can be parsed.
((literal_block) @embed
 (#set! embed.language "python")
 (#set! embed.sample))
