#!/usr/bin/env bash
# The installed library: what it shows, and the example of docs/api.md, linked both ways by what pkg-config says.
. "$(dirname "$0")/../../lib.sh"
cd "$SCRATCH" || exit 1
if grep -q __asan_init "$ILINJECT"; then skip "the installed library is linked" "it is built with a sanitizer"; finish; fi
unset MAKEFLAGS MAKELEVEL DESTDIR PREFIX LIBDIR
version=$("$ILINJECT" --version | cut -d ' ' -f 2)
prefix=$SCRATCH/prefix lib=$SCRATCH/prefix/lib
install_there() { make -C "$ROOT" -s install BUILD="$BUILD" "$@" >"$SCRATCH/installed"; }
check "make install puts it below PREFIX" install_there PREFIX="$prefix"

# The functions that the header declares, by the preprocessor's output without types.
declared() { gcc -E -P "$ROOT/include/ilinject.h" | tr '\n' ' ' | sed 's/typedef[^;{]*({[^}]*})\?[^;]*;/ /g' | tr ';' '\n' |
    grep -v typedef | grep -o -E '\bilj_[a-z0-9_]+ *\(' | tr -d ' (' | sort -u; }
declared >declared
check "the header declares functions" test "$(wc -l <declared)" -ge 40
check "the shared library shows them, and nothing else" diff declared <(nm -D --defined-only --format=posix "$lib/libilinject.so" | cut -d ' ' -f 1 | sed 's/@.*//' | grep -v -x 'ILINJECT_[0-9]*' | sort)
check "the static one shows them, and nothing else" diff declared <(nm -g --defined-only --format=posix "$lib/libilinject.a" | grep ' [A-Z] ' | cut -d ' ' -f 1 | sort)
check "programs ask for it by the number of its interface" eval 'readelf -d "$lib/libilinject.so" | grep -q "SONAME.*\[libilinject.so.0\]"'
check "its file has the version in its name" test "$(readlink -f "$lib/libilinject.so.0")" = "$lib/libilinject.so.$version"
check "what it needs are the libraries that docs/dependencies.md names" \
    diff <(printf '%s\n' libc.so libdeflate.so libjansson.so libxxhash.so libz.so) <(readelf -d "$lib/libilinject.so" | sed -n 's/.*NEEDED.*\[\(.*\.so\).*/\1/p' | grep -v ld-linux | sort)
check "nothing of it is relocated in its code, and no folder of the build is in it" \
    eval '! readelf -d "$lib/libilinject.so" | grep -q -E "TEXTREL|RPATH|RUNPATH" && ! grep -q -a -F "$ROOT/" "$lib"/libilinject.{so,a}'

if ! has pkg-config || ! has mcs || ! has mono; then
    skip "the example of docs/api.md is linked by pkg-config" "no pkg-config, mcs or mono"
    finish
fi
export PKG_CONFIG_PATH=$lib/pkgconfig
check "pkg-config knows the version" test "$(pkg-config --modversion ilinject)" = "$version"
# The example and the commands, as the page has them.
sed -n '/^```c$/,/^```$/p' "$ROOT/docs/api.md" | sed '/^```/d' >app.c
commands() { awk '/^    cc app\.c / { on = 1 } on && /^    / { sub(/^    /, ""); print } on && !/\\$/ { on = 0; print "" }' "$ROOT/docs/api.md"; }
commands | awk 'BEGIN { RS = "" } { print >("link" NR) }'
cat >Fruit.cs <<'CS'
class Fruit { static void Main() { Eat(); Eat(); } static void Eat() { System.Console.Write("eaten "); } }
CS
mcs -nologo Fruit.cs || exit 1
check "the example is of about twenty lines" eval 'n=$(wc -l <app.c) && [ "$n" -ge 15 ] && [ "$n" -le 30 ]'
# Fruit has three methods: Main, Eat, and the constructor that compilers add; Main is left out.
works() { # LIBRARIES that it has to find
    rm -f app && sh -e "$1" && rm -rf out && mkdir out && [ "$(LD_LIBRARY_PATH=${2:-} ./app Fruit.exe out/Fruit.exe)" = "2 of 3 methods" ] &&
        [ "$(cd out && mono Fruit.exe)" = "eaten eaten " ] && "$ILINJECT" report --format=csv out/Fruit.ilprof | grep -q 'Fruit.Eat().*,2,'
}
export CFLAGS=-Wall
check "linked with the shared library it instruments a program" works link1 "$lib"
check "… which it needs" eval 'readelf -d app | grep -q "NEEDED.*libilinject.so.0" && ! ./app Fruit.exe out/x.exe 2>/dev/null'
check "linked with the static one it does the same, without it" eval 'works link2 && ! readelf -d app | grep -q -E "libilinject|libdeflate|libjansson|libxxhash"'
check "a name of the inside is the program's to use" eval 'sed "s/^int main/void diag_report(void); void diag_report(void) {}\n&/" app.c >app2.c && mv app2.c app.c && works link2'

