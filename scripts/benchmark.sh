#!/usr/bin/env bash
# Measures the cost of parsing and verifying a receipt, and of one RSA verification, one hash and OpenSSL's classic method,
# in one run of about half a minute. Prints a table, or with --json one document on standard output.
#
#   scripts/benchmark.sh [--json] [--seconds N]
set -euo pipefail
script=$(realpath "$0")
cd "$(dirname "$0")/.."
case "${1:-}" in -h | --help) sed -n '2,5s/^# \{0,1\}//p' "$script"; exit 0 ;; esac
if [ ! -e /usr/include/openssl/pkcs7.h ] && [ ! -e /usr/local/include/openssl/pkcs7.h ]; then
    echo "The OpenSSL baseline needs OpenSSL's headers. On Debian and Ubuntu: apt-get install libssl-dev" >&2
fi
# SwiftPM doesn't notice new files in a package that is a local dependency.
rm -f Benchmarks/.build/release.yaml
swift build --package-path Benchmarks -c release >&2
exec "$(swift build --package-path Benchmarks -c release --show-bin-path)/benchmarks" speed "$@"
