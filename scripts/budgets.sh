#!/usr/bin/env bash
# Measures what hostile input of each kind and size costs, and prints the table of docs/budgets.md.
set -euo pipefail
script=$(realpath "$0")
cd "$(dirname "$0")/.."
case "${1:-}" in -h | --help) sed -n '2,2s/^# \{0,1\}//p' "$script"; exit 0 ;; esac
log=$(mktemp)
trap 'rm -f "$log"' EXIT
echo "Building into Benchmarks/.build; the first time takes minutes. The table comes row by row, for some minutes." >&2
# SwiftPM does not notice files that are new in a package next door.
rm -f Benchmarks/.build/release.yaml
swift build --package-path Benchmarks -c release >"$log" 2>&1 || { cat "$log" >&2; exit 1; }
"$(swift build --package-path Benchmarks -c release --show-bin-path)/benchmarks" budgets
