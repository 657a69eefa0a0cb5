#!/usr/bin/env bash
# Runs the attack catalogs and every alteration of a receipt against a release build of the libraries, because the
# compiler has miscompiled release builds before. Takes a minute after scripts/build-server.sh, several without it.
set -euo pipefail
script=$(realpath "$0")
cd "$(dirname "$0")/.."
case "${1:-}" in -h | --help) sed -n '2,3s/^# \{0,1\}//p' "$script"; exit 0 ;; esac
# The folder, trait and compiler flags of scripts/build-server.sh, so that nothing is compiled twice.
source scripts/release-options.sh
swift build "${program_options[@]}" --traits Server --product check-conformance >&2
exec "$(swift build "${program_options[@]}" --traits Server --show-bin-path)/check-conformance"
