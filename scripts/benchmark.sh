#!/usr/bin/env bash
# Measures the cost of parsing and verifying a receipt, and of one RSA verification, one hash and OpenSSL's classic method,
# in one run of about half a minute. Prints a table, or with --json one document on standard output.
#
#   scripts/benchmark.sh [--json] [--seconds N]
#
#   --json        a document instead of the table
#   --seconds N   the time of all benchmarks together (default: 30)
#
# The first build takes several minutes.
set -euo pipefail
script=$(realpath "$0")
cd "$(dirname "$0")/.."
options=()
while [ $# -gt 0 ]; do
    case "$1" in --*=*) set -- "${1%%=*}" "${1#*=}" "${@:2}" ;; esac
    case "$1" in
    -h | --help) sed -n '2,10s/^# \{0,1\}//p' "$script"; exit 0 ;;
    --json) options+=(--json); shift ;;
    --seconds)
        [[ ${2:-} =~ ^[1-9][0-9]*$ ]] || { echo "benchmark.sh: --seconds needs a positive integer" >&2; exit 64; }
        options+=(--seconds "$2")
        shift 2
        ;;
    *) echo "benchmark.sh: unknown option $1; see --help" >&2; exit 64 ;;
    esac
done
if [ ! -e /usr/include/openssl/pkcs7.h ] && [ ! -e /usr/local/include/openssl/pkcs7.h ]; then
    echo "The OpenSSL baseline needs OpenSSL's headers. On Debian and Ubuntu: apt-get install libssl-dev" >&2
fi
# SwiftPM doesn't notice new files in a package that is a local dependency.
rm -f Benchmarks/.build/release.yaml
swift build --package-path Benchmarks -c release >&2
exec "$(swift build --package-path Benchmarks -c release --show-bin-path)/benchmarks" speed ${options[@]+"${options[@]}"}
