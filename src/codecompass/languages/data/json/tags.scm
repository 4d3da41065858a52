; The keys of the first two levels; what they hold is no part of their heads.
(document (object (pair key: (_) @name value: (_) @body) @definition.key))
(document (object (pair value: (object (pair key: (_) @name value: (_) @body) @definition.key))))

(document (comment) @comment)
(document (object (comment) @comment))
(document (object (pair value: (object (comment) @comment))))
