# tables.awk - the tables of docs/how-good.md and tests/bench/long-tables.md: reads raw results (tests/bench/raw.sh), then the document, and prints that with what stands
# between "<!-- table: NAME -->" and "<!-- end -->" made again. Any awk will do.
#
# A table is a call of table() below: NAME, the raw file, the first column's title, its rows, its columns.
#   rows      "KEY=TITLE;KEY=TITLE": those without a figure are left out; "subjects" or "variants": all that there are
#   columns   "TITLE|KIND|SUBJECT|VARIANT|METRIC|DIVISOR|FORMAT", and of a ratio "|SUBJECT|VARIANT|METRIC" of the other; parted by ";". "*" is the row's key
#   KIND      t: least / median of all runs; l: least; x: most; r: how many times the other's least this one's is; f: how many times as fast, the other way
#             round; g: how much larger, in percent; b: the bound of the memory, three times that and 4 MiB

BEGIN { FS = "\t" }
FILENAME ~ /\.tsv$/ && $1 == "#" && $2 == "part" { part = $3; known[part] = 1; next }
FILENAME ~ /\.tsv$/ && $1 == "#" && $2 == "missing" { missing[part] = missing[part] "; " $3 ": " $4; next }
FILENAME ~ /\.tsv$/ && $1 == "#" { about[part, $2] = $3; next }
FILENAME ~ /\.tsv$/ && $4 + 0 > 1e100 { next } # no window was quiet
FILENAME ~ /\.tsv$/ {
    key = part SUBSEP $1 SUBSEP $2 SUBSEP $3
    values[key, ++count[key]] = $4 + 0
    any[part] = 1
    if (!((part, "s", $1) in seen)) { seen[part, "s", $1] = 1; subjects[part] = subjects[part] ";" $1 }
    if (!((part, "v", $2) in seen)) { seen[part, "v", $2] = 1; variants[part] = variants[part] ";" $2 }
    if (!((part, "m", $3) in seen)) { seen[part, "m", $3] = 1; metrics[part] = metrics[part] ";" $3 }
    next
}
/^<!-- table: / { print; name = $0; sub(/^<!-- table: /, "", name); sub(/ -->.*/, "", name); print ""; make(name); print ""; inside = 1; next }
/^<!-- end -->/ { inside = 0 }
!inside { print }

function has(part, s, v, m) { return count[part, s, v, m] > 0 }
function least(part, s, v, m,   key, i, a) {
    key = part SUBSEP s SUBSEP v SUBSEP m
    a = values[key, 1]
    for (i = 2; i <= count[key]; i++) if (values[key, i] < a) a = values[key, i]
    return a
}
function most(part, s, v, m,   key, i, a) {
    key = part SUBSEP s SUBSEP v SUBSEP m
    a = values[key, 1]
    for (i = 2; i <= count[key]; i++) if (values[key, i] > a) a = values[key, i]
    return a
}
function middle(list, n,   i, j, a, sorted) {
    for (i = 1; i <= n; i++) {
        a = list[i]
        for (j = i - 1; j > 0 && sorted[j] > a; j--) sorted[j + 1] = sorted[j]
        sorted[j + 1] = a
    }
    return n % 2 ? sorted[(n + 1) / 2] : (sorted[n / 2] + sorted[n / 2 + 1]) / 2
}
function median(part, s, v, m,   key, i, list) {
    key = part SUBSEP s SUBSEP v SUBSEP m
    for (i = 1; i <= count[key]; i++) list[i] = values[key, i]
    return middle(list, count[key])
}
# One cell: the column's fields are in f[], the row's key fills the stars.
function cell(part, row,   s, v, m, bs, bv, bm, a, b) {
    s = f[3] == "*" ? row : f[3]; v = f[4] == "*" ? row : f[4]; m = f[5] == "*" ? row : f[5]
    if (!has(part, s, v, m)) return "-"
    if (f[2] == "t") return sprintf(f[7], least(part, s, v, m) / f[6]) (count[part, s, v, m] > 1 ? " / " sprintf(f[7], median(part, s, v, m) / f[6]) : "")
    if (f[2] == "l") return sprintf(f[7], least(part, s, v, m) / f[6])
    if (f[2] == "x") return sprintf(f[7], most(part, s, v, m) / f[6])
    if (f[2] == "b") return sprintf(f[7], least(part, s, v, m) * 3 / f[6] + 4)
    bs = f[8] == "*" ? row : f[8]; bv = f[9] == "*" ? row : f[9]; bm = f[10] == "*" ? row : f[10]
    if (!has(part, bs, bv, bm)) return "-"
    a = least(part, s, v, m); b = least(part, bs, bv, bm)
    if (f[2] == "g") return sprintf(f[7], (a / b - 1) * 100)
    if (f[2] == "f") return a > 0 ? sprintf(f[7], b / a) : "-"
    return b > 0 ? sprintf(f[7], a / b) : "-"
}
# The text below a table, or in its place.
function note(part,   text) {
    if (!known[part]) { print "| not measured: no results are kept |"; print "|---|"; return 0 }
    if (!any[part]) {
        text = substr(missing[part], 3)
        sub(/^all: /, "", text)
        print "| not measured: " (text ? text : "it came to no results") " |"; print "|---|"
        return 0
    }
    return 1
}
function below(part) {
    print ""
    print "`" about[part, "command"] "`, " about[part, "began"] " UTC; load " about[part, "load"] " when it began, others took " about[part, "others"] \
        " processors: " about[part, "state"] (missing[part] ? ". Not measured: " substr(missing[part], 3) : "") "."
}
function table(part, title, rows, columns,   n, m, i, k, row, cells, line, c) {
    if (!note(part)) return
    all = rows == "subjects" || rows == "variants" # then the key is the title
    if (rows == "subjects") rows = substr(subjects[part], 2)
    if (rows == "variants") rows = substr(variants[part], 2)
    n = split(rows, row, ";"); m = split(columns, c, ";")
    line = "| " title " |"; cells = "|---|"
    for (k = 1; k <= m; k++) { split(c[k], f, "|"); line = line " " f[1] " |"; cells = cells "---:|" }
    print line; print cells
    for (i = 1; i <= n; i++) {
        key = title_of = row[i]
        if (!all) { sub(/=.*/, "", key); sub(/^[^=]*=/, "", title_of) }
        line = "| " title_of " |"; cells = 0
        for (k = 1; k <= m; k++) {
            split(c[k], f, "|")
            text = cell(part, key)
            cells += text != "-"
            line = line " " text " |"
        }
        if (cells) print line
    }
    below(part)
}

