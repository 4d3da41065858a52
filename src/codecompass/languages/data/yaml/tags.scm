; A key that merges names nothing.
((block_mapping_pair key: (flow_node) @name) @definition.none (#eq? @name "<<"))

; The keys of the first two levels, of every document in the file.
(document (block_node (block_mapping (block_mapping_pair key: (flow_node) @name value: (_)? @body) @definition.key)))
(document (block_node (block_mapping (block_mapping_pair value: (block_node (block_mapping (block_mapping_pair key: (flow_node) @name value: (_)? @body) @definition.key))))))

; What other places repeat.
(anchor (anchor_name) @name) @definition.key
(alias (alias_name) @reference.read)

(comment) @comment
