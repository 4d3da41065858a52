(atx_heading (atx_h1_marker) heading_content: (_) @name) @definition.section @level.1
(atx_heading (atx_h2_marker) heading_content: (_) @name) @definition.section @level.2
(atx_heading (atx_h3_marker) heading_content: (_) @name) @definition.section @level.3
(atx_heading (atx_h4_marker) heading_content: (_) @name) @definition.section @level.4
(atx_heading (atx_h5_marker) heading_content: (_) @name) @definition.section @level.5
(atx_heading (atx_h6_marker) heading_content: (_) @name) @definition.section @level.6
(setext_heading heading_content: (paragraph (inline) @name) (setext_h1_underline)) @definition.section @level.1
(setext_heading heading_content: (paragraph (inline) @name) (setext_h2_underline)) @definition.section @level.2

(document) @links
(code_fence_content) @links.none
(indented_code_block) @links.none
(html_block) @links.none