# ---- A probe: what a pair of calls takes more than none, from the least of each job --------------------------------------------------------

function pair(r, v, j,   plain) {
    plain = least("probe", r, "plain", j)
    if (j ~ /^fib-/ && least("probe", r, "plain", "fib") < plain) plain = least("probe", r, "plain", "fib")
    return (least("probe", r, v, j) - plain) / least("probe", r, "count", "calls " j)
}
function probe(r,   n, m, i, k, row, job, one, line, floor) {
    if (!note("probe")) return
    n = split("empty||two empty calls;based|empty|the same, ids with a base;bare-stopwatch||Stopwatch, read twice;bare-fast||fast, read twice;" \
        "bare-unfenced||fast-unfenced, read twice;naive||naive: Stack, Stopwatch, Dictionary, lock;aspect||AspectInjector 2.7.3;" \
        "timer||MethodTimer.Fody 3.2.3;log||`mono --profile=log:calls`;none||tracker, `clock=none`;stopwatch|bare-stopwatch|tracker, `clock=stopwatch`;" \
        "fast|bare-fast|tracker, `clock=fast`;fast-unfenced|bare-unfenced|tracker, `clock=fast-unfenced`;coarse||tracker, `clock=coarse`", row, ";")
    m = split("fib=fib;richards=Richards;json=JSON;iterators=iterators;fib-2=fib, 2 threads;fib-8=fib, 8 threads;async=async;exceptions=exceptions", job, ";")
    line = "| ns a pair |"
    for (k = 1; k <= m; k++) { one = job[k]; sub(/^[^=]*=/, "", one); line = line " " one " |" }
    print line
    print "|---|---:|---:|---:|---:|---:|---:|---:|---:|"
    for (i = 1; i <= n; i++) {
        split(row[i], f, "|")
        if (!has("probe", r, f[1], "fib")) continue
        line = "| " f[3] " |"
        for (k = 1; k <= m; k++) {
            one = job[k]; sub(/=.*/, "", one)
            if (!has("probe", r, f[1], one) || !has("probe", r, "plain", one) || ((f[1] == "aspect" || f[1] == "timer") && one ~ /^(async|iterators)$/)) { line = line " - |"; continue }
            if (pair(r, f[1], one) <= 0) { line = line " ? |"; continue } # less than what differs from run to run
            floor = f[2] != "" && has("probe", r, f[2], one) ? pair(r, f[2], one) : 0
            line = line sprintf(" %.1f%s |", pair(r, f[1], one), floor > 0 && one !~ /^(async|exceptions)$/ ? sprintf(" (%+.0f %%)", (pair(r, f[1], one) / floor - 1) * 100) : "")
        }
        print line
    }
    below("probe")
}

