# Completes the command line of zmigrate in fish. zmigrate itself knows the candidates.

function __zmigrate_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l program $words[1]
    set -e words[1]
    set -l path (string replace -r '^--[^=]*=' '' -- "$current")
    set -l flag (string sub -l (math (string length -- "$current") - (string length -- "$path")) -- "$current")
    for line in ($program __complete -- $words "$current" 2>/dev/null)
        switch $line
            case ':files'
                __fish_complete_path "$path" | string replace -r '^' -- "$flag"
            case ':folders'
                __fish_complete_directories "$path" | string replace -r '^' -- "$flag"
            case ':jobs'
                __fish_complete_path "$path" | string match -r '.*(?:/|\.yaml|\.yml|\.json)(?:\t.*)?$' | string replace -r '^' -- "$flag"
            case ':none'
            case '*'
                echo $line
        end
    end
end

complete -c zmigrate -f -a '(__zmigrate_complete)'
