#!/usr/bin/env bash
# level: full
# `make release`, twice: in two folders, on two days, by clocks, time zones, umasks and languages that differ. All bytes
# are equal, and from these files alone README's first example is done: in a bare Debian, in an empty root by the steps of
# the Dockerfile, below a root of rpm's, and by the .NET tool.
. "$(dirname "$0")/../../lib.sh"
cd "$SCRATCH" || exit 1
unset "${!MAKE@}" SOURCE_DATE_EPOCH "${!ILINJECT_@}"
version=$(sed -n 's/^#define ILJ_VERSION "\(.*\)"$/\1/p' "$ROOT/include/ilinject.h")
if ! missing=$("$ROOT/src/packaging/pack" tools 2>&1) || ! has mcs || ! has mono || ! is_checkout; then
    skip "a release is made" "${missing:-no Mono, or not a git checkout}"
    finish
fi
url=https://files.example/v$version
copy() { # FOLDER: the files that git knows, as they are now, and the archives that a build fetches
    mkdir -p "$1/build/sources" &&
        (cd "$ROOT" && git ls-files -z --deduplicate | while IFS= read -r -d '' file; do [ ! -e "$file" ] || printf '%s\0' "$file"; done |
            tar -c --null --files-from=-) | tar -x -C "$1" || return
    cp -r "$ROOT"/build/sources/*.tar.* "$ROOT"/build/sources/*.deb "$ROOT"/build/sources/{wasmtime,benchmark} "$1/build/sources/" 2>/dev/null
    return 0
}
copy one && copy another-folder && find another-folder -type f -exec touch -d 2024-02-29T12:34:56 {} + || exit 1
other=() # a clock that is 400 days behind; one ahead is none for libxml2's configure, which compares it with the files'
if has faketime; then other=(env NO_FAKE_STAT=1 DONT_FAKE_MONOTONIC=1 FAKETIME_DONT_FAKE_MONOTONIC=1 faketime -f -400d); fi
made() { # FOLDER COMMAND…
    (cd "$1" && "${@:2}" make release VERSION="$version" RELEASE_URL="$url" SOURCE_DATE_EPOCH=1763900000) >"$1.log" 2>&1 || { tail -n 5 "$1.log"; return 1; }
}
check "a release is made" made one
[ -d one/build/release ] || { cat one.log; finish; }
check "… and one with another clock, zone, umask, language and name of the user's" eval \
    '(umask 077; TZ=Asia/Kathmandu LC_ALL=C.UTF-8 USER=somebody HOME=$SCRATCH made another-folder "${other[@]}")'
if [ ${#other[@]} -eq 0 ]; then skip "the second clock is 400 days behind" "faketime is not installed"; fi
release=$SCRATCH/one/build/release
check "both have the same bytes in every file" diff -r "$release" another-folder/build/release
x=$version
check "these are the files" diff <(printf '%s\n' "ILInject.BenchmarkDotNet.$x.nupkg" "ILInject.MSBuild.$x.nupkg" SHA256SUMS "ilinject-$x-1.aarch64.rpm" "ilinject-$x-1.x86_64.rpm" "ilinject-$x-docker.tar.gz" \
    "ilinject-$x-linux-arm64.tar.gz" "ilinject-$x-linux-x64.tar.gz" "ilinject-$x-win-x64.zip" "ilinject-$x.spdx.json" "ilinject.$x.nupkg" "ilinject.any.$x.nupkg" "ilinject.linux-arm64.$x.nupkg" "ilinject.linux-x64.$x.nupkg" \
    "ilinject.win-x64.$x.nupkg" ilinject.rb \
    "ilinject_${x}_amd64.deb" "ilinject_${x}_arm64.deb" "libilinject-dev_${x}_amd64.deb" "libilinject0_${x}_amd64.deb" $([ ! -e "$ROOT/src/npm" ] || echo "ilinject-$x.tgz") winget/ilinject.ilinject.installer.yaml \
    winget/ilinject.ilinject.locale.en-US.yaml winget/ilinject.ilinject.yaml | LC_ALL=C sort) <(cd "$release" && find . -type f | sed 's,^\./,,' | LC_ALL=C sort)
check "the sums are those of all other files" eval '(cd "$release" && sha256sum --check --strict --quiet SHA256SUMS && [ "$(wc -l <SHA256SUMS)" -eq "$(find . -type f ! -name SHA256SUMS | wc -l)" ])'
check "a program of another version in them is named" eval 'cp -r "$release" odd &&
    ! "$ROOT/src/packaging/agree" made 7.7.7 "$SCRATCH/odd" 2>err && grep -q "ilinject_${x}_arm64.deb says $x, not 7.7.7" err && grep -q "docker.tar.gz.s program says $x, not 7.7.7" err'

# ---- What is in them ---------------------------------------------------------------------------------------------------

# By the clauses of SPDX 2.3: 6 (document), 7 (packages), 10 (licences), 11 (relationships).
spdx() {
    python3 - "$release" "$x" <<'X'
import hashlib, json, os, re, sys
folder, version = sys.argv[1:]
d = json.load(open(f"{folder}/ilinject-{version}.spdx.json"))
assert d["spdxVersion"] == "SPDX-2.3" and d["dataLicense"] == "CC0-1.0" and d["SPDXID"] == "SPDXRef-DOCUMENT" and d["name"]
assert re.fullmatch(r"[a-z]+:[^#\s]+", d["documentNamespace"])
assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", d["creationInfo"]["created"])
assert all(re.match(r"(Person|Organization|Tool): \S", c) for c in d["creationInfo"]["creators"]) and d["creationInfo"]["creators"]
ids = [p["SPDXID"] for p in d["packages"]]
assert len(set(ids)) == len(ids) and all(re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", i) for i in ids)
extra = {l["licenseId"] for l in d["hasExtractedLicensingInfos"] if l["extractedText"]}
for p in d["packages"]:
    assert p["name"] and p["versionInfo"] and p["downloadLocation"] == "NOASSERTION" and p["filesAnalyzed"] is False, p
    assert [c["algorithm"] for c in p["checksums"]] == ["SHA256"] and re.fullmatch("[0-9a-f]{64}", p["checksums"][0]["checksumValue"]), p
    assert p["copyrightText"] and re.match(r"NOASSERTION$|Organization: ", p["supplier"]), p
    assert set(re.findall(r"LicenseRef-[A-Za-z0-9.-]+", p["licenseDeclared"])) <= extra, p
related = {(r["spdxElementId"], r["relationshipType"], r["relatedSpdxElement"]) for r in d["relationships"]}
assert all({a, b} <= {*ids, "SPDXRef-DOCUMENT"} and t in ("DESCRIBES", "STATIC_LINK", "CONTAINS") for a, t, b in related)
# Every file of the release but these two is described, with its sum.
by_file = {p["packageFileName"]: p for p in d["packages"]}
for top, _, names in os.walk(folder):
    for name in names:
        rel = os.path.relpath(os.path.join(top, name), folder)
        if rel in ("SHA256SUMS", f"ilinject-{version}.spdx.json"):
            continue
        p = by_file[rel]
        assert p["checksums"][0]["checksumValue"] == hashlib.sha256(open(os.path.join(top, name), "rb").read()).hexdigest(), rel
        assert ("SPDXRef-DOCUMENT", "DESCRIBES", p["SPDXID"]) in related, rel
inside = lambda file: sorted(next(p["name"] for p in d["packages"] if p["SPDXID"] == b) for a, t, b in related if t != "DESCRIBES" and a == by_file[file]["SPDXID"])
page = ["D3", "d3-flame-graph"]
assert inside(f"ilinject_{version}_amd64.deb") == sorted(["libdeflate", "Jansson", "xxHash", "zlib", "libgcc", *page]), inside(f"ilinject_{version}_amd64.deb")
assert inside(f"libilinject0_{version}_amd64.deb") == page
assert inside(f"ilinject-{version}-linux-x64.tar.gz") == sorted(["libdeflate", "Jansson", "xxHash", "zlib", "libxml2", "OpenSSL", "musl", "libgcc", *page])
static = ["libdeflate", "Jansson", "xxHash", "zlib", "libxml2", "OpenSSL", "musl", "libgcc", *page]
assert inside(f"ilinject.linux-x64.{version}.nupkg") == inside(f"ilinject.linux-arm64.{version}.nupkg") == sorted(static)
assert "mingw-w64" in inside(f"ilinject.win-x64.{version}.nupkg") and "musl" not in inside(f"ilinject.win-x64.{version}.nupkg")
assert {*static, "mingw-w64", "wasi-libc", "Wasmtime"} <= set(inside(f"ilinject.any.{version}.nupkg"))
assert inside("ilinject.rb") == inside(f"ilinject.{version}.nupkg") == []
for expression in sorted({p[k] for p in d["packages"] for k in ("licenseDeclared", "licenseConcluded")}):
    print(expression)
X
}
check "the list of what is in them keeps SPDX 2.3's rules, and names each file with its libraries" eval 'spdx >expressions && [ -s expressions ]'
# Every file in every archive and package.
unpack_all() {
    local file
    for file in "$release"/*.{deb,rpm,tar.gz,tgz,zip,nupkg}; do
        mkdir -p "all/${file##*/}" || return
        case $file in
        *.deb) dpkg-deb -x "$file" "all/${file##*/}" ;;
        *.rpm) rpm2cpio "$file" | (cd "all/${file##*/}" && cpio -id --quiet) ;;
        *.tar.gz | *.tgz) tar -xzf "$file" -C "all/${file##*/}" ;;
        *) unzip -q "$file" -d "all/${file##*/}" ;;
        esac || return
    done
}
check "all of them can be unpacked" unpack_all
check "no program in them has glibc or libmicrohttpd inside, or asks for a library that nobody named" eval \
    'find all -type f -print0 | xargs -0 python3 "$ROOT/tests/e2e/lib/py/linked.py" 2>count && grep -q "^# 3[0-9] programs$" count || { cat count; false; }'
