#!/usr/bin/env bash
# Measures the cost of each kind and size of hostile input, for which docs/budgets.md states the limits: time, memory and verdict.
# Prints a table, row by row, which takes minutes.
#
#   scripts/budgets.sh [OPTIONS OF swift build]     default: -c release
set -euo pipefail
script=$(realpath "$0")
cd "$(dirname "$0")/.."
case "${1:-}" in -h | --help) sed -n '2,5s/^# \{0,1\}//p' "$script"; exit 0 ;; esac
[ $# -gt 0 ] || set -- -c release
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# SwiftPM doesn't notice new files in a package that is a local dependency.
rm -f Benchmarks/.build/release.yaml
swift build --package-path Benchmarks "$@" >"$log" 2>&1 || { cat "$log" >&2; exit 1; }
"$(swift build --package-path Benchmarks "$@" --show-bin-path)/benchmarks" budgets
