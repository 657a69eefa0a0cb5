#!/usr/bin/env bash
# Runs the attack catalogs and every alteration of a receipt against a release build of the libraries, because the
# compiler has miscompiled release builds before. Takes a minute after scripts/build-server.sh, several without it.
set -euo pipefail
script=$(realpath "$0")
cd "$(dirname "$0")/.."
case "${1:-}" in -h | --help) sed -n '2,3s/^# \{0,1\}//p' "$script"; exit 0 ;; esac
source scripts/release-options.sh
build=("${program_options[@]}" --product check-conformance)
# The folder and trait of scripts/build-server.sh, so that nothing is compiled twice.
[ "$(uname)" != Linux ] || build+=(--traits Server --scratch-path .build-static)
swift build "${build[@]}" >&2
exec "$(swift build "${build[@]}" --show-bin-path)/check-conformance"
