; A stage reaches to the next one; without a name of its own it goes by its image.
(from_instruction as: (image_alias) @name) @definition.section
(from_instruction (image_spec) @name !as) @definition.section

(arg_instruction name: (_) @name) @definition.var
(env_instruction (env_pair name: (_) @name)) @definition.var
(label_instruction (label_pair key: (_) @name)) @definition.key

; An image is brought in; an earlier stage goes by the same words.
(from_instruction (image_spec) @import.module) @import
(from_instruction (image_spec name: (image_name) @reference.inherit))
(variable) @reference.read

(comment) @comment
