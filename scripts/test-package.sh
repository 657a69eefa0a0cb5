#!/usr/bin/env bash
# Installs a Debian package of appreceipt into a clean system, serves with it, upgrades, removes and purges it. Nothing
# may be left behind.
#
#   scripts/test-package.sh [PACKAGE]
#
#   PACKAGE   an output of scripts/build-release.sh (default: the only one in out/release)
#
# The system is a folder with the same release of Debian or Ubuntu as this machine and what the package depends on, made
# by mmdebstrap. systemd doesn't run in it: the unit's command runs with the unit's environment, as a user without a
# name, after the steps that systemd would do. scripts/check-deployment.sh checks the unit's restrictions. Needs root;
# Debian's mmdebstrap, lintian and curl are installed if they are missing. Takes two minutes.
set -euo pipefail
shopt -s inherit_errexit
script=$(realpath "$0")
cd "$(dirname "$0")/.."
case "${1:-}" in -h | --help) sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$script"; exit 0 ;; esac
# Mounts, such as the system's /proc, end with the script.
[ -n "${APPRECEIPT_OWN_MOUNTS:-}" ] || APPRECEIPT_OWN_MOUNTS=yes exec unshare --mount "$script" "$@"
package=${1:-$(ls out/release/appreceipt_*_"$(dpkg --print-architecture)".deb)}
package=$(realpath "$package")
passed=0
pass() { passed=$((passed + 1)); echo "ok: $1"; }
fail() { echo "FAILED: $1" >&2; echo "$passed passed, 1 failed"; exit 1; }

has() { for name in "$@"; do command -v "$name" >/dev/null || return 1; done; }
if ! has mmdebstrap lintian curl; then
    apt-get update -qq
    apt-get install -y -qq --no-install-recommends mmdebstrap lintian curl >&2
fi
work=$(mktemp -d)
root=$work/root
server=
stop() {
    [ -z "$server" ] || kill "$server" 2>/dev/null || true
    ! mountpoint --quiet "$root/proc" || umount "$root/proc"
    rm -rf --one-file-system "$work"
}
trap stop EXIT
chmod 755 "$work"

# run NAME COMMAND…: a step that must succeed; if it doesn't, its output is printed.
run() {
    local name=$1
    shift
    "$@" >"$work/output" 2>&1 || { tail -n 30 "$work/output" >&2; fail "$name"; }
}
run "lintian" lintian --allow-root --fail-on error,warning "$package"
pass "lintian finds neither errors nor warnings"
dpkg-deb --contents "$package" | awk '$2 != "root/root" { print; bad = 1 } END { exit bad }' >&2 ||
    fail "root doesn't own every file"
pass "root owns every file of the package"
dpkg-deb --extract "$package" "$work/extracted"
for unit in appreceipt.service appreceipt@.service; do
    diff <(sed -e 's|/usr/local/bin/|/usr/bin/|g; s| (scripts/build-server.sh)||' "deploy/$unit") \
        "$work/extracted/usr/lib/systemd/system/$unit" >&2 || fail "$unit isn't the one in deploy"
done
pass "the units are those in deploy, apart from paths"
# The instructions for administrators name what there is.
grep -q 'com\.example\.app' "$work/extracted/etc/appreceipt/appreceipt.json" ||
    fail "README.Debian names another identifier"

# The dependencies, without versions: dpkg compares these.
depends=$(dpkg-deb --field "$package" Depends | tr ',' '\n' | sed 's/|.*//; s/(.*)//; s/ //g' | paste -sd ,)
release=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
run "mmdebstrap" mmdebstrap --variant=minbase --include="$depends" "$release" "$root"
pass "a clean system of $release with $depends"
# Swift's programs read their arguments there.
mount -t proc proc "$root/proc"
inside() {
    env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive chroot "$root" "$@"
}
# has_program: whether the program or a unit is installed.
has_program() { inside sh -c 'command -v appreceipt || ls /usr/lib/systemd/system/appreceipt*' >/dev/null 2>&1; }
if has_program; then fail "the system already has appreceipt"; fi
# Everything except what dpkg writes about every package.
files() {
    (cd "$root" && find . \( -path ./proc -o -path ./sys -o -path ./dev -o -path ./tmp -o -path ./var/log \
        -o -path ./var/lib/dpkg -o -path ./var/cache/ldconfig \) -prune \
        -o \( -type f -printf '%p %m %U %G %s\n' -o -printf '%p %y %m %U %G %l\n' \)) | sort
}
files >"$work/before"
cp "$package" "$root/tmp/appreceipt.deb"

