# programs.awk - the figures of price.sh's programs for people: lines "PROGRAM VARIANT SECONDS".
# Ratios are of the least times in this run; ** marks what is above its bound.
{
    if (!($1 in seen)) { seen[$1] = 1; program[++programs] = $1 }
    key = $1 " " $2
    at = ++count[key]
    for (; at > 1 && value[key, at - 1] > $3; at--) value[key, at] = value[key, at - 1]
    value[key, at] = $3
}
function middle(key,   n) {
    n = count[key]
    return n % 2 ? value[key, (n + 1) / 2] : (value[key, n / 2] + value[key, n / 2 + 1]) / 2
}
END {
    n = split(variants, variant, " ")
    line = sprintf("%-16s", "")
    for (i = 1; i <= n; i++) line = line sprintf(" %22s", variant[i])
    print line
    for (p = 1; p <= programs; p++) {
        line = sprintf("%-16s", program[p])
        plain = value[program[p] " plain", 1]
        for (i = 1; i <= n; i++) {
            key = program[p] " " variant[i]
            if (!count[key]) { line = line sprintf(" %22s", "not there"); continue }
            one = value[key, 1]
            bound = program[p] ~ /^hundred-/ ? 1.05 : 1.25
            above = variant[i] == "profile" && one > 1.10 * plain ||
                variant[i] ~ /^(once|governor)$/ && one - 1 > bound * plain
            line = line sprintf(" %22s", sprintf("%.2f / %.2f %s%.2f%s", one, middle(key),
                above ? "**" : "", plain > 0 ? one / plain : 0, above ? "**" : ""))
        }
        print line
    }
}
