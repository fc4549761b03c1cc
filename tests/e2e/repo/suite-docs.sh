#!/usr/bin/env bash
# The documents say what the program does: codes, options, completions, README's commands.
. "$(dirname "$0")/../../lib.sh"
DEF=$ROOT/ecma335/base/diagnostics.def
MAN=$ROOT/docs/ilinject.1

# ---- Diagnostics ----------------------------------------------------------------------------------------------------

# "ILJ0100 error: meaning", a line for each row of the table.
def_rows() { sed -n -E 's/^DIAG\(([0-9]+), [A-Z_0-9]+, ([A-Z]+), [A-Z_]+, "(.*)"\)$/\1 \L\2\E: \3/p' "$DEF" |
    while read -r number rest; do printf 'ILJ%04d %s\n' "$number" "$rest"; done | sort; }
check "every row of the table of diagnostics is read" test "$(def_rows | wc -l)" -eq "$(grep -c '^DIAG(' "$DEF")"
check "no two rows have one code" test -z "$(def_rows | cut -d ' ' -f 1 | uniq -d)"

# ---- Options --------------------------------------------------------------------------------------------------------

# A command's long options by its own help, with "=" when they take a value.
own_options() { "$ILINJECT" "$1" --help=all | sed -n -E 's/^  (-.,|   ) --([a-z0-9-]+)(=?).*/--\2\3/p' |
    grep -v -x -E -- '--(quiet|color=|help|version)' | sort; }
