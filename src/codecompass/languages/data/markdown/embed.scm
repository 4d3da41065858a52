(fenced_code_block (info_string (language) @embed.language) (code_fence_content) @embed (#set! embed.sample))
((minus_metadata) @embed (#set! embed.language "yaml") (#set! embed.sample))
((plus_metadata) @embed (#set! embed.language "toml") (#set! embed.sample))
((html_block) @embed (#set! embed.language "html") (#set! embed.sample))
