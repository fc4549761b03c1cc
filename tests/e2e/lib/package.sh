# tests/e2e/lib/package.sh - the NuGet package for MSBuild, for suites.
#   package_missing   says what is missing to make it (and succeeds), or fails
#   make_package      makes it anew when something has changed; several suites at once wait for each other
# $version and $package are the package's.
version=$("$ILINJECT" --version | cut -d ' ' -f 2)
package=$BUILD/ILInject.MSBuild.$version.nupkg

package_missing() {
    local library
    has zip || { echo "no zip to make the package with (make nupkg)"; return; }
    for library in libcrypto.a libz.a liblzma.a; do
        [ -e "$(gcc -print-file-name=$library)" ] || { echo "no $library to make the package with (make nupkg)"; return; }
    done
    return 1
}
make_package() {
    local options=(BUILD="${BUILD#"$ROOT"/}")
    case $BUILD in */san) options=(SAN=1) ;; esac
    flock "$BUILD/tests/package.lock" make -s -C "$ROOT" "${options[@]}" "${package#"$ROOT"/}"
}
