#!/usr/bin/env bash
# Runs the tests of shared use under the thread sanitizer.
set -euo pipefail
cd "$(dirname "$0")/.."
# The sanitizer needs a fixed layout of memory, which some containers forbid to set: say so instead of failing on it.
log=$(mktemp)
if ! swift test --sanitize thread --scratch-path .build/threads --filter 'SharedUse|ReceiptRefresher|concurrentUse' >"$log" 2>&1; then
    if grep -q 'FATAL: ThreadSanitizer: unexpected memory mapping' "$log"; then
        echo "SKIPPED: the thread sanitizer cannot set up its memory here." >&2
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
