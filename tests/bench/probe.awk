# The tables of probe.sh for one runtime. Reads lines "RUNTIME VARIANT JOB NS", "RUNTIME VARIANT calls JOB N" and "RUNTIME VARIANT bytes JOB N";
# table has a line for each variant (probe.sh).
$1 != runtime { next }
$3 == "calls" { calls[$4] = $5; next }
$3 == "bytes" { if (!(($2, $4) in bytes) || $5 < bytes[$2, $4]) bytes[$2, $4] = $5; next }
$3 == "sum" { next }
{
    if (!(($2, $3) in least) || $4 < least[$2, $3]) least[$2, $3] = $4
    if (!($3 in seen)) { seen[$3] = 1; jobs[++count] = $3 }
}
# Plain threads share nothing, so what fib takes by itself is also what it takes beside others.
function plain(job) { return job ~ /^fib-/ && least["plain", "fib"] < least["plain", job] ? least["plain", "fib"] : least["plain", job] }
function pair(variant, job) { return (least[variant, job] - plain(job)) / calls[job] }
function there(variant, job) { return (variant, job) in least && ("plain", job) in least }
function cell(variant, job, floor, other) {
    if (!there(variant, job) || index(" " other " ", " " job " ")) return sprintf(" %7s %9s", "-", "")
    return sprintf(" %7.2f %9s", pair(variant, job), floor != "" && there(floor, job) ? sprintf("(%+.1f %%)", (pair(variant, job) / pair(floor, job) - 1) * 100) : "")
}
function field_of(row,   f) {
    split(row, field, "|")
    for (f = 1; f <= 5; f++) gsub(/^ +| +$/, "", field[f])
    return field[4] != "" && (field[1], jobs[1]) in least
}
function head(text, from, to,   j) {
    printf "%-46s", text
    for (j = from; j <= to; j++) printf " %17s", jobs[j]
    print ""
}
END {
    lines = split(table, line, "\n")
    for (from = 1; from <= count; from += 4) {
        to = from + 3 < count ? from + 3 : count
        head(title, from, to)
        printf "  %-44s", "calls in one run of it"
        for (j = from; j <= to; j++) printf " %17d", calls[jobs[j]]
        print ""
        for (i = 1; i <= lines; i++) {
            if (!field_of(line[i])) continue
            printf "  %-44s", field[4]
            for (j = from; j <= to; j++) printf "%s", cell(field[1], jobs[j], field[3], field[5])
            print ""
        }
    }
    for (to = 1; to < count && ("plain", jobs[to + 1]) in bytes; to++);
    if (!(("plain", jobs[1]) in bytes)) exit
    head(title ", bytes allocated for a call", 1, to)
    for (i = 1; i <= lines; i++) {
        if (!field_of(line[i])) continue
        printf "  %-44s", field[4]
        for (j = 1; j <= to; j++) {
            each = (bytes[field[1], jobs[j]] - bytes["plain", jobs[j]]) / calls[jobs[j]] / 100
            printf " %17.2f", (each < 0 && each > -0.005 ? 0 : each)
        }
        print ""
    }
}
