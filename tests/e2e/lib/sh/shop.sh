# tests/e2e/lib/sh/shop.sh - a service of ASP.NET Core with SQLite (fixtures/net/ShopService.cs), under load. $ROOT is the tree.
#   shop_make FOLDER             compiles it; when something is not there, says what and returns 1
#   shop_load FOLDER REQUESTS    runs it in that folder, with the profile shop.ilprof there, and asks it for the orders 0 to
#                                REQUESTS - 1, eight at once; false unless each is answered
shop_pins=(Microsoft.Data.Sqlite.Core/9.0.0 SQLitePCLRaw.core/2.1.13 SQLitePCLRaw.provider.sqlite3/2.1.11)

shop_make() {
    local packages sdk packs core web libraries
    sdk=$(dotnet --list-sdks 2>/dev/null | sed -n 's/^\([^ ]*\) \[\(.*\)\]$/\2\/\1/p' | tail -n 1)
    packs=$(dirname "$(dirname "${sdk:-/}")")/packs
    core=$(find "$packs" -path '*/Microsoft.NETCore.App.Ref/*/ref/net*' -prune 2>/dev/null | sort -V | tail -n 1)
    web=$(find "$packs" -path '*/Microsoft.AspNetCore.App.Ref/*/ref/net*' -prune 2>/dev/null | sort -V | tail -n 1)
    [ -n "$core" ] && [ -n "$web" ] && dotnet --list-runtimes | grep -q '^Microsoft.AspNetCore.App ' ||
        { echo "no .NET SDK with ASP.NET Core"; return 1; }
    packages=$("$ROOT/tests/nuget-fetch" "${shop_pins[@]}") || { echo "$packages"; return 1; }
    libraries=("$packages"/microsoft.data.sqlite.core/9.0.0/lib/net8.0/Microsoft.Data.Sqlite.dll
        "$packages"/sqlitepclraw.core/2.1.13/lib/netstandard2.0/SQLitePCLRaw.core.dll
        "$packages"/sqlitepclraw.provider.sqlite3/2.1.11/lib/net6.0/SQLitePCLRaw.provider.sqlite3.dll)
    mkdir -p "$1" && cp "${libraries[@]}" "$1" &&
        FRAMEWORK=$(printf '%s ' "$core"/*.dll "$web"/*.dll) "$ROOT/tests/dotnet-csc" "$1/Shop.dll" -optimize+ \
            -nowarn:1701,1702 "${libraries[@]/#/-r:}" "$ROOT/fixtures/net/ShopService.cs" >"$1/compiled" 2>&1 ||
        { tail -n 1 "$1/compiled"; return 1; }
    sed -i 's/Microsoft\.NETCore\.App/Microsoft.AspNetCore.App/' "$1/Shop.runtimeconfig.json"
}

shop_load() {
    local server address answered
    rm -f "$1"/shop.{db,ilprof,said}
    ILINJECT_OUT=$1/shop.ilprof dotnet "$1/Shop.dll" "$1/shop.db" >"$1/shop.said" 2>&1 &
    server=$!
    within 100 grep -q '^http' "$1/shop.said" || { kill -KILL $server; cat "$1/shop.said"; return 1; }
    address=$(head -n 1 "$1/shop.said")
    curl -s --parallel --parallel-max 8 -w '%{http_code}\n' -o /dev/null "$address/orders/[0-$(($2 - 1))]" 2>/dev/null >"$1/codes"
    answered=$(grep -c '^200$' "$1/codes")
    kill -TERM $server
    wait $server
    [ "$answered" -eq "$2" ] && [ -s "$1/shop.ilprof" ] || { echo "$answered of $2 are answered"; cat "$1/shop.said"; return 1; }
}
