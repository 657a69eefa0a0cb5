#!/usr/bin/env bash
# Makes the Debian package from an installed program. scripts/build-release.sh runs it.
#
#   packaging/debian/build.sh FOLDER OUT VERSION
#
#   FOLDER    the contents of a release's archive for Linux
#   OUT       the folder for the package
#   VERSION   the program's version
#
# SOURCE_DATE_EPOCH is the date of everything in the package.
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "$0")/../.."
[ $# = 3 ] || { echo "Usage: packaging/debian/build.sh FOLDER OUT VERSION" >&2; exit 64; }
from=$(realpath "$1")
mkdir -p "$2"
out=$(realpath "$2")
# A hyphen begins Debian's own revision, and 1.0.0~rc.1 is before 1.0.0.
version=${3//-/\~}
here=packaging/debian
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/root
umask 022

# place MODE FILE PATH
place() { install -D -m "$1" "$2" "$root/$3"; }
# compress FILE PATH
compress() {
    mkdir -p "$(dirname "$root/$2")"
    gzip -9nc "$1" >"$root/$2"
    chmod 644 "$root/$2"
}
place 755 "$from/bin/appreceipt" usr/bin/appreceipt
compress "$from/share/man/man1/appreceipt.1" usr/share/man/man1/appreceipt.1.gz
# Shells source the file, so it needs no interpreter.
sed '1{/^#!/d}' "$from/share/bash-completion/completions/appreceipt" >"$work/bash"
place 644 "$work/bash" usr/share/bash-completion/completions/appreceipt
place 644 "$from/share/zsh/site-functions/_appreceipt" usr/share/zsh/vendor-completions/_appreceipt
place 644 "$from/share/fish/vendor_completions.d/appreceipt.fish" usr/share/fish/vendor_completions.d/appreceipt.fish
place 644 deploy/appreceipt.json etc/appreceipt/appreceipt.json
chmod 755 "$root/etc/appreceipt"
for unit in appreceipt.service appreceipt@.service; do
    # Only paths differ, so that what is checked of the units in deploy/ is true for these.
    sed -e 's|/usr/local/bin/appreceipt|/usr/bin/appreceipt|g' -e 's| (scripts/build-server.sh)||' "deploy/$unit" \
        >"$work/$unit"
    place 644 "$work/$unit" "usr/lib/systemd/system/$unit"
done
doc=usr/share/doc/appreceipt
place 644 $here/copyright $doc/copyright
place 644 $here/README.Debian $doc/README.Debian
place 644 "$from/share/doc/appreceipt/NOTICE" $doc/NOTICE
compress "$from/share/doc/appreceipt/errors.md" $doc/errors.md.gz
compress "$from/share/doc/appreceipt/third-party-licenses.txt" $doc/third-party-licenses.txt.gz
compress "$from/share/doc/appreceipt/CHANGELOG.md" $doc/CHANGELOG.md.gz
for file in "$from"/deploy/*; do
    case "$(basename "$file")" in appreceipt.json | *.service) continue ;; esac
    place 644 "$file" "$doc/examples/$(basename "$file")"
done
maintainer=$(git -c safe.directory='*' log -1 --format='%cn <%ce>')
cat >"$work/changelog" <<END
appreceipt ($version) stable; urgency=medium

  * Version $3. CHANGELOG.md.gz says what changed.

 -- $maintainer  $(date --utc --rfc-email --date="@$SOURCE_DATE_EPOCH")
END
compress "$work/changelog" $doc/changelog.gz
place 644 $here/lintian-overrides usr/share/lintian/overrides/appreceipt

# The libraries that the program needs, in the versions that have its symbols.
mkdir "$work/debian" "$root/DEBIAN"
printf 'Source: appreceipt\n\nPackage: appreceipt\nArchitecture: any\n' >"$work/debian/control"
depends=$(cd "$work" && dpkg-shlibdeps -O "$root/usr/bin/appreceipt" | sed -n 's/^shlibs:Depends=//p')
[ -n "$depends" ] || { echo "The libraries of the program are unknown." >&2; exit 1; }
for one in postinst prerm postrm; do install -m 755 "$here/$one" "$root/DEBIAN/$one"; done
install -m 644 $here/conffiles "$root/DEBIAN/conffiles"
architecture=$(dpkg --print-architecture)
size=$(du --apparent-size --summarize --block-size=1024 "$root" | cut -f1)
sed -e "s|@VERSION@|$version|; s|@ARCHITECTURE@|$architecture|; s|@DEPENDS@|$depends|; s|@MAINTAINER@|$maintainer|" \
    -e "s|@SIZE@|$size|" $here/control >"$root/DEBIAN/control"
(cd "$root" && find . -path ./DEBIAN -prune -o -type f -printf '%P\0' | sort -z | xargs -0 md5sum >DEBIAN/md5sums)
chmod 644 "$root/DEBIAN/control" "$root/DEBIAN/md5sums"
find "$root" -depth -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
dpkg-deb --root-owner-group -Zxz --build "$root" "$out/appreceipt_${version}_$architecture.deb" >/dev/null
