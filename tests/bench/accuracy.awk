# Reads the truth, and the JSON of one profile as calibrated, raw and by the article's rule (format on: a line each element); prints
# a line for each method: name, truth, then the exclusive time per call in the rounds that nothing has
# disturbed: raw, corrected, low, high, article.
function field(name,   at, rest) {
    at = index($0, "\"" name "\": ")
    if (at == 0) return ""
    rest = substr($0, at + length(name) + 4)
    sub(/^"/, "", rest)
    sub(/[",}].*/, "", rest)
    return rest
}
# Between which times the rounds lie that nothing has disturbed: the lowest quarter, without its quarter that took least.
function bounds(name, count,   i, k, moved) {
    for (i = 2; i <= count; i++) {
        moved = times[name, i]
        for (k = i - 1; k > 0 && times[name, k] > moved; k--) times[name, k + 1] = times[name, k]
        times[name, k + 1] = moved
    }
    shortest = times[name, int(count / 16) + 1]
    longest = times[name, int(count / 4)]
}
FNR == 1 { file++; functions = 0; round = ""; caller = 0; delete names }
file == 1 { truth[$1] = $2; order[++methods] = $1; next }
/^"functions"/ { inside = 1; next }
/^"threads"/ { inside = 0; next }
inside && /^\{"module"/ { name = field("method"); sub(/\(.*/, "", name); names[functions++] = name; next }
/^\{"function": / {
    depth = field("depth")
    name = names[field("function")]
    if (name ~ /^R[0-9]+$/) { round = name; roundDepth = depth; next }
    if (round == "" || depth <= roundDepth) { round = ""; next }
    if (name ~ /^Call/) { caller = field("inclusive_ns"); callerName = substr(name, 5); callerDepth = depth; next }
    if (depth != callerDepth + 1 || name != callerName) next
    key = round SUBSEP name
    calls = field("calls")
    own = field("exclusive_ns") / calls
    if (file == 2) {
        corrected[key] = own
        low[key] = high[key] = own
        if (field("exclusive_low_ns") != "") { low[key] = field("exclusive_low_ns") / calls; high[key] = field("exclusive_high_ns") / calls }
    } else if (file == 3) {
        raw[key] = own
        took[key] = caller / calls
        rounds[name]++
        times[name, rounds[name]] = took[key]
    } else
        article[key] = own
}
END {
    for (i = 1; i <= methods; i++) {
        name = order[i]
        if (name == "overhead" || name == "gauge") { print name, truth[name]; continue }
        bounds(name, rounds[name])
        found = a = b = c = d = e = 0
        for (key in took) {
            split(key, parts, SUBSEP)
            if (parts[2] != name || took[key] < shortest || took[key] > longest) continue
            found++; a += raw[key]; b += corrected[key]; c += low[key]; d += high[key]; e += article[key]
        }
        if (found == 0) { print name " was not found in the profile" > "/dev/stderr"; exit 1 }
        print name, truth[name], a / found, b / found, c / found, d / found, e / found
    }
}