function machine(   text) {
    split("rewrite jobs growth probe compiler report merge start control", f, " ")
    for (i = 1; i in f; i++) if (about[f[i], "machine"]) { text = about[f[i], "machine"] "; " about[f[i], "versions"]; break }
    print text ? text "." : "Nothing is measured yet."
}

# ---- Loops that are called once: instrumented over plain, in one way to run them -------------------------------------------------------------

# The middle of what each run's two figures give.
function middle_ratio(part, s, v, m, base,   key, other, n, i, list) {
    key = part SUBSEP s SUBSEP v SUBSEP m
    other = part SUBSEP s SUBSEP base SUBSEP m
    n = count[key] < count[other] ? count[key] : count[other]
    for (i = 1; i <= n; i++) list[i] = values[key, i] / values[other, i]
    return middle(list, n)
}
function kernels(mode,   n, m, i, k, kernel, shape, shapes, says, line, title, ratio, within, of) {
    if (!note("kernels")) return
    if (!(("kernels", "s", mode) in seen)) { print "| not measured in this run |"; print "|---|"; return }
    says["ret"] = "ret"; says["guarded"] = "guarded"; says["finally"] = "try/finally, Mono.Cecil"
    m = split("ret guarded finally", shapes, " ")
    n = split(substr(metrics["kernels"], 2), kernel, ";")
    for (k = 1; k <= m; k++) {
        for (i = 1; i <= n && !has("kernels", mode, shapes[k], kernel[i]); i++);
        if (i <= n) { shape[++of["shapes"]] = shapes[k]; title = title " " says[shapes[k]] " |" }
    }
    m = of["shapes"]
    print "| kernel | plain, ms |" title
    line = "|---|---:|"
    for (k = 1; k <= m; k++) line = line "---:|"
    print line
    for (i = 1; i <= n; i++) {
        if (!has("kernels", mode, "plain", kernel[i])) continue
        line = sprintf("| %s | %.1f / %.1f |", kernel[i], least("kernels", mode, "plain", kernel[i]),
            median("kernels", mode, "plain", kernel[i]))
        for (k = 1; k <= m; k++) {
            if (!has("kernels", mode, shape[k], kernel[i])) { line = line " - |"; continue }
            ratio = least("kernels", mode, shape[k], kernel[i]) / least("kernels", mode, "plain", kernel[i])
            ratio = sprintf("%.2f", ratio)
            of[k]++
            within[k] += ratio + 0 <= 1.1
            line = line " " (ratio + 0 > 1.1 ? "**" ratio "**" : ratio)
            line = line sprintf(" / %.2f |", middle_ratio("kernels", mode, shape[k], kernel[i], "plain"))
        }
        print line
    }
    line = "| *at most 1.10* | |"
    for (k = 1; k <= m; k++) line = line " " within[k] + 0 " of " of[k] " |"
    print line
    below("kernels")
}