# Programs that were compiled with the headers of another time: each struct of options ends one option sooner, or later.
then_headers() { # sooner | later
    mkdir -p "$1" && cp -r "$prefix/include/." "$1/" && for header in "$1"/ilinject.h "$1"/ilinject/*.h; do
        awk -v when="$1" '/^} ilj_[a-z]*_options;/ { if (when == "sooner") last = ""; else last = last "    void *later;\n" }
            { printf "%s", last; last = $0 "\n" } END { printf "%s", last }' "$header" >new.h && mv new.h "$header" || return
    done
    [ "$(diff -r "$prefix/include" "$1" | grep -c '^[<>]')" -eq 9 ]
}
check "each struct of options loses or gets an option at its end" eval 'then_headers sooner && then_headers later'
says() { # FOLDER COMPILER…: its lines, and no word of a library for the server that is missing
    rm -rf out program && mkdir out && "${@:2}" -Wall -Wextra -Werror -I"$1" "$ROOT/tests/e2e/lib/c/options.c" -L"$lib" -lilinject -o program &&
        LD_LIBRARY_PATH=$lib ./program Fruit.exe out/Fruit.exe "$profile" | sed '/ILJ0720$/d; s/^server 2$/server 0/'
}
profile=$SCRATCH/Fruit.ilprof
"$ILINJECT" -q Fruit.exe -o ran/ && (cd ran && mono Fruit.exe >/dev/null) && cp ran/Fruit.ilprof "$profile" || exit 1
printf '%s\n' 'selection 0' 'instrument 0' '3 of 3, outcome 1' 'report 0' 'diff 0' 'baseline 0' 'check 0' 'server 0' 'mcp 0' 'https://x ILJ0724' 'post 5' >works
refused() { # the same without one, each refused by the name of the struct
    printf "ilj_$1_options ILJ0800\\n$1 5\\n"
}
{ refused selection && refused instrument && echo '0 of 0, outcome 0' && refused report && refused diff && refused baseline && refused check && refused server && refused mcp && refused post; } >fails
for compiler in 'gcc -std=c11' 'g++ -x c++ -std=c++11'; do
    if ! has "${compiler%% *}"; then skip "$compiler: programs with headers of another time" "${compiler%% *} is not installed"; continue; fi
    # shellcheck disable=SC2086
    check "$compiler: a program with the headers of now works" diff works <(says "$prefix/include" $compiler)
    # shellcheck disable=SC2086
    check "$compiler: one whose structs have an option less works as well" diff works <(says sooner $compiler)
    # shellcheck disable=SC2086
    check "$compiler: one whose structs have an option more is refused, once by each function" diff fails <(says later $compiler)
done

# A package does this: another folder for libraries, all of it below DESTDIR.
check "DESTDIR and LIBDIR are kept apart from what pkg-config says" eval 'install_there DESTDIR="$SCRATCH/dest" PREFIX=/usr LIBDIR=lib/some &&
    [ -e dest/usr/lib/some/libilinject.so.0 ] && grep -q "^libdir=\${prefix}/lib/some$" dest/usr/lib/some/pkgconfig/ilinject.pc && grep -q "^prefix=/usr$" dest/usr/lib/some/pkgconfig/ilinject.pc'
check "make uninstall takes all of it away" eval 'make -C "$ROOT" -s uninstall BUILD="$BUILD" DESTDIR="$SCRATCH/dest" PREFIX=/usr LIBDIR=lib/some && [ -z "$(find dest ! -type d)" ]'
finish
