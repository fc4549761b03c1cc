#!/usr/bin/env bash
# Does a batch with Slurm: an array job, a part each, which is queued again when its node is lost, and for profiles a job
# after it that merges the parts.
#
#   slurm.sh merge LIST OUT FOLDER [PARTS [OPTION-OF-SBATCH…]]
#   slurm.sh instrument LIST FOLDER [PARTS [OPTION-OF-SBATCH…]]
#
# PARTS: 64. FOLDER is one that all nodes see. Waits, and ends with 1 when a part has failed three times; a second run
# with the same FOLDER and PARTS does what is left.
set -eu
here=$(cd "$(dirname "$0")" && pwd) batch=$here/batch.sh
[ $# -ge 3 ] || { sed -n '5,6s/^#   /usage: /p' "$0" >&2; exit 2; }
what=$1 list=$2
if [ "$what" = merge ]; then
    out=$3 folder=${4:?expected a folder that all nodes see} parts=${5:-64}
    shift $(($# < 5 ? $# : 5))
else
    folder=$3 parts=${4:-64}
    shift $(($# < 4 ? $# : 4))
fi
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
[ "$(ls "$folder" | grep -c '^list\.')" = "$parts" ] || "$batch" split "$list" "$parts" "$folder"
common=(--parsable --requeue --wait --output "$folder/log.%A.%a" --export ALL)

missing() { # the parts that are not done, with commas between them
    local part left=
    for ((part = 0; part < parts; part++)); do [ -e "$folder/done.$part" ] || left+=,$part; done
    echo "${left#,}"
}

# What a job ends with says little where it was queued again: what is done counts.
submit() { # OPTION-OF-SBATCH…
    local job
    job=$(sbatch "${common[@]}" "$@") || true
    [ -n "$job" ] || return
    while [ -n "$(squeue -h -j "$job" 2>/dev/null)" ]; do sleep 1; done
}

for try in 1 2 3; do
    left=$(missing)
    [ -z "$left" ] || submit --array "$left" "$@" --wrap "exec '$batch' '$what' '$folder' \$SLURM_ARRAY_TASK_ID"
done
left=$(missing)
[ -z "$left" ] || { echo "slurm.sh: parts $left have failed three times; $folder/log.* say why" >&2; exit 1; }
[ "$what" = merge ] || exit 0
rm -f "$folder/joined"
submit "$@" --wrap "'$batch' join '$folder' '$parts' '$out' && : >'$folder/joined'"
[ -e "$folder/joined" ] || { echo "slurm.sh: the parts could not be merged; $folder/log.* say why" >&2; exit 1; }
