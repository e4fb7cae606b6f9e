#compdef zmigrate
# Completes the command line of zmigrate in zsh. zmigrate itself knows the candidates.

_zmigrate() {
    local line kind means
    local -a found
    while IFS= read -r line; do
        case $line in
        :*) kind=${line#:} ;;
        *)
            means=${line#*$'\t'}
            found+=("${${line%%$'\t'*}//:/\\:}${means:+:$means}")
            ;;
        esac
    done < <("${words[1]/#\~/$HOME}" __complete -- "${(@Q)words[2,CURRENT]}" 2>/dev/null)
    if (( $#found )); then
        _describe zmigrate found
        return
    fi
    [[ $PREFIX == --*=* ]] && compset -P '--*='
    case $kind in
    files) _files ;;
    folders) _files -/ ;;
    jobs) _files -g '*.(yaml|yml|json)(-.)' ;;
    esac
}

if [[ ${funcstack[1]} == _zmigrate ]]; then
    _zmigrate "$@"
else
    compdef _zmigrate zmigrate
fi
