#!/usr/bin/env bash
# Does a batch with GNU parallel, on this machine or on others that see the same folders.
#
#   parallel.sh merge LIST OUT [PARTS [OPTION-OF-PARALLEL…]]
#   parallel.sh instrument LIST FOLDER [PARTS [OPTION-OF-PARALLEL…]]
#
# PARTS: 16. For other machines: --sshlogin HOST,HOST --wd .; WORK: where the parts lie, which a second run goes on with.
set -eu
here=$(cd "$(dirname "$0")" && pwd) batch=$here/batch.sh
[ $# -ge 3 ] || { sed -n '4,5s/^#   /usage: /p' "$0" >&2; exit 2; }
what=$1 list=$2 out=$3 parts=${4:-16}
shift $(($# < 4 ? $# : 4))
work=${WORK:-}
[ "$what" = instrument ] && work=$out
if [ -z "$work" ]; then
    work=$(mktemp -d) || exit 1
    trap 'rm -rf "$work"' EXIT
fi
[ "$(ls "$work" 2>/dev/null | grep -c '^list\.')" = "$parts" ] || "$batch" split "$list" "$parts" "$work"
# Each part up to three times; one that cannot be done ends all with 1.
seq 0 $((parts - 1)) | parallel --retries 3 --halt now,fail=1 "$@" "$batch" "$what" "$work" '{}'
[ "$what" = instrument ] || "$batch" join "$work" "$parts" "$out"
