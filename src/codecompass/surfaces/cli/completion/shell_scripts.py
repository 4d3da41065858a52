"""Scripts that complete command lines in bash, zsh and fish. Each asks `codecompass complete` for the words.

That command writes one candidate in a line, with a tab before its explanation. A line `:files` or `:directories` leaves
the rest to the shell.
"""

SHELLS = ("bash", "zsh", "fish")

SCRIPTS = {
    "bash": r"""# bash completion of codecompass: source <(codecompass completion bash)
_codecompass() {
    local line
    COMPREPLY=()
    while IFS= read -r line; do
        case $line in
            :files) compopt -o default ;;
            :directories) compopt -o dirnames ;;
            *) COMPREPLY+=("$(printf '%q' "${line%%$'\t'*}")") ;;
        esac
    done < <(codecompass complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == */ ]]; then
        compopt -o nospace
    fi
}
complete -F _codecompass codecompass
""",
    "zsh": r"""#compdef codecompass
# zsh completion of codecompass: source <(codecompass completion zsh), after compinit
_codecompass() {
    local line
    local -a found directories
    for line in "${(@f)$(codecompass complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
        case $line in
            :files) _files ;;
            :directories) _files -/ ;;
            */) directories+=("$line") ;;
            ?*) found+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}") ;;
        esac
    done
    (( $#directories )) && compadd -S '' -- $directories
    (( $#found )) && _describe -t values codecompass found
}
compdef _codecompass codecompass
""",
    "fish": r"""# fish completion of codecompass: codecompass completion fish | source
function __codecompass_complete
    set -l words (commandline -opc) (commandline -ct)
    for line in (codecompass complete -- $words[2..-1] 2>/dev/null)
        switch $line
            case ':files'
                __fish_complete_path (commandline -ct)
            case ':directories'
                __fish_complete_directories (commandline -ct)
            case '*'
                echo $line
        end
    end
end
complete -c codecompass -f -a '(__codecompass_complete)'
""",
}