run "the installation" inside dpkg --install /tmp/appreceipt.deb
inside dpkg --verify appreceipt >&2 && [ -z "$(inside dpkg --audit)" ] || fail "the installation isn't complete"
grep -q README.Debian "$work/output" || fail "the installation doesn't say what to do next"
pass "the package is installed: version $(inside appreceipt --version)"
for secret in token shared-secret; do
    [ "$(stat --format='%a %U' "$root/etc/appreceipt/$secret")" = "600 root" ] || fail "others can read the $secret"
    grep -qE '^[0-9a-f]{64}$' "$root/etc/appreceipt/$secret" || fail "the $secret isn't 32 random bytes"
done
if cmp -s "$root/etc/appreceipt/token" "$root/etc/appreceipt/shared-secret"; then fail "both secrets are the same"; fi
pass "the token and the shared secret are random, and only root can read them"
run "the completions" \
    inside bash -c 'source /usr/share/bash-completion/completions/appreceipt && complete -p appreceipt'
run "the manual page" grep '^\.Sh EXIT STATUS' <(gzip -dc "$root/usr/share/man/man1/appreceipt.1.gz")
pass "manual page and completions"

# What an administrator does: the identifier of the app, and here also a root of test receipts and any port.
run "a receipt" \
    inside appreceipt make --bundle-id com.example.garden --subscription plus:3 --name garden --out /tmp/made
cp "$root/tmp/made/root.pem" "$root/etc/appreceipt/"
sed -i -e 's/com\.example\.app/com.example.garden/' \
    -e 's|"port": 8080|"port": 0, "root": ["/etc/appreceipt/root.pem"]|' "$root/etc/appreceipt/appreceipt.json"
mkdir -p "$root/etc/systemd/system/multi-user.target.wants"
ln -s /usr/lib/systemd/system/appreceipt.service "$root/etc/systemd/system/multi-user.target.wants/"

# start: what systemd does for the unit, with the user and group 64321. Sets $server and $address.
unit=$root/usr/lib/systemd/system/appreceipt.service
start() {
    local credentials=/run/credentials/appreceipt.service name path
    # systemd keeps others out of /var/lib/private, and binds the folder of the service for it.
    install -d -m 755 "$root/var/lib/private"
    install -d -m 700 -o 64321 -g 64321 "$root/var/lib/private/appreceipt"
    ln -sfn private/appreceipt "$root/var/lib/appreceipt"
    install -d -m 500 -o 64321 "$root$credentials"
    while IFS=: read -r name path; do
        install -m 400 -o 64321 "$root$path" "$root$credentials/$name"
    done < <(sed -n 's/^LoadCredential=//p' "$unit")
    local environment command
    read -ra environment < <(sed -n "s|%d|$credentials|g; s|^Environment=||p" "$unit")
    read -ra command < <(sed -n 's/^ExecStart=//p' "$unit")
    env -i PATH=/usr/sbin:/usr/bin "${environment[@]}" \
        chroot --userspec=64321:64321 --groups= "$root" "${command[@]}" 2>"$work/log" &
    server=$!
    address=
    for _ in $(seq 150); do
        address=$(sed -n 's/.*Listening on \(http:[^" ]*\)\/.*/\1/p' "$work/log" | head -n 1)
        [ -z "$address" ] || break
        kill -0 "$server" 2>/dev/null || break
        sleep 0.1
    done
    [ -n "$address" ] || { cat "$work/log" >&2; fail "the server doesn't start"; }
}
end() {
    kill -TERM "$server"
    wait "$server" || { cat "$work/log" >&2; fail "the server doesn't stop with status 0"; }
    server=
    rm -r "$root/run/credentials"
}
# ask PATH PASSWORD: the response about the receipt, which is one of the sandbox.
ask() {
    base64 -w 0 "$root/tmp/made/garden.receipt" | sed "s|.*|{\"receipt-data\": \"&\", \"password\": \"$2\"}|" \
        | curl --silent --show-error --data-binary @- "$address$1"
}
# code OPTION…: the HTTP status of a request to the JSON API.
code() {
    curl --silent --output /dev/null --write-out '%{http_code}' "$@" \
        --data-binary "@$root/tmp/made/garden.receipt" "$address/v1/receipts/validate"
}
start
curl --silent --fail --output /dev/null "$address/readyz" || fail "/readyz"
shared_secret=$(cat "$root/etc/appreceipt/shared-secret")
[ "$(ask /verifyReceipt "$shared_secret")" = '{"status":21007}' ] || fail "a sandbox receipt at the production endpoint"
answer=$(ask /sandbox/verifyReceipt "$shared_secret")
[[ "$answer" == *'"status":0'* && "$answer" == *com.example.garden* ]] || fail "the receipt is rejected: $answer"
[ "$(ask /sandbox/verifyReceipt wrong)" = '{"status":21004}' ] || fail "the shared secret isn't required"
token=$(cat "$root/etc/appreceipt/token")
[ "$(code)" = 401 ] && [ "$(code --header "Authorization: Bearer $token")" = 200 ] || fail "the token isn't required"
[ "$(stat --format='%a %u' "$root/var/lib/private/appreceipt/state.sqlite")" = "600 64321" ] ||
    fail "others can read the database"
