((directive name: (type) @_kind body: (body (arguments) @embed.language (content) @embed))
 (#any-of? @_kind "code-block" "code" "sourcecode")
 (#set! embed.sample))