names_all() { # FILE PROGRAM…: of each library a licence
    local file=$1 name program
    shift
    for program in all "$@"; do
        for name in $(awk -F '\t' -v program="$program" '!/^#/ && ("," $6 ",") ~ ("," program ",") { print $1 }' "$ROOT/src/packaging/libraries.tsv"); do
            grep -q "^==== $name (" $file || { echo "$file: no $name"; return 1; }
        done
    done
}
noticed() {
    local rid
    for rid in linux-x64 linux-arm64 win-x64; do
        names_all "$(echo all/*-"$rid".*/*/NOTICES)" $rid && names_all "all/ilinject.$rid.$x.nupkg/NOTICES" $rid || return
    done
    names_all "$(echo all/*.x86_64.rpm/usr/share/licenses/ilinject/NOTICES)" linux-x64 && names_all "$(echo all/*.aarch64.rpm/usr/share/licenses/ilinject/NOTICES)" linux-arm64 &&
        names_all "$(echo all/*-docker.tar.gz/NOTICES)" linux-x64 linux-arm64 && names_all "$(echo all/*.tgz/package/NOTICES)" wasi &&
        names_all "all/ilinject.any.$x.nupkg/NOTICES" linux-x64 linux-arm64 win-x64 wasi wasmtime && names_all "all/ILInject.MSBuild.$x.nupkg/NOTICES" linux-x64 linux-arm64 win-x64 wasi wasmtime &&
        names_all "all/ILInject.BenchmarkDotNet.$x.nupkg/NOTICES" linux-x64 linux-arm64 win-x64 &&
        zcat "all/ilinject_${x}_arm64.deb/usr/share/doc/ilinject/NOTICES.gz" >notices && names_all notices linux-arm64
}
check "each has the licences of all libraries in its programs" noticed
check "the libraries that it says are linked are those that the binary of the package has" eval \
    'dpkg-deb -x "$release/ilinject_${x}_amd64.deb" plain && ! readelf -d plain/usr/bin/ilinject | grep NEEDED | grep -E "deflate|jansson|xxhash|xml"'
