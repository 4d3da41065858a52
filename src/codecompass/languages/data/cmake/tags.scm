(function_def (function_command (argument_list . (argument (_) @name))) (body) @body) @definition.fn
(macro_def (macro_command (argument_list . (argument (_) @name))) (body) @body) @definition.macro

; What can be built, and what is set once for all.
((normal_command (identifier) @_command (argument_list . (argument (unquoted_argument) @name))) @definition.rule
 (#match? @_command "(?i)^(add_(library|executable|custom_target)|project)$"))
((normal_command (identifier) @_command (argument_list . (argument (unquoted_argument) @name))) @definition.var
 (#match? @_command "(?i)^(set|option|cmake_dependent_option)$"))
((normal_command (identifier) @_command (argument_list . (argument) . (argument (unquoted_argument) @reference.write)))
 (#match? @_command "(?i)^list$"))

((normal_command (identifier) @_command (argument_list . (argument (_) @import.module))) @import
 (#match? @_command "(?i)^(include|add_subdirectory|find_package)$"))

((normal_command (identifier) @_command (argument_list (argument (unquoted_argument) @reference.read)))
 (#match? @_command "(?i)^(target_\\w+|add_dependencies|install|set_target_properties)$")
 (#match? @reference.read "^[A-Za-z_][A-Za-z0-9_:.+-]*$")
 (#not-match? @reference.read "^(PUBLIC|PRIVATE|INTERFACE|PROPERTIES|TARGETS|DESTINATION|FILES|COMPONENT)$"))
(normal_command (identifier) @reference.call)
(variable) @reference.read

(line_comment) @comment
(bracket_comment) @comment
