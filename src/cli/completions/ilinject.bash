# Completion of ilinject for bash. A test compares the words with the program's own help.
_ilinject() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}
    local common="--quiet --color= --help --version"
    local instrument="--output= --all --in-place --dry-run --jobs= --include= --exclude= --config= --min-il-size= --skip-trivial-accessors --compiler-generated= --overhead= --profile= --capture= --mask= --leaves --root= --spans= --command-texts --depfile= --depfile-target= --strict --counts --allocations --exits= --exceptions= --tracker= --tracker-type= --set= --native-clock= --native= --crossgen2= --keep-mvid --key= --key-password-file= --delay-sign --clear-signed-flag --force --format= --json --verbose --trace"
    local list="--include= --exclude= --config= --min-il-size= --skip-trivial-accessors --compiler-generated= --overhead= --profile= --explain= --exits= --exceptions= --counts --leaves --allocations --format= --json"
    local dump="--headers --heaps --tables --il --ready-to-run --plan"
    local report="--format= --html= --post= --before= --json --compact --sort= --top= --output= --raw --weight= --offset= --raw-names --physical --threads --async --view= --calls --slower= --value= --thrown --by= --filter= --columns= --helpers --idle --lines --source= --with-source --suggest= --overhead= --width= --verbose --assembly= --where= --test= --covers= --tests-of= --never"
    local diff="--fail-if= --allow-missing --by= --sort= --format= --json --raw --top= --output= --width= --root="
    local merge="--output= --keep-going"
    local run="--output= --html= --view= --by= --sort= --top= --set= --all --include= --exclude= --config= --min-il-size= --skip-trivial-accessors --compiler-generated= --overhead= --profile= --once --capture= --mask= --leaves --command-texts --counts --allocations --exits= --exceptions= --root="
    local mibc="--output= --assembly="
    local test="--output= --html= --configuration= --sort= --top= --set= --all --include= --exclude= --config= --min-il-size= --skip-trivial-accessors --compiler-generated= --leaves --root="
    local baseline="--output="
    local check="--format= --top= --root= --source= --output="
    local ctl="--output="
    local explain=""
    local serve="--output= --listen= --token= --token-file= --live --page --rows --otlp= --max-size= --max-files= --rate="
    local mcp="--root= --allow-run --memory="
    local colors="auto always never"
    local formats="text json" report_formats="text calltree tree calllog json csv speedscope chrome collapsed callgrind pprof cpuprofile mibc html suggestions rows rows-csv cobertura lcov otlp prometheus"
    local command=instrument name i values=
    for ((i = 1; i < COMP_CWORD; i++)); do
        case ${COMP_WORDS[i]} in
        instrument | list | dump | report | merge | diff | run | ctl | serve | explain | mibc | mcp | test | baseline | check) command=${COMP_WORDS[i]}; break ;;
        esac
    done

    # bash breaks --name=value at the sign
    name=$before
    if [ "$word" = "=" ]; then
        word=
    elif [ "$before" = "=" ]; then
        name=${COMP_WORDS[COMP_CWORD-2]}
    fi
    [ "$command" = report ] && formats=$report_formats
    [ "$command" = diff ] && formats="text markdown json sarif github gitlab"
    [ "$command" = check ] && formats="text markdown sarif github gitlab"
    case $name in
    --color) values=$colors ;;
    --exits) values="guarded ret" ;;
    --exceptions) values="paths full" ;;
    --native-clock) values="host x64 arm64" ;;
    --native) values="keep drop compile" ;;
    --sort) values="time exclusive inclusive calls average name max waiting bytes objects collections pause" ;;
    --compiler-generated) values="yes no" ;;
    --weight) values="time bytes objects collections pause" ;;
    --offset) values="calibrated none article" ;;
    --view) values="default functions tree callers hot exceptions async calls objects brief never" ;;
    --by)
        values="function type namespace assembly thread part test"
        [ "$command" = diff ] && values="function path method"
        ;;
    --format) values=$formats ;;
    esac
    [ "$command $name" = "diff --sort" ] && values="exclusive inclusive"
    if [ -n "$values" ]; then
        COMPREPLY=($(compgen -W "$values" -- "$word"))
        return
    fi

    case $word in
    -*)
        COMPREPLY=($(compgen -W "$common ${!command}" -- "$word"))
        [[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace
        ;;
    *)
        compopt -o filenames
        COMPREPLY=($(compgen -f -- "$word"))
        [ "$command" = ctl ] && COMPREPLY=($(compgen -W "status start stop reset snapshot flush off on only below depth longer all" -- "$word"))
        [ "$command" = explain ] && COMPREPLY=($(compgen -W "diagnostics settings columns" -- "$word"))
        [ "$COMP_CWORD" -eq 1 ] && COMPREPLY+=($(compgen -W "instrument list dump report merge diff mibc run test ctl serve baseline check explain mcp" -- "$word"))
        ;;
    esac
}
complete -F _ilinject ilinject
