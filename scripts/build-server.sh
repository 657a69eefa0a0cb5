#!/usr/bin/env bash
# Builds appreceipt with the server as one file that contains the runtimes of Swift and C++, SQLite and zlib, and needs only the
# C libraries of the machine that runs it. Then checks which libraries it needs, that it listens, and that it validates a
# sample receipt over HTTP.
#
#   scripts/build-server.sh [--out DIR] [--postgres]
#
#   --out DIR    the folder for the binary (default: out)
#   --postgres   can also keep the state in PostgreSQL. Needs libpq-dev to build, and libpq5 where it runs. The build
#                folder is .build-postgres.
#
# Requires Debian or Ubuntu, whose libsqlite3-dev and zlib1g-dev contain static libraries. They are installed if they are
# missing (as root). The first build takes about ten minutes on two cores. The build folder is .build-static.
set -euo pipefail
script=$(realpath "$0")
cd "$(dirname "$0")/.."

out=out
trait=Server scratch=.build-static libraries='libc|libm|libgcc_s|ld-linux-x86-64|ld-linux-aarch64'
while [ $# -gt 0 ]; do
    case "$1" in --*=*) set -- "${1%%=*}" "${1#*=}" "${@:2}" ;; esac
    case "$1" in
    -h | --help) sed -n '2,13s/^# \{0,1\}//p' "$script"; exit 0 ;;
    --out)
        [ -n "${2:-}" ] || { echo "--out needs a folder." >&2; exit 64; }
        out=$2
        shift 2
        ;;
    --postgres)
        trait=Postgres scratch=.build-postgres libraries="$libraries|libpq"
        shift
        ;;
    *) echo "Unknown option '$1'. See --help." >&2; exit 64 ;;
    esac
done
[ "$(uname)" = Linux ] || { echo "This builds for Linux. On macOS: swift build -c release --traits Server" >&2; exit 69; }

source scripts/release-options.sh
if [ ! -e .build-static/archives/libsqlite3.a ] || [ ! -e .build-static/archives/libz.a ]; then
    echo "Installing libsqlite3-dev and zlib1g-dev, which contain the static libraries." >&2
    apt-get update -qq && apt-get install -y -qq --no-install-recommends libsqlite3-dev zlib1g-dev >&2
    source scripts/release-options.sh
fi
if [ "$trait" = Postgres ] && ! { [ -e /usr/include/postgresql/libpq-fe.h ] && command -v pkg-config >/dev/null; }; then
    apt-get update -qq && apt-get install -y -qq --no-install-recommends libpq-dev pkg-config >&2
fi

if [ "$trait" = Postgres ]; then
    # Debian's libpq.pc names the system's folder of libraries, which the linker would search before that of the archives.
    mkdir -p "$scratch/pkgconfig"
    sed '/^Libs:/s/-L[^ ]* *//' "$(pkg-config --variable=pcfiledir libpq)/libpq.pc" >"$scratch/pkgconfig/libpq.pc"
    export PKG_CONFIG_PATH=$PWD/$scratch/pkgconfig
fi

build=("${program_options[@]}" --traits "$trait" --product appreceipt --scratch-path "$scratch" -Xlinker -s)
swift build "${build[@]}" >&2
mkdir -p "$out"
install -m 755 "$(swift build "${build[@]}" --show-bin-path)/appreceipt" "$out/"
binary=$(realpath "$out/appreceipt")

# The libraries that it needs. libgcc_s is GCC's runtime; the loaders are those of x86-64 and ARM; libpq is PostgreSQL's.
needed=$(readelf -d "$binary" | sed -n 's/.*(NEEDED).*\[\(.*\)\].*/\1/p' | sort)
others=$(grep -vE "^($libraries)\.so\.[0-9]+$" <<<"$needed" || true)
if [ -n "$others" ]; then
    echo "The binary needs more than the C libraries: $others" >&2
    exit 1
fi
if ldd "$binary" | grep -q 'not found'; then
    echo "Libraries are missing on this machine:" >&2
    ldd "$binary" >&2
    exit 1
fi
if readelf -S "$binary" | grep -q '\.symtab'; then
    echo "The binary isn't stripped." >&2
    exit 1
fi

# Start it in a separate folder, without access to the files of this one.
folder=$(mktemp -d)
server=
stop() {
    [ -z "$server" ] || kill "$server" 2>/dev/null || true
    rm -rf "$folder"
}
trap stop EXIT
cp "$binary" Samples/root.pem Samples/production-subscriptions.receipt "$folder/"
: >"$folder/log"
(cd "$folder" && exec env -i ./appreceipt serve --port 0 --root root.pem --database state.sqlite 2>log) &
server=$!
address=
for _ in $(seq 100); do
    address=$(sed -n 's/^Listening on \(.*\)\/$/\1/p' "$folder/log")
    [ -z "$address" ] || break
    sleep 0.1
done
[ -n "$address" ] || { echo "The server doesn't listen:" >&2; cat "$folder/log" >&2; exit 1; }
python3 - "$address" "$folder/production-subscriptions.receipt" <<'PYTHON'
import json, sys, urllib.request

address, receipt = sys.argv[1:]
with urllib.request.urlopen(address + "/healthz", timeout=10) as answer:
    assert json.load(answer) == {"status": "alive"}
request = urllib.request.Request(
    address + "/v1/receipts/validate?bundle-id=com.example.garden&environment=production",
    open(receipt, "rb").read(), {"Content-Type": "application/octet-stream"})
with urllib.request.urlopen(request, timeout=10) as answer:
    report = json.load(answer)
assert report["verdict"] == "valid" and report["receipt"]["bundleIdentifier"] == "com.example.garden", report["failure"]
PYTHON
kill -TERM "$server"
wait "$server" || { echo "The server didn't stop with status 0:" >&2; cat "$folder/log" >&2; exit 1; }
server=

echo "$binary: $(stat -c %s "$binary" | awk '{ printf "%.1f MB", $1 / 1e6 }'), serves, needs $(paste -sd ' ' <<<"$needed")"
