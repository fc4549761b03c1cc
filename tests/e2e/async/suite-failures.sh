#!/usr/bin/env bash
# An exception that goes through several async methods is one: thrown once, stored, and passed on by each await. The
# report counts it once and says where it was thrown, which tasks passed it on, and who handled it; merged runs, too.
. "$(dirname "$0")/../../lib.sh"
. "$(dirname "$0")/../lib/sh/ladder.sh"
. "$(dirname "$0")/../lib/sh/failures.sh"
. "$(dirname "$0")/../lib/sh/ways.sh"
ready || { skip "exceptions of async methods are counted once" "no mono or no mcs"; finish; }

ways() { # NAME RUNTIME FILE
    local shape said
    for shape in guarded-paths guarded-full ret-paths; do
        check "$1 is instrumented for $shape" instrument "$1" "$3" "$shape"
        run_program "$1-$shape" "$2" "$SCRATCH/after/$1-$shape/$(basename "$3")"
        said=$SCRATCH/said/$1-$shape.$2
        check "$1 declines 35 payments under $2, $shape" test "$(cat "$said.out")" = 35
        # In the ret shape no handler says that it has caught an exception.
        check "35 exceptions are 35 under $2, $shape" once "$said.ilprof" 1 "$shape"
    done
    check "profiles of $1 are merged" "$ILINJECT" merge -o "$SCRATCH/$1.ilprof" "$SCRATCH/said/$1-guarded-paths.$2.ilprof" \
        "$SCRATCH/said/$1-guarded-full.$2.ilprof"
    check "the exceptions of two runs are 70 under $2, merged" once "$SCRATCH/$1.ilprof" 2 guarded
}

check "the payments compile with mcs" by_mcs Payments "$fixtures/Payments.cs"
ways Payments mono "$before/Payments.exe"
if can dotnet && by_csc PaymentsCore -optimize "$fixtures/Payments.cs"; then
    ways PaymentsCore dotnet "$before/PaymentsCore.dll"
else
    skip "exceptions of async methods are counted once on CoreCLR" "no .NET SDK"
fi

# ---- A service: no code of its own handles what its handlers throw ---------------------------------------------------

declined() { # what 70 requests make of 35 exceptions, and two of a handler without async methods
    said_of service.ilprof >exceptions
    local line
    for line in '35 Declined' '35 stored in the task of Bank.Charge(int)' 'thrown in Bank.Check(int)' \
        '35 passed on by await to the task of Bank.Order(int)' '35 passed on by await to the task of Bank.Pay(int)'; do
        grep -qxF "$line" exceptions || { echo "no $line"; cat exceptions; return 1; }
    done
    grep -c 'Declined' exceptions | grep -qx 1
}
serve() {
    local address id
    ILINJECT_OUT=$SCRATCH/service.ilprof dotnet service/out/service.dll --urls http://127.0.0.1:0 >service.log 2>&1 &
    server=$!
    within 100 grep -q '^listens ' service.log || { cat service.log; kill -KILL $server; return 1; }
    address=$(sed -n 's/^listens //p' service.log)
    for id in $(seq 70); do
        curl -s -o answer -w '%{http_code}\n' "$address/pay/$id"
    done >codes
    kill -TERM $server
    wait $server
    [ "$(grep -c -x 200 codes)" -eq 35 ] && [ "$(grep -c -x 500 codes)" -eq 35 ] || { sort codes | uniq -c; return 1; }
}
service() { # a project of ASP.NET Core, built and instrumented
    local server compiler=()
    if server=$("$ROOT/tests/compile-server"); then compiler=(-p:UseSharedCompilation=true "-p:SharedCompilationId=$server"); fi
    mkdir service && cp "$ROOT/tests/e2e/lib/cs/PayService.cs" service && cp "$ROOT/docs/tasks/examples/web/web.csproj" service/service.csproj &&
        (cd service && DOTNET_CLI_TELEMETRY_OPTOUT=1 timeout 300 dotnet build -c Release -o bin -v quiet -p:RestoreSources="$SCRATCH" "${compiler[@]}" >build.log 2>&1) ||
        { tail -n 5 service/build.log; return 1; }
    "$ILINJECT" -q service/bin -o service/out --exceptions=full
}
if can dotnet && has curl && dotnet --list-runtimes | grep -q '^Microsoft\.AspNetCore\.App 10\.'; then
    check "a service of ASP.NET Core is built and instrumented" service
    check "half of its requests fail, as before" serve
    check "35 exceptions of its handlers are 35, with the tasks that passed them on" declined
else
    skip "exceptions of a service are counted once" "no ASP.NET Core 10, or no curl"
fi
finish