function make(name) {
    if (name == "machine") machine()
    else if (name == "cold") table("rewrite", "ms, least / median", "subjects",
        "Mono.Cecil|t|*|cecil|seconds|0.001|%.1f;ReadyToRun|t|*|cecil-r2r|seconds|0.001|%.1f;ILInject|t|*|int|seconds|0.001|%.1f;built-in|t|*|builtin|seconds|0.001|%.1f;" \
        "`cp`|t|*|cp|seconds|0.001|%.1f;Cecil / ILInject|f|*|int|seconds|1|%.0f|*|cecil|seconds;ReadyToRun / ILInject|f|*|int|seconds|1|%.0f|*|cecil-r2r|seconds;" \
        "ILInject / `cp`|r|*|int|seconds|1|%.1f|*|cp|seconds")
    else if (name == "speed") table("rewrite", "ms, a process each", "subjects",
        "Mono.Cecil|l|*|cecil|seconds|0.001|%.1f;the same calls|l|*|int|seconds|0.001|%.1f;with tracker, names and guards|l|*|builtin|seconds|0.001|%.1f;`cp`|l|*|cp|seconds|0.001|%.1f")
    else if (name == "peak") table("rewrite", "peak memory, MiB", "subjects",
        "input|l|*|input|bytes|1048576|%.2f;Mono.Cecil|x|*|cecil|kib|1024|%.1f;with tracker, names and guards|x|*|builtin|kib|1024|%.1f;`cp`|x|*|cp|kib|1024|%.1f")
    else if (name == "memory") table("rewrite", "peak memory, MiB", "subjects",
        "input|l|*|input|bytes|1048576|%.2f;3 × input + 4|b|*|input|bytes|1048576|%.1f;Mono.Cecil|x|*|cecil|kib|1024|%.1f;ReadyToRun|x|*|cecil-r2r|kib|1024|%.1f;ILInject|x|*|int|kib|1024|%.1f;built-in|x|*|builtin|kib|1024|%.1f;" \
        "`cp`|x|*|cp|kib|1024|%.1f")
    else if (name == "batch") table("jobs", "1,000 files in one run", "one=one worker;several=as many as processors;each=a process each;cecil=Mono.Cecil 0.11.6, one process;" \
        "default=one worker, built-in tracker and guards;defaults=as many as processors, the same;spin1=a program that only counts, one thread;spin2=the same, as many threads",
        "wall, s|t|files|*|seconds|1|%.2f;processors, s|t|files|*|processor|1|%.2f;peak, MiB|x|files|*|kib|1024|%.1f;wall: times one worker|r|files|*|seconds|1|%.2f|files|one|seconds;" \
        "processors: times one worker|r|files|*|processor|1|%.2f|files|one|processor")
    else if (name == "growth") table("growth", "growth", "subjects",
        "files|l|*|files|count|1|%d;bytes|l|*|input|bytes|1|%d;Mono.Cecil|g|*|cecil|bytes|1|%.2f %%|*|input|bytes;the same calls|g|*|int|bytes|1|%.2f %%|*|input|bytes;" \
        "built-in, ret|g|*|builtin|bytes|1|%.2f %%|*|input|bytes;built-in, guarded|g|*|guarded|bytes|1|%.2f %%|*|input|bytes")
    else if (name == "probe-mono") probe("mono")
    else if (name == "probe-coreclr") probe("dotnet")
    else if (name == "compiler") table("compiler", "processor seconds, least / median", "ahead=compiled ahead of time;plain=plain;empty=two empty calls;" \
        "naive=naive: Stack, Stopwatch, Dictionary, lock;log=`mono --profile=log:calls`;none=tracker, `clock=none`;fast-unfenced=tracker, `clock=fast-unfenced`;fast=tracker, `clock=fast`;" \
        "stopwatch=tracker, `clock=stopwatch`;folded=the same, `nodes=20000`",
        "mcs, Mono|t|mono mcs|*|processor|1|%.2f;times plain|r|mono mcs|*|processor|1|%.1f|mono mcs|plain|processor;mcs, CoreCLR|t|dotnet mcs|*|processor|1|%.2f;" \
        "times plain|r|dotnet mcs|*|processor|1|%.1f|dotnet mcs|plain|processor;csc, CoreCLR|t|dotnet csc|*|processor|1|%.2f;times plain|r|dotnet csc|*|processor|1|%.1f|dotnet csc|plain|processor")
    else if (name == "compiler-calls") table("compiler", "what is recorded", "mono mcs=mcs, Mono;dotnet mcs=mcs, CoreCLR;dotnet csc=csc, CoreCLR",
        "calls|l|*|none|calls|1|%d;places of the call tree|l|*|none|places|1|%d")
    else if (name == "start") table("start", "ms, least / median", "mono=Mono;dotnet=CoreCLR",
        "empty tracker|t|*|empty|seconds|0.001|%.1f;built-in|t|*|built-in|seconds|0.001|%.1f;ratio|r|*|built-in|seconds|1|%.2f|*|empty|seconds;first call|l|*|built-in|first|1000|%.1f;" \
        "at the end|l|*|built-in|exit|1000|%.1f;137,256 nodes at the end|l|*|large|exit|1000|%.1f")
    else if (name == "control") table("control", "ns a pair; µs a second", "mono=Mono;dotnet=CoreCLR",
        "stopped|l|*|stopped|ns|1|%.1f;waiting for a method|l|*|waiting|ns|1|%.1f;thread, µs a second|l|*|thread|us|1|%d;with `control=0`|l|*|without|us|1|%d")
    else if (name == "capture") table("capture", "ns a call", "variants", "Mono|l|mono|*|ns|1|%.1f;CoreCLR|l|dotnet|*|ns|1|%.1f")
    else if (name == "capture-json") table("capture", "Newtonsoft.Json", "none=as it is;profiled=profiled;convert=`JsonConvert: args, return`;first=all methods, `first=100`",
        "ms|l|json|*|ms|1|%d;times profiled|r|json|*|ms|1|%.2f|json|profiled|ms")
    else if (name == "build") table("build", "ms, least / median", "Plain=no hook;ByILInject=ILInject;ByFody=Fody 6.9.3;ByAspectInjector=AspectInjector 2.7.3",
        "own targets|t|edited|*|own|1|%d;times ILInject's|r|edited|*|own|1|%.0f|edited|ByILInject|own;whole build|t|edited|*|whole|1|%d;" \
        "own targets, nothing to do|t|same|*|own|1|%d;whole build, nothing to do|t|same|*|whole|1|%d")
    else if (name == "report") table("report", "1,000,000 nodes, 20,000 functions", "variants",
        "wall, ms|t|large|*|seconds|0.001|%.0f;processors, ms|t|large|*|processor|0.001|%.0f;peak, MiB|x|large|*|kib|1024|%.0f;output, KiB|x|large|*|output|1024|%d")
    else if (name == "page") table("page", "ms, least / median", "written=written;opened=opened in Chromium, to the graph;searched=searched for a name, to the marked frames", "1,000,000 nodes|t|page|*|ms|1|%.0f;peak, MiB|x|page|*|kib|1024|%.0f")
    else if (name == "merge") table("merge", "merging", "variants", "profiles|l|merge|*|profiles|1|%d;nodes each|l|merge|*|nodes|1|%d;wall, s|t|merge|*|seconds|1|%.2f;" \
        "processors, s|t|merge|*|processor|1|%.2f;µs of processors a node|l|merge|*|each|1|%.3f;peak, MiB|x|merge|*|kib|1024|%.0f")
    else if (name == "figures") table("bytes", "ns", "dotnet=.NET;mono=Mono", "a pair|l|*|off|ns|1|%.1f;with bytes|l|*|alloc=bytes|ns|1|%.1f;a reading of them|l|*|reading-bytes|ns|1|%.1f;" \
        "with collections|l|*|collections=1|ns|1|%.1f;a reading of them|l|*|reading-collections|ns|1|%.1f")
    else if (name == "objects") table("bytes", "ns", "dotnet=.NET;mono=Mono", "an object|l|*|object-plain|ns|1|%.1f;counted|l|*|object-counted|ns|1|%.1f;" \
        "with a counter of its own|l|*|object-own|ns|1|%.1f")
    else if (name == "ahead") table("ahead", "processor time, times the original", "csc=csc, .NET;service=service, .NET;answer=seconds to its first answer;mcs=mcs, Mono",
        "one method|r|*|one|seconds|1|%.2f|*|original|seconds;… compiled|r|*|one-compiled|seconds|1|%.2f|*|original|seconds;`--overhead=10%`|r|*|profile|seconds|1|%.2f|*|original|seconds;" \
        "… compiled|r|*|compiled|seconds|1|%.2f|*|original|seconds;all|r|*|full|seconds|1|%.2f|*|original|seconds")
    else if (name == "truth") truth()
    else if (name == "truth-sum") truth_sum()
    else if (name == "truth-price") truth_price()
    else if (name == "price-programs") price_programs()
    else if (name == "price-times") price_times()
    else if (name == "price-steady") price_steady()
    else if (name == "price-truth") price_truth()
    else if (name == "price-calls") price_calls()
    else if (name == "price-rules") price_rules()
    else if (name == "exits-mono") exits("mono")
    else if (name == "exits-coreclr") exits("dotnet")
    else if (name ~ /^kernels-/) { sub(/^kernels-/, "", name); kernels(name) }
    else print "| not a table that is known: " name " |\n|---|"
}
function exits(r,   n, m, i, k, job, shape, one, line, t, says) {
    if (!note("exits")) return
    n = split("void=void method that may throw;value=method with a result;own=method with a `finally` of its own;loop=100 rounds of a loop with six locals;getters=getter of a field;" \
        "Fibonacci=recursion (Fibonacci);exception=exception through 5 frames, caught", job, ";")
    m = split("guarded full finally", shape, " ")
    print "| ns, and times ret | plain | counts: ret | guarded | full | try/finally | built-in: ret | guarded | full | try/finally |"
    print "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
    for (i = 1; i <= n; i++) {
        one = says = job[i]; sub(/=.*/, "", one); sub(/^[^=]*=/, "", says)
        if (!has("exits", r, "plain", one)) continue
        line = sprintf("| %s | %.2f |", says, least("exits", r, "plain", one))
        split("count built-in", t, " ")
        for (b = 1; b <= 2; b++) {
            if (!has("exits", r, t[b] "-ret", one)) { line = line " - | - | - | - |"; continue }
            line = line sprintf(" %.2f |", least("exits", r, t[b] "-ret", one))
            for (k = 1; k <= m; k++)
                line = line (has("exits", r, t[b] "-" shape[k], one) ? sprintf(" %.2f |", least("exits", r, t[b] "-" shape[k], one) / least("exits", r, t[b] "-ret", one)) : " - |")
        }
        print line
    }
    below("exits")
}

