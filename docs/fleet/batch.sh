#!/usr/bin/env bash
# Instruments a list of assemblies, or merges a list of profiles, in parts that may run anywhere and again.
#
#   batch.sh split LIST PARTS FOLDER       the lines of LIST as FOLDER/list.0 and on
#   batch.sh instrument FOLDER PART [OPTION…]   instruments the lines of one part below FOLDER/out
#   batch.sh merge FOLDER PART             merges the lines of one part into FOLDER/part.PART.ilprof
#   batch.sh join FOLDER PARTS OUT         merges the parts, 32 at a time; a part that is missing is an error
#
# A part that was done has FOLDER/done.PART and is not done again: a part that was cut off begins again. Merging is
# associative, so OUT has the bytes that one machine makes of the whole list. ILINJECT names the program.
set -eu -o pipefail
program=${ILINJECT:-ilinject} fan=32
fail() { echo "batch.sh: $*" >&2; exit 1; }
usage() { sed -n '4,7s/^#   /usage: /p' "$0" >&2; exit 2; }
is_number() { [[ $1 =~ ^[0-9]+$ ]] || fail "expected a number, found '$1'"; }

split_list() { # LIST PARTS FOLDER
    is_number "$2"
    [ "$2" -gt 0 ] || fail "expected at least one part"
    [ -s "$1" ] || fail "$1: the list is empty or cannot be read"
    mkdir -p "$3"
    rm -f "$3"/list.* "$3"/done.* "$3"/part.*
    awk -v parts="$2" -v folder="$3" 'NF { print >(folder "/list." (n++ % parts)) }' "$1"
    for ((part = 0; part < $2; part++)); do [ -e "$3/list.$part" ] || : >"$3/list.$part"; done
}

begin() { # FOLDER PART
    is_number "$2"
    [ -e "$1/list.$2" ] || fail "$1/list.$2 is missing: was the list split into so many parts?"
    if [ -e "$1/done.$2" ]; then exit 0; fi
}

case ${1:-} in
split)
    [ $# -eq 4 ] || usage
    split_list "$2" "$3" "$4"
    ;;
instrument)
    [ $# -ge 3 ] || usage
    folder=$2 part=$3
    shift 3
    begin "$folder" "$part"
    mkdir -p "$folder/out"
    [ ! -s "$folder/list.$part" ] || "$program" "@$folder/list.$part" -o "$folder/out/" "$@"
    : >"$folder/done.$part"
    ;;
merge)
    [ $# -eq 3 ] || usage
    begin "$2" "$3"
    [ ! -s "$2/list.$3" ] || "$program" merge "@$2/list.$3" -o "$2/part.$3.ilprof"
    : >"$2/done.$3"
    ;;
join)
    [ $# -eq 4 ] || usage
    folder=$2 out=$4
    is_number "$3"
    parts=()
    for ((part = 0; part < $3; part++)); do
        [ -e "$folder/done.$part" ] || fail "part $part of $3 is not done"
        [ -s "$folder/list.$part" ] || continue
        [ -s "$folder/part.$part.ilprof" ] || fail "$folder/part.$part.ilprof is missing"
        parts+=("$folder/part.$part.ilprof")
    done
    [ ${#parts[@]} -gt 0 ] || fail "there is nothing to merge"
    for ((level = 0; ${#parts[@]} > fan; level++)); do
        next=()
        for ((at = 0; at < ${#parts[@]}; at += fan)); do
            "$program" merge "${parts[@]:at:fan}" -o "$folder/level.$level.$at.ilprof"
            next+=("$folder/level.$level.$at.ilprof")
        done
        parts=("${next[@]}")
    done
    "$program" merge "${parts[@]}" -o "$out"
    rm -f "$folder"/level.*.ilprof
    ;;
*) usage ;;
esac
