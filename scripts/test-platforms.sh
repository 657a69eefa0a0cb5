#!/usr/bin/env bash
# Compiles the sources as on each of Apple's platforms, against stubs of its frameworks, and tests the lookups and the refresh
# (Tests/Platforms). Only on Linux: on a Mac the stubs would shadow the real modules.
#
#   scripts/test-platforms.sh [--scratch-path DIR]
#
#   --scratch-path DIR   the build folder (default: Tests/Platforms/.build). A folder with a debug build of the package already
#                        contains the compiled cryptography, but the package can't be built there again afterwards.
set -euo pipefail
script=$(realpath "$0")
scratch=
while [ $# -gt 0 ]; do
    case "$1" in
    -h | --help) sed -n '2,8s/^# \{0,1\}//p' "$script"; exit 0 ;;
    --scratch-path) scratch=$(realpath "${2:?--scratch-path needs a folder}"); shift 2 ;;
    *) echo "Unknown option '$1'. See --help." >&2; exit 64 ;;
    esac
done
cd "$(dirname "$script")/../Tests/Platforms"
if [ "$(uname)" = Darwin ]; then
    echo "SKIPPED: on a Mac, the package compiles against the real frameworks."
    exit 0
fi
for shape in SHAPE_MACOS SHAPE_CATALYST SHAPE_IOS SHAPE_WATCHOS; do
    log=$(mktemp)
    if ! swift test --scratch-path "${scratch:-.build}" --traits "$shape" >"$log" 2>&1; then
        cat "$log" >&2
        echo "$shape: failed" >&2
        exit 1
    fi
    summary=$(grep -E 'Test run with [1-9][0-9]* tests .* passed' "$log") || { cat "$log" >&2; exit 1; }
    echo "$shape: ${summary#*Test run with }"
    rm -f "$log"
done
