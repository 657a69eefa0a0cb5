#!/usr/bin/env bash
# Runs the tests of concurrent use under the thread sanitizer. The build doesn't include the server, so the tests of the
# command line without the server run here too.
set -euo pipefail
script=$(realpath "$0")
cd "$(dirname "$0")/.."
case "${1:-}" in -h | --help) sed -n '2,3s/^# \{0,1\}//p' "$script"; exit 0 ;; esac
# The sanitizer needs a fixed memory layout, which some containers don't permit. The tests are then skipped.
log=$(mktemp)
trap 'rm -f "$log"' EXIT
echo "Building with the thread sanitizer into .build/threads; the first build takes minutes." >&2
tests='SharedUse|ReceiptRefresher|concurrentUse|ServeTests'
if ! swift test --sanitize thread --scratch-path .build/threads --filter "$tests" >"$log" 2>&1; then
    if grep -q 'FATAL: ThreadSanitizer: unexpected memory mapping' "$log"; then
        echo "SKIPPED: the thread sanitizer can't set up its memory here." >&2
        exit 0
    fi
    cat "$log" >&2
    exit 1
fi
if grep -q 'WARNING: ThreadSanitizer' "$log"; then
    cat "$log" >&2
    exit 1
fi
grep -E 'Test run with [1-9][0-9]* tests .* passed' "$log"
