# == start file of a shell
# Prompt.
PS1='$ '
# <- def var vis=internal doc="Prompt."
