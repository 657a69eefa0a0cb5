#!/usr/bin/env bash
# Builds what a release consists of, for this kind of processor, and checks that versions agree. docs/releasing.md lists
# the files.
#
#   scripts/build-release.sh [--out DIR] [--tag TAG] [--repository URL]
#                            [--program FILE --build-folder DIR] [--postgres-program FILE --postgres-build-folder DIR]
#   scripts/build-release.sh --finish --out DIR [--tag TAG] [--repository URL]
#
#   --out DIR            the folder for the files (default: out/release)
#   --tag TAG            the tag of this commit, which must be the program's version after a "v". The version's section
#                        in CHANGELOG.md must have a date
#   --repository URL     the address of the repository, for the Homebrew formula. Without it, there is no formula
#   --program FILE       an output of scripts/build-server.sh, instead of a build, and the folder in which it was linked
#   --postgres-program FILE   the same, for the program with PostgreSQL
#   --finish             only writes the source archive, the formula and SHA256SUMS, beside the archives of several
#                        kinds of processors
#
# Requires Debian or Ubuntu, and Swift unless both programs are given. A release needs Package.resolved, which the build
# writes. Archives and packages of the same programs and commit are the same, byte for byte: every date is the commit's.
set -euo pipefail
shopt -s inherit_errexit
script=$(realpath "$0")
cd "$(dirname "$0")/.."

out=out/release tag='' repository='' finish=''
program='' build_folder=.build-static postgres_program='' postgres_build_folder=.build-postgres
while [ $# -gt 0 ]; do
    case "$1" in --*=*) set -- "${1%%=*}" "${1#*=}" "${@:2}" ;; esac
    case "$1" in
    -h | --help) sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$script"; exit 0 ;;
    --finish) finish=yes; shift; continue ;;
    --out | --tag | --repository | --program | --build-folder | --postgres-program | --postgres-build-folder) ;;
    *) echo "Unknown option '$1'. See --help." >&2; exit 64 ;;
    esac
    [ -n "${2:-}" ] || { echo "$1 needs a value." >&2; exit 64; }
    name=${1#--}
    declare "${name//-/_}=$2"
    shift 2
done
[ "$(uname)" = Linux ] || { echo "This builds for Linux. On macOS, Homebrew builds the program." >&2; exit 69; }
fail() { echo "$1" >&2; exit 1; }

# A container's checkout may belong to another user.
git() { command git -c safe.directory='*' "$@"; }
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH
export LC_ALL=C.UTF-8 TZ=UTC
mkdir -p "$out"
out=$(realpath "$out")
# The checksums are of all files in the folder.
[ -n "$finish" ] || [ -z "$(ls "$out")" ] || fail "$out isn't empty. Delete the files of an earlier release first."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
umask 022

version=$(sed -n 's/^ *version: "\(.*\)",$/\1/p' Sources/appreceipt/AppReceiptCommand.swift)
[ -n "$version" ] || fail "Sources/appreceipt/AppReceiptCommand.swift has no version."
grep -q "^## $version (" CHANGELOG.md || fail "CHANGELOG.md has no section for $version."
if [ -n "$tag" ]; then
    [ "$tag" = "v$version" ] || fail "The tag is $tag, but the program's version is $version."
    grep -qE "^## $version \([0-9]{4}-[0-9]{2}-[0-9]{2}\)" CHANGELOG.md ||
        fail "The section for $version in CHANGELOG.md has no date."
fi

# archive FILE FOLDER: a gzip archive of a folder in the work folder.
archive() {
    tar --directory="$work" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner \
        --mode=u=rwX,go=rX --format=gnu --create "$2" | gzip -n >"$work/archive"
    install -m 644 "$work/archive" "$1"
}

# The source, with the versions of the packages that the programs were built with.
finish() {
    [ -e Package.resolved ] || fail "Package.resolved doesn't exist. Run swift package --traits Postgres resolve."
    local name=appreceipt-$version
    mkdir "$work/$name"
    git archive HEAD | tar --directory="$work/$name" --extract
    cp Package.resolved "$work/$name/"
    archive "$out/$name.tar.gz" "$name"
    if [ -n "$repository" ]; then
        python3 scripts/make-formula.py --release "$out" --version "$version" --repository "$repository" \
            >"$work/appreceipt.rb"
        install -m 644 "$work/appreceipt.rb" "$out/"
    fi
    (cd "$out" && rm -f SHA256SUMS && sha256sum -- * >"$work/sums" && install -m 644 "$work/sums" SHA256SUMS)
    echo "$out:"
    (cd "$out" && stat --format='%12s  %n' -- *)
}
if [ -n "$finish" ]; then
    finish
    exit 0
fi

has() { for name in "$@"; do command -v "$name" >/dev/null || return 1; done; }
has dpkg-deb dpkg-shlibdeps readelf python3 ||
    { apt-get update -qq && apt-get install -y -qq --no-install-recommends dpkg-dev binutils python3 >&2; }
if [ -z "$program" ]; then
    scripts/build-server.sh --out "$work/plain"
    program=$work/plain/appreceipt
fi
if [ -z "$postgres_program" ]; then
    scripts/build-server.sh --out "$work/postgres" --postgres
    postgres_program=$work/postgres/appreceipt
fi

# contents FILE BUILD NAME: a folder of this name in the work folder, with the program and its documents. Writes the
# bill of materials beside the archives.
contents() {
    local folder=$work/$3
    [ "$("$1" --version)" = "$version" ] || fail "$1 is $("$1" --version), not $version."
    scripts/install-command.sh --prefix "$folder" --program "$1" >/dev/null
    scripts/make-sbom.py --build-folder "$2" --program "$folder/bin/appreceipt" --notices "$work/licenses" >"$work/sbom"
    install -m 644 "$work/sbom" "$out/$3.cdx.json"
    install -m 644 "$work/licenses" "$folder/share/doc/appreceipt/third-party-licenses.txt"
    install -m 644 LICENSE NOTICE CHANGELOG.md "$folder/share/doc/appreceipt/"
}
# The files for servers that use the program, not the repository.
examples=(
    Caddyfile appreceipt-store.conf appreceipt.json appreceipt.service appreceipt@.service grafana-dashboard.json
    litestream.yml nginx.conf partitions.sql prometheus-rules.yml
)
machine=$(uname -m)
name=appreceipt-$version-linux-$machine
postgres=appreceipt-postgres-$version-linux-$machine
contents "$program" "$build_folder" "$name"
contents "$postgres_program" "$postgres_build_folder" "$postgres"
for folder in "$name" "$postgres"; do
    mkdir "$work/$folder/deploy"
    (cd deploy && install -m 644 "${examples[@]}" "$work/$folder/deploy/")
    archive "$out/$folder.tar.gz" "$folder"
done

packaging/debian/build.sh "$work/$postgres" "$work/deb" "$version"
install -m 644 "$work"/deb/*.deb "$out/"
finish
