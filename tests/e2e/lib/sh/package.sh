# tests/e2e/lib/sh/package.sh - the NuGet package for MSBuild, for suites.
#   package_missing   says what is missing to make it (and succeeds), or fails
#   make_package      makes it again when something has changed; several suites at once wait for each other
# $version and $package are the package's, $package_tree the folder of what is in it. The program in it is the one that is
# tested, which needs the machine's libraries; that of `make nupkg` is the subject of e2e/full-package.
version=$("$ILINJECT" --version | cut -d ' ' -f 2)
package=$BUILD/tests/ILInject.MSBuild.$version.nupkg
package_tree=$BUILD/tests/nupkg

package_missing() {
    has zip || { echo "no zip to make the package with (make nupkg)"; return; }
    return 1
}
make_package() {
    local build=${BUILD#"$ROOT"/} options
    options=(BUILD="$build")
    case $BUILD in */san) options=(SAN=1) ;; esac
    flock "$BUILD/tests/package.lock" make -s -C "$ROOT" "${options[@]}" NUPKG_FOLDER="$build/tests" NUPKG_PROGRAM="$build/ilinject" \
        "${package#"$ROOT"/}"
}
