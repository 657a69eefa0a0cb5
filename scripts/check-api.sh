#!/usr/bin/env bash
# Compares the public API with the previous release, and fails if code that uses the libraries would no longer compile.
#
#   scripts/check-api.sh [TAG]
#
#   TAG   the release to compare with (default: the newest version tag before this commit)
#
# List a deliberate change in .api-breakages, on a line of its own and as the output names it, and in CHANGELOG.md.
set -euo pipefail
script=$(realpath "$0")
cd "$(dirname "$0")/.."
case "${1:-}" in -h | --help) sed -n '2,8s/^# \{0,1\}//p' "$script"; exit 0 ;; esac

previous=${1:-$(git describe --tags --abbrev=0 --match '[0-9]*' HEAD^ 2>/dev/null || true)}
if [ -z "$previous" ]; then
    echo "SKIPPED: no previous release."
    exit 0
fi
options=(--traits Server)
checks=()
for product in AppReceiptParsing AppReceiptKit AppStoreSignedData VerifyReceipt AppReceiptValidator AppStoreServerAPI AppReceiptTesting \
    AppStoreServerTesting AppReceiptStore AppReceiptServer; do
    checks+=(--products "$product")
done
[ ! -e .api-breakages ] || checks+=(--breakage-allowlist-path .api-breakages)
echo "Comparing with $previous."
swift package "${options[@]}" diagnose-api-breaking-changes "$previous" "${checks[@]}"
