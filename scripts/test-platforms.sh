#!/usr/bin/env bash
# Compiles the sources as on each of Apple's platforms, against stubs of its frameworks, runs the tests of Tests/Platforms, and
# checks that what is compiled needs no newer systems than the libraries. Only on Linux: on a Mac the stubs would shadow the modules.
#
#   scripts/test-platforms.sh [--shape NAME] [--scratch-path DIR]
#
#   --shape NAME         SHAPE_MACOS (also Mac Catalyst), SHAPE_IOS (also tvOS and visionOS) or SHAPE_WATCHOS (default: all of them)
#   --scratch-path DIR   the build folder (default: Tests/Platforms/.build). A folder with a debug build of the package already
#                        contains the compiled cryptography, but the package can't be built there again afterwards.
set -euo pipefail
script=$(realpath "$0")
shapes="SHAPE_MACOS SHAPE_IOS SHAPE_WATCHOS"
scratch=
while [ $# -gt 0 ]; do
    case "$1" in
    -h | --help) sed -n '2,9s/^# \{0,1\}//p' "$script"; exit 0 ;;
    --shape) shapes=${2:?--shape needs a name}; shift 2 ;;
    --scratch-path) scratch=$(realpath "${2:?--scratch-path needs a folder}"); shift 2 ;;
    *) echo "Unknown option '$1'. See --help." >&2; exit 64 ;;
    esac
done
cd "$(dirname "$script")/../Tests/Platforms"
if [ "$(uname)" = Darwin ]; then
    echo "SKIPPED: on a Mac, the package compiles against the real frameworks."
    exit 0
fi
options=(--scratch-path "${scratch:-.build}")
log=$(mktemp)
trap 'rm -f "$log"' EXIT
for shape in $shapes; do
    if ! swift test "${options[@]}" --traits "$shape" >"$log" 2>&1; then
        cat "$log" >&2
        echo "$shape: failed" >&2
        exit 1
    fi
    summary=$(grep -E 'Test run with [1-9][0-9]* tests .* passed' "$log") || { cat "$log" >&2; exit 1; }
    echo "$shape: ${summary#*Test run with }"
    products=$(swift build "${options[@]}" --traits "$shape" --show-bin-path)
    # The index of a shared build folder also contains other files, and each shape uses only a part of the table.
    python3 "$(dirname "$script")/check-floors.py" --package . --index "$products/index/store" --define SHAPE_APPLE \
        --define "$shape" --partial
done