if packages=$("$ROOT/tests/npm-fetch" spdx-expression-parse@4.0.0); then
    check "each licence is an expression of SPDX, as npm's parser reads it" node -e '
        const parse = require(process.argv[1] + "/spdx-expression-parse");
        for (const e of require("fs").readFileSync("expressions", "utf8").trim().split("\n")) parse(e);' "$packages"
else
    skip "each licence is an expression of SPDX, as npm's parser reads it" "$packages"
fi
if has lintian; then
    check "lintian finds no fault in Debian's packages" eval '! lintian --fail-on error,warning "$release"/*.deb 2>&1 | grep -E "^[EW]:"'
else
    skip "lintian finds no fault in Debian's packages" "lintian is not installed"
fi
if has rpmlint; then
    # Static on purpose; signed by its publisher.
    check "rpmlint finds no error in the RPMs" eval '! rpmlint "$release"/*.rpm 2>&1 | grep " E: " | grep -v -E "statically-linked-binary|no-signature"'
else
    skip "rpmlint finds no error in the RPMs" "rpmlint is not installed"
fi
python=
for one in /usr/bin/python3 python3; do if "$one" -c 'import yaml' 2>/dev/null; then python=$one; break; fi; done
if [ "$python" ]; then
    # The fields that winget's schemas 1.6.0 require.
    winget() {
        "$python" - "$release" "$x" "$url" <<'X'
import hashlib, sys, yaml
folder, version, url = sys.argv[1:]
get = lambda part: yaml.safe_load(open(f"{folder}/winget/ilinject.ilinject{part}.yaml"))
parts = {"version": get(""), "installer": get(".installer"), "defaultLocale": get(".locale.en-US")}
for kind, m in parts.items():
    assert m["PackageIdentifier"] == "ilinject.ilinject" and m["PackageVersion"] == version and m["ManifestType"] == kind and m["ManifestVersion"] == "1.6.0", m
assert parts["version"]["DefaultLocale"] == parts["defaultLocale"]["PackageLocale"] == "en-US"
assert all(parts["defaultLocale"][f] for f in ("Publisher", "PackageName", "License", "ShortDescription"))
i, = parts["installer"]["Installers"]
assert i["Architecture"] == "x64" and i["InstallerUrl"] == f"{url}/ilinject-{version}-win-x64.zip"
assert i["InstallerSha256"] == hashlib.sha256(open(f"{folder}/ilinject-{version}-win-x64.zip", "rb").read()).hexdigest().upper()
nested, = parts["installer"]["NestedInstallerFiles"]
print(nested["RelativeFilePath"].replace("\\", "/"))
X
    }
    check "winget's manifests have their fields, the archive's sum, and the program's place in it" eval 'winget >place && unzip -l "$release/ilinject-$x-win-x64.zip" | grep -q "  $(cat place)$"'
