#!/usr/bin/env bash
# Measures the cost of each kind and size of hostile input, and prints the table of docs/budgets.md.
set -euo pipefail
script=$(realpath "$0")
cd "$(dirname "$0")/.."
case "${1:-}" in -h | --help) sed -n '2,2s/^# \{0,1\}//p' "$script"; exit 0 ;; esac
log=$(mktemp)
trap 'rm -f "$log"' EXIT
echo "Building into Benchmarks/.build; the first build takes minutes. The table is printed row by row and also takes minutes." >&2
# SwiftPM doesn't notice new files in a package that is a local dependency.
rm -f Benchmarks/.build/release.yaml
swift build --package-path Benchmarks -c release >"$log" 2>&1 || { cat "$log" >&2; exit 1; }
"$(swift build --package-path Benchmarks -c release --show-bin-path)/benchmarks" budgets
