#!/usr/bin/env bash
# Counts the instructions of one call of a benchmark with valgrind: nearly the same whatever else the machine does, and
# only comparable with themselves, because valgrind hides the newest instructions from the cryptography. Takes a minute or two. What making
# the receipts takes is left out, as the difference between few calls and many.
#
#   scripts/count-instructions.sh [NAME ...]      default: rsa-verification parse-6k verify-6k-warm verify-6k-cold
set -euo pipefail
script=$(realpath "$0")
cd "$(dirname "$0")/.."
case "${1:-}" in -h | --help) sed -n '2,7s/^# \{0,1\}//p' "$script"; exit 0 ;; esac
command -v valgrind >/dev/null || { echo "valgrind is missing. On Debian and Ubuntu: apt-get install valgrind" >&2; exit 69; }
# SwiftPM does not notice files that are new in a package next door.
rm -f Benchmarks/.build/release.yaml
swift build --package-path Benchmarks -c release >&2
benchmarks=$(swift build --package-path Benchmarks -c release --show-bin-path)/benchmarks
for name in "$@"; do
    case "$name" in *-threads) echo "$name: several threads cannot be counted; valgrind runs one at a time." >&2; exit 64 ;; esac
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
log=$work/log
# Older versions of valgrind cannot read what Swift writes for debuggers.
strip --strip-debug -o "$work/benchmarks" "$benchmarks"

count() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$work/benchmarks" repeat "$1" "$2" 2>"$log" >&2 \
        || { cat "$log" >&2; exit 1; }
    grep -oE 'Collected : [0-9]+' "$log" | grep -oE '[0-9]+'
}
for name in "${@:-rsa-verification}" $([ $# -gt 0 ] || echo parse-6k verify-6k-warm verify-6k-cold); do
    few=$(count "$name" 64)
    many=$(count "$name" 4160)
    echo "$name: $(((many - few) / 4096)) instructions a call"
done