else
    skip "winget's manifests have their fields" "no Python with yaml"
fi
formula() {
    ! grep -q '@' "$release/ilinject.rb" && for rid in x64 arm64; do
        grep -A 1 "url \"$url/ilinject-$x-linux-$rid.tar.gz\"" "$release/ilinject.rb" | grep -q "sha256 \"$(sha256sum "$release/ilinject-$x-linux-$rid.tar.gz" | cut -d ' ' -f 1)\"" || return 1
    done
}
check "Homebrew's formula has the archives' places and sums" formula
if has ruby; then
    # Homebrew's words, as far as the formula uses them: what it installs has to be in the archive.
    check "Ruby does what it says with the archive" eval 'mkdir cellar && tar -xzf "$release/ilinject-$x-linux-x64.tar.gz" -C cellar --strip-components=1 && cd cellar && ruby -e "
        class Place; def initialize(n); @n = n; end; def /(x); Place.new(@n + %q{/} + x); end
          def install(*a); a.each { |f| (f.is_a?(Hash) ? f.keys : [f]).each { |g| File.file?(g) or abort g } }; end; end
        class Formula; class << self
          def method_missing(n, *a); yield if block_given? && [:on_linux, :on_intel].include?(n); end; def test; end; end
          %w[bin man1 share bash_completion zsh_completion prefix].each { |n| define_method(n) { Place.new(n) } }; end
        load ARGV[0]; Ilinject.new.install" "$release/ilinject.rb"; status=$?; cd ..; [ $status -eq 0 ]'
