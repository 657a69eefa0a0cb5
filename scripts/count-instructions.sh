#!/usr/bin/env bash
# Counts the instructions of one call of a benchmark with valgrind. The counts hardly depend on other load, but are comparable
# only with each other, because valgrind hides newer instructions from the cryptography. The setup isn't counted: the result is
# the difference between many calls and few. Takes a minute or two.
#
#   scripts/count-instructions.sh [NAME ...]      default: rsa-verification parse-6k verify-6k-warm verify-6k-cold
set -euo pipefail
script=$(realpath "$0")
cd "$(dirname "$0")/.."
case "${1:-}" in -h | --help) sed -n '2,6s/^# \{0,1\}//p' "$script"; exit 0 ;; esac
command -v valgrind >/dev/null || { echo "valgrind is missing. On Debian and Ubuntu: apt-get install valgrind" >&2; exit 69; }
# SwiftPM doesn't notice new files in a package that is a local dependency.
rm -f Benchmarks/.build/release.yaml
swift build --package-path Benchmarks -c release >&2
benchmarks=$(swift build --package-path Benchmarks -c release --show-bin-path)/benchmarks
for name in "$@"; do
    case "$name" in *-threads) echo "$name: valgrind runs one thread at a time, so benchmarks with several threads can't be counted." >&2; exit 64 ;; esac
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
log=$work/log
# Older versions of valgrind can't read Swift's debug information.
strip --strip-debug -o "$work/benchmarks" "$benchmarks"

count() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$work/benchmarks" repeat "$1" "$2" 2>"$log" >&2 \
        || { cat "$log" >&2; exit 1; }
    grep -oE 'Collected : [0-9]+' "$log" | grep -oE '[0-9]+'
}
for name in "${@:-rsa-verification}" $([ $# -gt 0 ] || echo parse-6k verify-6k-warm verify-6k-cold); do
    few=$(count "$name" 64)
    many=$(count "$name" 4160)
    echo "$name: $(((many - few) / 4096)) instructions per call"
done