# ---- The truth, and what tools say (truth.sh) --------------------------------------------------------------------------------------------------

# The tools that there are results of, in order, into t[]; how many.
function truth_tools(t,   n, i, k, all, name) {
    n = split("ilinject;bodies;trace;aspect;naive", all, ";")
    for (i = 1; i <= n; i++) if (variants["truth"] ";" ~ (" " all[i] ";")) t[++k] = all[i]
    return k + 0
}
function truth_states(t,   k) {
    if (variants["truth"] ";" ~ /quiet /) t[++k] = "quiet"
    if (variants["truth"] ";" ~ /busy /) t[++k] = "busy"
    return k + 0
}
function truth_title(tool) { return tool == "ilinject" ? "ILInject" : tool == "priced" ? "ILInject at 10 %" : tool == "bodies" ? "samples of its code" : tool == "trace" ? "dotnet-trace" : tool == "aspect" ? "AspectInjector" : tool == "naive" ? "naive weaver" : tool }
function truth_of(s, v, m) { return values["truth", s, v, m, 1] }
function truth_cell(s, v,   text, verdict) {
    if (!has("truth", s, v, "share")) return "-"
    verdict = truth_of(s, v, "verdict")
    if (verdict == 3) return "not seen"
    text = sprintf("%.1f", truth_of(s, v, "share"))
    if (!truth_of(s, v, "small")) text = text sprintf(" (%d)", truth_of(s, v, "rank"))
    if (!truth_of(s, v, "sure") || verdict == 1) text = "~ " text sprintf(" %.1f to %.1f", truth_of(s, v, "low"), truth_of(s, v, "high"))
    return verdict == 2 ? "**" text "**" : text
}
# "Calls Calls.Program::Steps": the program, and the method without its namespace.
function truth_name(s,   name) {
    name = s
    sub(/^[^ ]* /, "", name)
    sub(/^[^:]*\./, "", name)
    sub(/::/, ".", name)
    gsub(/`[0-9]+/, "", name)
    return "`" name "`"
}
function truth(   n, k, i, j, m, s, row, line, cells, states, tools, program, last, v, bound) {
    if (!note("truth")) return
    n = truth_states(states); k = truth_tools(tools)
    line = "| percent of the time (rank) | |"; cells = "|---|---|"
    for (i = 1; i <= n; i++) {
        line = line " " states[i] ": true |"; cells = cells "---:|"
        for (j = 1; j <= k; j++) { line = line " " truth_title(tools[j]) " |"; cells = cells "---:|" }
    }
    print line; print cells
    m = split(substr(subjects["truth"], 2), row, ";")
    for (s = 1; s <= m; s++) {
        if (row[s] !~ / /) continue # of the price
        program = row[s]; sub(/ .*/, "", program)
        line = "| " (program == last ? "" : program) " | " truth_name(row[s]) " |"
        last = program
        for (i = 1; i <= n; i++) {
            v = states[i] " "
            if (has("truth", row[s], v "truth", "share")) line = line " " truth_cell(row[s], v "truth") " |"
            else {
                bound = ""
                for (j = 1; j <= k; j++) if (has("truth", row[s], v tools[j], "small") && truth_of(row[s], v tools[j], "small")) bound = sprintf("≤ %.1f", truth_of(row[s], v tools[j], "truth"))
                line = line " " (bound ? bound : "-") " |"
            }
            for (j = 1; j <= k; j++) line = line " " truth_cell(row[s], v tools[j]) " |"
        }
        print line
    }
    below("truth")
}
# Pairs of one program that the tool is sure of, in the wrong order though their truths differ by more than a fifth.
function truth_orders(v, row, m,   a, b, n, p, q) {
    for (a = 1; a <= m; a++) {
        if (!has("truth", row[a], v, "share") || !truth_of(row[a], v, "sure") || truth_of(row[a], v, "small") || truth_of(row[a], v, "verdict") == 3) continue
        for (b = 1; b <= m; b++) {
            p = row[a]; q = row[b]; sub(/ .*/, "", p); sub(/ .*/, "", q)
            if (p != q || a == b || !has("truth", row[b], v, "share") || !truth_of(row[b], v, "sure") || truth_of(row[b], v, "verdict") == 3) continue
            if (truth_of(row[a], v, "truth") > truth_of(row[b], v, "truth") * 1.2 && truth_of(row[a], v, "share") < truth_of(row[b], v, "share")) n++
        }
    }
    return n + 0
}
function truth_sum(   n, k, i, j, m, s, row, states, tools, v, c, verdict) {
    if (!note("truth")) return
    n = truth_states(states); k = truth_tools(tools)
    print "| machine | tool | methods with 5 % and more | within 20 % | says that it cannot know | wrong | not seen | small ones: too large | wrong orders said with confidence |"
    print "|---|---|---:|---:|---:|---:|---:|---:|---:|"
    m = split(substr(subjects["truth"], 2), row, ";")
    for (i = 1; i <= n; i++) for (j = 1; j <= k; j++) {
        v = states[i] " " tools[j]
        split("", c, ";")
        for (s = 1; s <= m; s++) if (has("truth", row[s], v, "share")) {
            verdict = truth_of(row[s], v, "verdict")
            if (truth_of(row[s], v, "small")) c["small"] += verdict == 2
            else { c["all"]++; c[verdict]++ }
        }
        printf "| %s | %s | %d | %d | %d | %d | %d | %d | %d |\n", states[i], truth_title(tools[j]), c["all"], c[0], c[1], c[2], c[3], c["small"], truth_orders(v, row, m)
    }
    below("truth")
}
function truth_price(   n, i, m, s, row, states, line, cells, v, any_of) {
    if (!note("truth")) return
    n = truth_states(states)
    line = "| program |"; cells = "|---|"
    for (i = 1; i <= n; i++) {
        line = line " " states[i] ": processor s, plain | instrumented | times | hint | slower: report | a busy loop |"; cells = cells "---:|---:|---:|---|---:|---:|"
    }
    print line; print cells
    m = split(substr(subjects["truth"], 2), row, ";")
    for (s = 1; s <= m; s++) {
        if (row[s] ~ / /) continue
        line = "| " row[s] " |"; any_of = 0
        for (i = 1; i <= n; i++) {
            v = states[i] " price"
            if (!has("truth", row[s], v, "plain")) { line = line " - | - | - | - | - | - |"; continue }
            any_of = 1
            line = line sprintf(" %.2f | %.2f | %.1f | %s | %s | %s |", truth_of(row[s], v, "plain"), truth_of(row[s], v, "instrumented"),
                truth_of(row[s], v, "plain") > 0 ? truth_of(row[s], v, "instrumented") / truth_of(row[s], v, "plain") : 0, truth_of(row[s], v, "hint") ? "yes" : "no",
                has("truth", row[s], v, "slower") ? sprintf("%.2f", truth_of(row[s], v, "slower")) : "-", has("truth", row[s], v, "loop") ? sprintf("%.2f", truth_of(row[s], v, "loop")) : "-")
        }
        if (any_of) print line
    }
    below("truth")
}

# ---- A named price (price.sh) ----------------------------------------------------------------------------------------------------------------

# Rows "NAME-RUNTIME" with a known figure, into t[]; how many.
function price_rows(t,   n, m, i, k, all) {
    m = split(substr(subjects["price"], 2), all, ";")
    for (i = 1; i <= m; i++) if (all[i] ~ /-(mono|dotnet)$/ && all[i] !~ /^calls-/) t[++k] = all[i]
    return k + 0
}
function price_name(row,   runtime) {
    runtime = row
    sub(/.*-/, "", runtime); sub(/-[a-z]*$/, "", row)
    return row ", " (runtime == "mono" ? "Mono" : "CoreCLR")
}
# Bold: the profile above 1.10 of plain; once and the governor above 1.25 (hundred: 1.05) when its first second is taken off whole.
function price_cell(row, v,   plain, one, bound, ratio, above) {
    if (!has("price", row, v, "processor")) return "not there"
    one = least("price", row, v, "processor")
    ratio = sprintf("%.2f / %.2f", one, median("price", row, v, "processor"))
    if (v == "plain" || !has("price", row, "plain", "processor")) return ratio
    plain = least("price", row, "plain", "processor")
    bound = row ~ /^hundred-/ ? 1.05 : 1.25
    above = v == "profile" && one > 1.10 * plain || v ~ /^(once|governor)$/ && one - 1 > bound * plain
    return ratio (plain > 0 ? sprintf(above ? " (**%.2f**)" : " (%.2f)", one / plain) : "")
}
function price_programs(   n, i, k, row, v, line) {
    if (!note("price")) return
    n = price_rows(row)
    split("original plain full off profile guess once governor", v, " ")
    print "| processor s, least / middle (times plain) | original | plain | full | none recorded | from a profile | guess | once | governor |"
    print "|---|---:|---:|---:|---:|---:|---:|---:|---:|"
    for (i = 1; i <= n; i++) {
        if (!has("price", row[i], "plain", "processor")) continue
        line = "| " price_name(row[i]) " |"
        for (k = 1; k <= 8; k++) line = line " " price_cell(row[i], v[k]) " |"
        print line
    }
    below("price")
}
# The same as ratios alone, of what a user can choose.
function price_times(   n, i, k, row, v, line, text) {
    if (!note("price")) return
    n = price_rows(row)
    split("full off profile once governor", v, " ")
    print "| processor time, times plain | all methods | none recorded | `--overhead=10%` from a profile | `run --once` | `--set overhead=10%` |"
    print "|---|---:|---:|---:|---:|---:|"
    for (i = 1; i <= n; i++) {
        if (!has("price", row[i], "plain", "processor")) continue
        line = "| " price_name(row[i]) " |"
        for (k = 1; k <= 5; k++) {
            text = price_cell(row[i], v[k])
            if (text ~ /\(/) { sub(/^.*\(/, "", text); sub(/\)$/, "", text) }
            line = line " " text " |"
        }
        print line
    }
    below("price")
}
# Bold: above 1.25 of plain.
function price_difference(row, v,   ratio) {
    if (!has("price", row, v, "steady")) return " | not there |"
    ratio = least("price", row, v, "steady") / least("price", row, "plain", "steady")
    return sprintf(ratio > 1.25 ? " %.2f | **%.2f** |" : " %.2f | %.2f |", least("price", row, v, "steady"), ratio)
}
function price_steady(   n, i, row) {
    if (!note("price")) return
    n = price_rows(row)
    print "| processor s between two lengths | plain | once | times plain | governor | times plain |"
    print "|---|---:|---:|---:|---:|---:|"
    for (i = 1; i <= n; i++)
        if (has("price", row[i], "plain", "steady") && least("price", row[i], "plain", "steady") > 0)
            print "| " price_name(row[i]) sprintf(" | %.2f |", least("price", row[i], "plain", "steady")) price_difference(row[i], "once") \
                price_difference(row[i], "governor")
    below("price")
}
function price_truth(   n, i, k, row, v, line) {
    if (!note("price")) return
    n = price_rows(row)
    split("full profile once governor again", v, " ")
    print "| of the ten: among its ten, share within 5 %, not there (worst error of a share; of a time) | full | from a profile | once | governor | Stopwatch again |"
    print "|---|---:|---:|---:|---:|---:|"
    for (i = 1; i <= n; i++) {
        if (!has("price", row[i], "full", "ten")) continue
        line = "| " price_name(row[i]) " |"
        for (k = 1; k <= 5; k++)
            line = line (has("price", row[i], v[k], "ten") ? sprintf(" %d, %d, %d of %d (%.0f %%; %.0f %%) |", least("price", row[i], v[k], "ten"), least("price", row[i], v[k], "near"),
                least("price", row[i], v[k], "gone"), least("price", row[i], v[k], "of"), least("price", row[i], v[k], "worst") * 100, least("price", row[i], v[k], "time") * 100) : " not there |")
        print line
    }
    below("price")
}
function price_calls(   i, j, k, r, v, m, says, line) {
    if (!note("price")) return
    split("mono dotnet", r, " ")
    split("apart small result", m, " ")
    split("plain off stopped counts on", v, " ")
    split("not instrumented;switched off;recording stopped;counted alone;recorded", says, ";")
    print "| ns a call | Mono: apart | small | with a result | CoreCLR: apart | small | with a result |"
    print "|---|---:|---:|---:|---:|---:|---:|"
    for (k = 1; k <= 5; k++) {
        line = "| " says[k] " |"
        for (i = 1; i <= 2; i++) for (j = 1; j <= 3; j++)
            line = line (has("price", "calls-" r[i], v[k], m[j]) ? sprintf(" %.2f |", least("price", "calls-" r[i], v[k], m[j])) : " not there |")
        print line
    }
    below("price")
}
# Bold: above 1.10 of the time without rules.
function price_rules(   i, v, says, line, one, none) {
    if (!note("price")) return
    split("none nothings methods", v, " ")
    split("no rules;10,000 excludes that name nothing;10,000 excludes that name a method each", says, ";")
    print "| Roslyn, three assemblies | processor s | times without rules |"
    print "|---|---:|---:|"
    for (i = 1; i <= 3; i++) {
        if (!has("price", "rules", v[i], "processor")) { print "| " says[i] " | not there | |"; continue }
        one = least("price", "rules", v[i], "processor")
        none = has("price", "rules", "none", "processor") ? least("price", "rules", "none", "processor") : 0
        line = sprintf("| %s | %.2f / %.2f |", says[i], one, median("price", "rules", v[i], "processor"))
        print line (i == 1 || none <= 0 ? " |" : sprintf(one > 1.10 * none ? " **%.2f** |" : " %.2f |", one / none))
    }
    below("price")
}