else
    skip "Ruby does what the formula says with the archive" "ruby is not installed"
fi

# ---- README's example, from each ---------------------------------------------------------------------------------------

mkdir -p app/bin
cat >app/App.cs <<'X'
static class App { static void Main() { System.Console.WriteLine(Twice(21)); } static int Twice(int x) { return x + x; } }
X
mcs -nologo -out:app/bin/app.exe app/App.cs || exit 1
# README, "Your own .NET app": bin becomes out, out runs, the report follows. FOLDER has bin; the program is COMMAND….
example() { # FOLDER COMMAND…
    local folder=$1
    shift
    "$@" bin -o out >"$SCRATCH/log" 2>&1 || { cat "$SCRATCH/log"; return 1; }
    [ "$(cd "$folder" && mono out/app.exe)" = 42 ] && "$@" report >"$SCRATCH/report" || { cat "$SCRATCH/report"; return 1; }
    grep -q '^ *1 .*App.Twice(int)' "$SCRATCH/report" || { cat "$SCRATCH/report"; return 1; }
}
at() { local folder=$1; shift; (cd "$folder" && "$@"); } # FOLDER COMMAND…
if [ "$(id -u)" -ne 0 ]; then
    skip "README's example in a chroot" "only root can make one"
    finish
fi
mkdir image && tar -xzf "$release/ilinject-$x-docker.tar.gz" -C image
# A run of the image: the volume is the folder, as `docker run -v` has it.
docker() { rm -rf "$SCRATCH/scratch" && python3 "$ROOT/tests/e2e/lib/py/replay.py" image scratch amd64 --volume app "$@" && cp -r scratch/data/. app/; }
check "the Dockerfile's steps, in an empty root, make an image that does README's example" eval 'example app docker && [ -s app/out/app.exe ]'
check "there is nothing in the image but the program and the licences" diff <(printf '%s\n' ./ilinject ./licenses/LICENSE ./licenses/NOTICES) \
    <(rm -rf empty && python3 "$ROOT/tests/e2e/lib/py/replay.py" image empty amd64 && cd empty && find . -type f | LC_ALL=C sort)
check "no library's licence is missing there" eval 'names_all empty/licenses/NOTICES linux-x64 linux-arm64 && [ "$(grep -c "^Permission is hereby granted" empty/licenses/NOTICES)" -ge 3 ]'
if has qemu-aarch64-static; then
    check "so does the image for arm64" eval 'rm -rf arm && python3 "$ROOT/tests/e2e/lib/py/replay.py" image arm arm64 && rm -rf app/out app/*.ilprof && example app at app qemu-aarch64-static "$SCRATCH/arm/ilinject"'
else
    skip "so does the image for arm64" "no qemu-aarch64-static"
fi

root=$SCRATCH/rpmroot
rpm_root() { rpm --root "$root" --dbpath /rpmdb "$@"; }
check "rpm installs the package below a root of its own" eval 'mkdir -p "$root/rpmdb" && rpm_root --initdb && rpm_root -i --ignoreos "$release/ilinject-$x-1.x86_64.rpm" && [ "$(rpm_root -q ilinject)" = "ilinject-$x-1.x86_64" ]'
check "… which brings these files" diff <(sed 's/^ *//' <<'X'
    /usr/bin/ilinject
    /usr/share/bash-completion/completions/ilinject
    /usr/share/licenses/ilinject
    /usr/share/licenses/ilinject/LICENSE
    /usr/share/licenses/ilinject/NOTICES
    /usr/share/man/man1/ilinject.1.gz
    /usr/share/xml/ilinject
    /usr/share/xml/ilinject/ilinject-config.xsd
    /usr/share/zsh/site-functions/_ilinject
X
) <(rpm -qpl "$release/ilinject-$x-1.x86_64.rpm")
inside() { rm -rf "$root/app" && cp -r app "$root/" && (cd "$root/app" && python3 -c 'import os, sys; os.chroot(sys.argv[1]); os.chdir("/app"); os.execve("/usr/bin/ilinject", ["ilinject", *sys.argv[2:]], {})' "$root" "$@") && cp -r "$root/app/." app/; }
check "the program does README's example in it" eval 'rm -rf app/out app/*.ilprof && example app inside'
check "rpm takes it away again" eval 'rpm_root -e ilinject && [ ! -e "$root/usr/bin/ilinject" ] && [ ! -e "$root/usr/share/licenses/ilinject" ]'

