#!/usr/bin/env bash
# level: full
# Debian's packages: lintian has nothing to say, the same tree gives the same bytes, and what they install in a bare root does README's
# first example.
. "$(dirname "$0")/../../lib.sh"
cd "$ROOT" || exit 1
if ! has dpkg-deb || ! has mcs || ! has mono; then
    skip "Debian's package is made" "no dpkg-deb, mcs or mono"
    finish
fi
architecture=$(dpkg --print-architecture)
version=$("$ILINJECT" --version | sed -n '1s/^ilinject \([0-9.]*\).*/\1/p')
made() { make_alone BUILD="$BUILD" deb >/dev/null && [ -s "$BUILD/ilinject_${version}_$architecture.deb" ]; }
# At another time, of files that are younger.
made_again() {
    local sum
    sum=$(sha256sum "$BUILD/ilinject_${version}_$architecture.deb")
    sleep 1
    touch docs/ilinject.1
    made && [ "$(sha256sum "$BUILD/ilinject_${version}_$architecture.deb")" = "$sum" ]
}
faultless() { # FILE
    lintian --fail-on error,warning "$1" >"$SCRATCH/lintian" 2>&1 && ! grep -E '^[EW]:' "$SCRATCH/lintian" || { cat "$SCRATCH/lintian"; return 1; }
}
cat >"$SCRATCH/Hello.cs" <<'X'
static class Hello { static void Main() { System.Console.WriteLine("hello"); } }
X
mcs -nologo -out:"$SCRATCH/Hello.exe" "$SCRATCH/Hello.cs" || exit 1
works() { # ROOT COMMAND…: instruments there; the output runs here
    local root=$1
    shift
    cp "$SCRATCH/Hello.exe" "$root/" && "$@" /Hello.exe -o /out/ >/dev/null && (cd "$root/out" && [ "$(mono Hello.exe)" = hello ] && [ -s Hello.ilprof ]) &&
        "$ILINJECT" report "$root/out/Hello.ilprof" | grep -q 'Hello.Main()'
}
check "make deb makes a package" made
check "the same tree gives the same bytes" made_again
if has lintian; then
    check "lintian finds no fault in it" faultless "$BUILD/ilinject_${version}_$architecture.deb"
else
    skip "lintian finds no fault in it" "lintian is not installed"
fi
runtime=$BUILD/libilinject0_${version}_$architecture.deb development=$BUILD/libilinject-dev_${version}_$architecture.deb
if has lintian; then check "nor in those of the library" eval 'faultless "$runtime" && faultless "$development"'; fi
# docs/api.md's example, compiled with what the two packages have, as pkg-config says.
compiled() {
    local sys=$SCRATCH/sys folder
    rm -rf "$sys" && dpkg-deb -x "$runtime" "$sys" && dpkg-deb -x "$development" "$sys" && folder=$sys/usr/lib/$(gcc -dumpmachine) || return 1
    sed -n '/^```c$/,/^```$/p' docs/api.md | sed '/^```/d' >"$SCRATCH/app.c"
    # shellcheck disable=SC2046
    gcc -o "$SCRATCH/app" "$SCRATCH/app.c" $(PKG_CONFIG_SYSROOT_DIR=$sys PKG_CONFIG_PATH=$folder/pkgconfig pkg-config --cflags --libs ilinject) &&
        echo 'static class Fruit { static void Main() { Eat(); } static void Eat() { System.Console.WriteLine("eaten"); } }' >"$SCRATCH/Fruit.cs" &&
        mcs -nologo -out:"$SCRATCH/Fruit.exe" "$SCRATCH/Fruit.cs" && mkdir -p "$SCRATCH/byapp" || return 1
    [ "$(LD_LIBRARY_PATH=$folder "$SCRATCH/app" "$SCRATCH/Fruit.exe" "$SCRATCH/byapp/Fruit.exe")" = "1 of 2 methods" ] && [ "$(cd "$SCRATCH/byapp" && mono Fruit.exe)" = eaten ]
}
if has pkg-config; then check "a program is compiled with them, and instruments" compiled; else skip "a program is compiled with them" "no pkg-config"; fi
check "the one that runs says which version of it a program needs" eval '[ "$(dpkg-deb -I "$runtime" shlibs)" = "libilinject 0 libilinject0 (>= $version)" ]'
bare=$SCRATCH/bare
# shellcheck disable=SC2016
mirror=$(apt-get indextargets --format '$(CODENAME) $(ORIGIN) $(REPO_URI)' 'Created-By: Packages' 2>/dev/null | sed -n 's/^bookworm Debian //p' | head -n 1)
if [ "$(id -u)" -eq 0 ] && has debootstrap && [ -n "$mirror" ] && debootstrap --variant=minbase bookworm "$bare" "$mirror" >"$SCRATCH/log" 2>&1; then
    installed() { cp "$BUILD/ilinject_${version}_$architecture.deb" "$bare/" && chroot "$bare" dpkg -i "/ilinject_${version}_$architecture.deb" >"$SCRATCH/log" 2>&1 || { cat "$SCRATCH/log"; return 1; }; }
    check "dpkg -i installs it in a bare root" installed
    check "there it instruments a program" works "$bare" chroot "$bare" ilinject
    check "it brings the manual" test -s "$bare/usr/share/man/man1/ilinject.1.gz"
    check "it goes without a trace" bash -c "chroot '$bare' dpkg --purge ilinject >/dev/null 2>&1 && [ ! -e '$bare/usr/bin/ilinject' ]"
else
    skip "dpkg -i installs it in a bare root" "no bare root can be made here"
fi
if has aarch64-linux-gnu-gcc && has qemu-aarch64-static; then
    arm64() {
        make_alone BUILD="$BUILD" deb-arm64 >"$SCRATCH/log" 2>&1 || { tail -n 3 "$SCRATCH/log"; return 1; }
        rm -rf "$SCRATCH/arm" && dpkg-deb -x "$BUILD/ilinject_${version}_arm64.deb" "$SCRATCH/arm" && mkdir "$SCRATCH/arm/out" &&
            works "$SCRATCH/arm" in_arm
    }
    in_arm() { qemu-aarch64-static "$SCRATCH/arm/usr/bin/ilinject" "$SCRATCH/arm$1" -o "$SCRATCH/arm$3"; }
    check "the package for arm64 has a program that works" arm64
    if has lintian; then check "lintian finds no fault in that, either" faultless "$BUILD/ilinject_${version}_arm64.deb"; fi
else
    skip "the package for arm64 has a program that works" "no compiler for arm64, or no qemu"
fi
finish