end
pass "the unit's command serves: a receipt made by appreceipt is valid, the shared secret and the token are required"
# With a PostgreSQL database that doesn't exist, the failure is the connection.
if inside appreceipt serve --check --database 'postgres://nobody@/none?host=/nonexistent' >"$work/postgres" 2>&1; then
    fail "a database that doesn't exist"
fi
grep -q '/nonexistent' "$work/postgres" || { cat "$work/postgres" >&2; fail "the program can't use PostgreSQL"; }
pass "the program can use PostgreSQL"

customers() { inside appreceipt state stats --database /var/lib/appreceipt/state.sqlite | md5sum; }
counted=$(customers)
# kept: whether the administrator's settings and the secrets are the former ones.
kept() {
    grep -q garden "$root/etc/appreceipt/appreceipt.json" && [ "$(cat "$root/etc/appreceipt/token")" = "$token" ] &&
        [ "$(cat "$root/etc/appreceipt/shared-secret")" = "$shared_secret" ]
}
# A newer version with the same files.
dpkg-deb --raw-extract "$package" "$work/newer"
sed -i 's/^Version: .*/&+1/' "$work/newer/DEBIAN/control"
dpkg-deb --root-owner-group -Znone --build "$work/newer" "$root/tmp/newer.deb" >/dev/null
run "the upgrade" inside dpkg --install /tmp/newer.deb
kept || fail "the upgrade changes the configuration"
start
[[ "$(ask /sandbox/verifyReceipt "$shared_secret")" == *'"status":0'* ]] || fail "the server after the upgrade"
end
pass "an upgrade keeps configuration, secrets and database"

run "the removal" inside dpkg --remove appreceipt
if has_program; then fail "the removal leaves the program"; fi
kept && [ -s "$root/var/lib/appreceipt/state.sqlite" ] || fail "the removal deletes configuration or database"
pass "a removal keeps configuration and database"
run "the second installation" inside dpkg --install /tmp/appreceipt.deb
[ "$(customers)" = "$counted" ] || fail "the database isn't the former one"
kept || fail "the second installation changes the configuration"
pass "the next installation continues with them"

# An administrator's own files stay.
rm "$root/etc/appreceipt/root.pem"
: >"$root/etc/appreceipt/garden.json"
# So does a database that an instance uses.
drop_in=$root/etc/systemd/system/appreceipt@.service.d
mkdir -p "$drop_in"
printf '[Service]\nStateDirectory=appreceipt\n' >"$drop_in/database.conf"
run "the purge beside an instance" inside dpkg --purge appreceipt
[ -s "$root/var/lib/appreceipt/state.sqlite" ] || fail "the purge deletes the database of an instance"
rm -r "$drop_in"
pass "a purge keeps the database that an instance uses"
run "the third installation" inside dpkg --install /tmp/appreceipt.deb
run "the purge" inside dpkg --purge appreceipt
[ "$(ls "$root/etc/appreceipt")" = garden.json ] || fail "the purge leaves configuration"
rm -r "$root/etc/appreceipt" "$root/tmp/made" "$root"/tmp/*.deb
files >"$work/after"
diff "$work/before" "$work/after" >&2 || fail "the purge leaves files"
pass "a purge leaves nothing, except for the administrator's own files"
echo "$passed passed, 0 failed"