commands() { "$ILINJECT" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'; }
bash_words() { sed -n -E "s/^    local $1=\"(.*)\"\$/\1/p" "$ROOT/src/cli/completions/ilinject.bash" | tr ' ' '\n' | sed '/^$/d' | sort; }
zsh_words() { sed -n "/^    $1=(\$/,/^    )\$/p" "$ROOT/src/cli/completions/_ilinject" |
    grep -o -E -e "--[a-z0-9-]+=?[][}]" | sed 's/.$//' | sort -u; }
man_words() { sed -n "/^\.Ss $1\$/,/^\.S[sh] /p" "$MAN" | sed -n -E 's/^\.It Fl (. , Fl )?-([a-z0-9-]+)( Ns (=).*)?$/--\2\4/p' | sort; }
# The letters too, as "-o, --output".
letters() { "$ILINJECT" "$1" --help=all | sed -n -E 's/^  -(.), --([a-z0-9-]+).*/\1 \2/p' | grep -v -E ' (quiet|help)$' | sort; }
man_letters() { sed -n "/^\.Ss $1\$/,/^\.S[sh] /p" "$MAN" | sed -n -E 's/^\.It Fl (.) , Fl -([a-z0-9-]+).*/\1 \2/p' | sort; }
choices() { "$ILINJECT" "$1" --help=all | sed -e ':again' -e '/|$/{N;s/\n *//;b again' -e '}' | grep -o -E -e '=[a-z0-9]+(\|[a-z0-9]+)+' | tr -d = | tr '|' ' ' | sort -u; }

# Sentences of a help, and helps of options, that begin with a word that makes a reader read them twice.
begins() {
    awk '/^  (-.,|   ) --/ { first = substr($0, 28, 1) == " " ? substr($0, 29) : ""; wait = first == "" }
        wait && substr($0, 1, 28) ~ /^ +$/ { first = substr($0, 29); wait = 0 }
        first ~ /^([Ww]hat|[Ww]ho|[Ww]hose|[Oo]f) / || /(^|[.;:] )(What|Who|Whose|Of) / { print; found = 1 }
        { first = "" }
        END { exit !found }' "$1"
}
plain_help() {
    local command found=0
    for command in '' $(commands); do
        # shellcheck disable=SC2086
        "$ILINJECT" $command --help=all >"$SCRATCH/help" && ! begins "$SCRATCH/help" || { echo "in the help of $command"; found=1; }
    done
    return $found
}
check "no sentence of the help begins with What, Who, Whose or Of" plain_help
check "none of the manual does" bash -c '! grep -n -E "^(What|Who|Whose|Of)( |$)" "$1"' bash "$MAN"
check "the help names the commands" test "$(commands | tr '\n' ' ')" = "instrument list dump report merge diff mibc run test ctl serve baseline check explain mcp "
for command in $(commands); do
    [ "$command" = explain ] || check "help names options of $command" test -n "$(own_options "$command")"
    check "bash completes the options of $command" diff <(own_options "$command") <(bash_words "$command")
    check "zsh completes the options of $command" diff <(own_options "$command") <(zsh_words "$command")
    check "the manual describes the options of $command" diff <(own_options "$command") <(man_words "$command")
    check "the manual has the letters of $command" diff <(letters "$command") <(man_letters "$command")
done
common() { "$ILINJECT" --help | sed '1,/^Options of every command/d' | sed -n -E 's/^  (-.,|   ) --([a-z0-9-]+)(=?).*/--\2\3/p' | sort; }
check "bash completes the common options" diff <(common) <(bash_words common)
check "zsh completes the common options" diff <(common | tr -d =) <(zsh_words common | tr -d =)
check "the manual describes the common options" diff <(common) \
    <(sed -n '/^\.Sh DESCRIPTION/,/^\.Ss /p' "$MAN" | sed -n -E 's/^\.It Fl (. , Fl )?-([a-z0-9-]+)( Ns (=).*)?$/--\2\4/p' | sort)

# Every value that an option of choices takes is offered.
offered() { # file
    local word
    for word in $(for command in $(commands); do choices "$command"; done | tr ' ' '\n' | sort -u); do
        grep -q -w -e "$word" "$1" || { echo "$word is missing"; return 1; }
    done
}
check "bash offers every choice" offered "$ROOT/src/cli/completions/ilinject.bash"
check "zsh offers every choice" offered "$ROOT/src/cli/completions/_ilinject"
check "the manual names every choice" offered "$MAN"

completes() { # expected words…
    local expected=$1
    shift
    # shellcheck disable=SC2016
    test "$(bash -c 'compopt() { :; }; . "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _ilinject; echo "${COMPREPLY[*]}"' \
        bash "$ROOT/src/cli/completions/ilinject.bash" "$@")" = "$expected"
}
check "bash completes a command" completes "report" ilinject rep
check "bash completes what is asked of a process" completes "status start stop" ilinject ctl 1 st
check "bash completes an option of the default command" completes "--tracker= --tracker-type= --trace" ilinject --tr
check "bash completes a value behind the sign" completes "inclusive" ilinject report --sort = inc
check "bash knows the formats of report" completes "text tree" ilinject report --format = t

if has zsh; then
    check "zsh reads its completion" zsh -n "$ROOT/src/cli/completions/_ilinject"
else
    skip "zsh reads its completion" "zsh is not installed"
fi
if has mandoc; then
    check "the manual page is clean" test -z "$(mandoc -T lint "$MAN")"
else
    skip "the manual page is clean" "mandoc is not installed"
fi

# ---- README ---------------------------------------------------------------------------------------------------------

check "the libraries of the page are as released" bash -c 'cd "$1/src/report/page/vendor" && sha256sum -c --quiet SHA256SUMS && [ "$(ls | grep -v SHA256SUMS)" = "$(cut -c 67- SHA256SUMS)" ]' bash "$ROOT"
check "tables that are made of src/facts are what its rows say" "$ROOT/tests/facts/fill" --check
check "the tables of docs/how-good.md are what the raw results in docs/benchmarks say" "$ROOT/tests/bench/tables" --check
# One kernel, two runs: 110.4 / 100 is at most 1.10 as a table shows it, 111 / 100 is not; of two runs
# the middle is the mean of 1.104 and 1.25, and of 1.11 and 0.925.
mkdir "$SCRATCH/raw"
{
    printf '#\tpart\tkernels\n'
    printf 'mono\t%s\tInt\t%s\n' plain 100 ret 110.4 guarded 111 plain 120 ret 150 guarded 111
} >"$SCRATCH/raw/kernels.tsv"
check "a table of kernels marks what is above 1.10, and nothing else" diff \
    <(printf '%s\n' '| Int | 100.0 / 110.0 | 1.10 / 1.18 | **1.11** / 1.02 |' '| *at most 1.10* | | 1 of 1 | 0 of 1 |') \
    <("$ROOT/tests/bench/tables" --print "$SCRATCH/raw" | grep -E '^\| (Int|\*at most)')
# Marked is a profile above 1.10 of plain, once or a governor above 1.25 of it (hundred: 1.05) and a
# second.
price() { printf '%s\t%s\tprocessor\t%s\n' "$@"; }
mkdir "$SCRATCH/price"
{
    printf '#\tpart\tprice\n'
    price fib-mono plain 2 fib-mono profile 2.2 fib-mono profile 2.4 fib-mono governor 3.5 fib-mono once 3.52
    price web-dotnet plain 2 web-dotnet profile 2.22 web-dotnet governor 3.52
    price hundred-mono plain 2 hundred-mono full 9 hundred-mono off 3 hundred-mono governor 3.12
} >"$SCRATCH/price/price.tsv"
check "a table of prices marks what is above its bound, and says what is not there" diff \
    <(printf '%s\n' \
        '| fib, Mono | not there | 2.00 / 2.00 | not there | not there | 2.20 / 2.30 (1.10) | not there | 3.52 / 3.52 (**1.76**) | 3.50 / 3.50 (1.75) |' \
        '| web, CoreCLR | not there | 2.00 / 2.00 | not there | not there | 2.22 / 2.22 (**1.11**) | not there | not there | 3.52 / 3.52 (**1.76**) |' \
        '| hundred, Mono | not there | 2.00 / 2.00 | 9.00 / 9.00 (4.50) | 3.00 / 3.00 (1.50) | not there | not there | not there | 3.12 / 3.12 (**1.56**) |') \
    <("$ROOT/tests/bench/tables" --print "$SCRATCH/price" | grep -E '^\| (fib|web|hundred), .*/')
# Tables that are written by hand have a row for each name of the source.
first_cells() { # page, head of the table, what a cell has
    sed -n -E "/^\| $2 \|/,/^\$/s/^\| ([^|]*) \|.*/\1/p" "$ROOT/docs/$1" | tr -d '`' | grep -x -E "$3" | sort
}
formats() { "$ILINJECT" report --help=all | sed -n '/^ \{6\}--format=/,/^ \{28\}/p' | grep -v '^ \{28\}' | sed 's/.*=//' | tr -d ' ' | tr '|' '\n' | sed '/^$/d' | sort; }
check "docs/exports.md has a row for each format" diff <(formats) <(first_cells exports.md format '[a-z, -]+' | sed 's/, /\n/' | grep -v -x format | sort)
codes() { grep -h -o -E '<(Error|Warning) .*|Code="ILJ2[0-9]+"' "$ROOT"/src/msbuild/*.targets |
    awk '/^<Error/ { kind = "error" } /^<Warning/ { kind = "warning" } match($0, /ILJ2[0-9]+/) { print substr($0, RSTART, RLENGTH), kind }' | sort -u; }
check "docs/msbuild.md has a row for each code of the package" diff <(codes) <(first_cells msbuild.md code 'ILJ2[0-9]+ (error|warning)')
only_the_agreed() {
    local agreed='Makefile|src|include|ecma335|tests|fixtures|runtime-tracker|docs|(README|CHANGELOG|SECURITY|CONTRIBUTING)\.md|LICENSE|\..*'
    ! git -C "$ROOT" ls-files | cut -d/ -f1 | sort -u | grep -vxE "$agreed"
}
if is_checkout; then
    check "nothing is committed at the top but what belongs there" only_the_agreed
    check "the documents keep the bounds of tests/language" "$ROOT/tests/language" --check
else
    skip "the documents keep the bounds of tests/language" "no git, or the tree is no checkout"
fi
check "README and CONTRIBUTING link to files that exist" bash -c 'cd "$1" && grep -h -o -E "\]\([^)]*\)" README.md CONTRIBUTING.md | tr -d "]()" | sed "s/#.*//" | xargs ls' bash "$ROOT"
finish