bare=$SCRATCH/bare
# shellcheck disable=SC2016
mirror=$(apt-get indextargets --format '$(CODENAME) $(ORIGIN) $(REPO_URI)' 'Created-By: Packages' 2>/dev/null | sed -n 's/^bookworm Debian //p' | head -n 1)
if has debootstrap && [ -n "$mirror" ] && debootstrap --variant=minbase --include=libdeflate0,libjansson4,libxxhash0 bookworm "$bare" "$mirror" >log 2>&1; then
    check "dpkg -i installs the program and the library in a bare Debian" eval 'cp "$release"/*_amd64.deb "$bare/" && rm "$bare"/libilinject-dev* && chroot "$bare" sh -c "dpkg -i /*.deb" >log 2>&1 || { cat log; false; }'
    in_bare() { rm -rf "$bare/app" && cp -r app "$bare/" && chroot "$bare" sh -c 'cd /app && exec ilinject "$@"' sh "$@" && cp -r "$bare/app/." app/; }
    check "the program does README's example there" eval 'rm -rf app/out app/*.ilprof && example app in_bare'
    check "the library is found and loaded there" eval 'chroot "$bare" sh -c "ldconfig -p | grep -q libilinject.so.0 && ldd /usr/lib/x86_64-linux-gnu/libilinject.so.0 | grep -q libxxhash && ! ldd /usr/lib/x86_64-linux-gnu/libilinject.so.0 | grep \"not found\""'
else
    skip "dpkg -i installs the program and the library in a bare Debian" "no bare root can be made here"
fi

if has dotnet; then
    export NUGET_PACKAGES=$SCRATCH/packages DOTNET_CLI_HOME=$SCRATCH/home DOTNET_NOLOGO=1 DOTNET_CLI_TELEMETRY_OPTOUT=1
    printf '<configuration><packageSources><clear/></packageSources></configuration>\n' >nuget.config
    # The step of docs/ci, word for word.
    step() { sed -n '/- name: Install/,/- name: Build/p' "$ROOT/docs/ci/action.yml" | sed -n '/run: |/,/^$/p' | sed '1d; s/^        //'; }
    check "the step of docs/ci installs the .NET tool from the folder" eval \
        'ILINJECT_VERSION=$x ILINJECT_SOURCE=$release ILINJECT_FOLDER=$SCRATCH/tool GITHUB_PATH=$SCRATCH/path timeout 500 bash -e -c "$(step)" >log 2>&1 || { cat log; false; }'
    check "the .NET tool does README's example" eval 'rm -rf app/out app/*.ilprof && example app at app "$(cat path)/ilinject"'
    dnx() { dotnet dnx ilinject --source "$release" --yes -- "$@"; }
    if dotnet dnx --help >log 2>&1; then
        check "so does dnx, which installs nothing" eval 'rm -rf app/out app/*.ilprof && example app at app dnx'
    else
        skip "dnx does README's example" "this SDK has no dnx"
    fi
else
    skip "the .NET tool does README's example" "dotnet is not installed"
fi
if has node && has npm; then
    npx_tool() { npm_config_offline=true npm_config_cache=$SCRATCH/npm-cache npm_config_update_notifier=false npx --yes --package="$release/ilinject-$x.tgz" ilinject "$@"; }
    check "npx does README's example" eval 'rm -rf app/out app/*.ilprof && example app at app npx_tool'
else
    skip "npx does README's example" "no node or npm"
fi
finish
