# Completes the command line of zmigrate in bash. zmigrate itself knows the candidates.

_zmigrate() {
    local line kind='' ending word i rest=$COMP_LINE
    local -a words=()
    # Bash cuts words at : and =. Words between which there is no space are one.
    for ((i = 0; i <= COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        if ((i > 0)) && [[ -n $word && $rest == "$word"* ]]; then
            words[${#words[@]} - 1]+=$word
        else
            words+=("$word")
            rest=${rest#"${rest%%[![:space:]]*}"}
        fi
        rest=${rest#"$word"}
    done
    local last=${words[${#words[@]} - 1]} current=${COMP_WORDS[COMP_CWORD]}
    [[ $current != [=:] ]] || current=''
    local before=${last%"$current"} # the part of the word that bash does not replace
    COMPREPLY=()
    while IFS= read -r line; do
        case $line in
        :*) kind=${line#:} ;;
        *) line=${line%%$'\t'*} && COMPREPLY+=("${line#"$before"}") ;;
        esac
    done < <("${words[0]/#\~/$HOME}" __complete -- "${words[@]:1}" 2>/dev/null)
    [[ $kind != none && ${#COMPREPLY[@]} == 0 ]] || return 0
    compopt -o filenames 2>/dev/null # the bash of macOS has no compopt
    while IFS= read -r line; do
        COMPREPLY+=("$line")
    done < <(
        case $kind in
        files) compgen -f -- "$current" ;;
        folders) compgen -d -- "$current" ;;
        jobs)
            compgen -d -- "$current"
            for ending in yaml yml json; do
                compgen -f -X "!*.$ending" -- "$current"
            done
            ;;
        esac
    )
}
complete -F _zmigrate zmigrate
