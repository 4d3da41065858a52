(table "[" . (_) @name) @definition.section
(table_array_element "[[" . (_) @name) @definition.section

(document (pair . (_) @name "=" (_) @body) @definition.key)
(table (pair . (_) @name "=" (_) @body) @definition.key)
(table_array_element (pair . (_) @name "=" (_) @body) @definition.key)

(comment) @comment
