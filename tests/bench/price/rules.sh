# rules.sh - 10,000 exact excludes over Roslyn's three assemblies: sourced by price.sh.

# config FILE NAMES: a configuration that excludes these
config() {
    {
        echo '<ilinject><selection>'
        sed 's/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g; s/.*/<exclude pattern="&"\/>/' "$2"
        echo '</selection></ilinject>'
    } >"$1"
}
run_rules() {
    local run variant options took rounds=5 TIMEFORMAT='%U %S' files=() file
    [ -z "$quick" ] || rounds=1
    [ "$roslyn" ] || { not_there rules all "no .NET SDK with Roslyn"; return; }
    for file in csc.dll Microsoft.CodeAnalysis.dll Microsoft.CodeAnalysis.CSharp.dll; do
        files+=("$roslyn/$file")
    done
    # Nested types, generics, parameters and signs that patterns give a meaning are left out.
    "$ilinject" list "${files[@]}" 2>/dev/null | awk '
        /^(class|struct|enum|interface|delegate) / { type = $2; next }
        /^[^ ]/ { type = "" }
        /^  0x/ && type ~ /^[A-Za-z.]+$/ && $3 == "instrument" {
            name = field[split($0, field, /  +/)]
            sub(/\(.*/, "", name)
            if (name ~ /^[A-Za-z_]+$/ && !seen[type "." name]++) print type "." name
        }' | head -n 10000 >"$work/methods"
    awk 'BEGIN { for (i = 0; i < 10000; i++) print "Microsoft.CodeAnalysis.None" i ".Go" }' \
        >"$work/nothings"
    echo "rules: $(wc -l <"$work/methods") names of methods"
    config "$work/methods.xml" "$work/methods"
    config "$work/nothings.xml" "$work/nothings"
    mkdir -p "$work/roslyn"
    raw rules methods names "$(wc -l <"$work/methods")"
    : >"$work/rules"
    for ((run = 0; run < rounds; run++)); do
        for variant in none nothings methods; do
            [ -z "${absent["rules $variant"]:-}" ] || continue
            options=()
            [ $variant = none ] || options=(--config "$work/$variant.xml")
            { time timeout 60 "$ilinject" -q --jobs=1 "${files[@]}" -o "$work/roslyn/" \
                "${options[@]}" >"$work/log" 2>&1; } 2>"$work/took"
            case $? in
            0) ;;
            124) not_there rules $variant "it was ended after 60 s"; continue ;;
            *) not_there rules $variant "$(reason_in "$work/log")"; continue ;;
            esac
            took=$(awk '{ print $1 + $2 }' "$work/took")
            raw rules $variant processor "$took"
            echo "rules $variant $took" >>"$work/rules"
        done
    done
    printf '\n10,000 exact excludes over Roslyn: processor s, least, and times none\n'
    awk '!($2 in least) || $3 < least[$2] { least[$2] = $3 }
        END { n = split("none nothings methods", order, " ")
            for (i = 1; i <= n; i++) { v = order[i]
                if (!(v in least) || !least["none"]) continue
                mark = least[v] > 1.10 * least["none"] ? "**" : ""
                printf "%-9s %.2f %s%.2f%s\n", v, least[v], mark, least[v] / least["none"], mark } }' \
        "$work/rules"
}
