#!/usr/bin/env bash
# Measures what hostile input of each kind and size costs, and prints the table of docs/budgets.md.
set -euo pipefail
cd "$(dirname "$0")/.."
log=$(mktemp)
# SwiftPM does not notice files that are new in a package next door.
rm -f Benchmarks/.build/release.yaml
swift build --package-path Benchmarks -c release >"$log" 2>&1 || { cat "$log" >&2; exit 1; }
exec "$(swift build --package-path Benchmarks -c release --show-bin-path)/benchmarks" budgets
