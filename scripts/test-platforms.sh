#!/usr/bin/env bash
# Compiles the sources as each of Apple's platforms has them, against stand-ins for its frameworks, and runs the lookups
# and the refresh (Tests/Platforms). On Linux only: on a Mac the stand-ins would shadow the real modules.
set -euo pipefail
script=$(realpath "$0")
cd "$(dirname "$0")/../Tests/Platforms"
case "${1:-}" in -h | --help) sed -n '2,3s/^# \{0,1\}//p' "$script"; exit 0 ;; esac
if [ "$(uname)" = Darwin ]; then
    echo "Skipped: this is a Mac, where the package itself compiles against the real frameworks."
    exit 0
fi
for shape in SHAPE_MACOS SHAPE_CATALYST SHAPE_IOS SHAPE_WATCHOS; do
    log=$(mktemp)
    if ! swift test --traits "$shape" >"$log" 2>&1; then
        cat "$log" >&2
        echo "$shape: failed" >&2
        exit 1
    fi
    summary=$(grep -E 'Test run with [1-9][0-9]* tests .* passed' "$log") || { cat "$log" >&2; exit 1; }
    echo "$shape: ${summary#*Test run with }"
    rm -f "$log"
done
