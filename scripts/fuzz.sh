#!/usr/bin/env bash
# Fuzzes the readers and the verifier with libFuzzer and the address sanitizer: each target for so many seconds (60 by
# default), two at a time. Stops with status 1 at the first finding, whose input it leaves in Fuzz/findings: make a test
# of it before it is mended.
#
#   scripts/fuzz.sh [SECONDS] [TARGET ...]
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-60}
shift || true
targets=("$@")
[ ${#targets[@]} -gt 0 ] || targets=(input container payload verifier dates devices)

# Swift's own report of a trap would keep libFuzzer from saving the input.
export SWIFT_BACKTRACE=enable=no ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1
# SwiftPM does not notice files that are new in a package next door.
rm -f Fuzz/.build/release.yaml
build=(swift build --package-path Fuzz -c release --sanitize address -Xswiftc -sanitize=fuzzer -Xswiftc -use-ld=lld)
log=$(mktemp)
"${build[@]}" >"$log" 2>&1 || { cat "$log" >&2; exit 1; }
fuzz="$("${build[@]}" --show-bin-path)/fuzz"
mkdir -p Fuzz/findings Fuzz/logs

run() {
    local target=$1 corpus=Fuzz/corpus/$1
    "$fuzz" seeds "$target" "Fuzz/seeds/$target"
    mkdir -p "$corpus"
    if ! "$fuzz" "$target" "$corpus" "Fuzz/seeds/$target" -dict=Fuzz/dictionary.txt -max_total_time="$seconds" \
        -timeout=25 -rss_limit_mb=2048 -max_len=16384 -print_final_stats=1 -artifact_prefix="Fuzz/findings/$target-" \
        >"Fuzz/logs/$target" 2>&1; then
        echo "$target: FINDING" >&2
        tail -40 "Fuzz/logs/$target" >&2
        return 1
    fi
    local runs coverage
    runs=$(grep -oE 'number_of_executed_units: [0-9]+' "Fuzz/logs/$target" | grep -oE '[0-9]+')
    coverage=$(grep -oE 'cov: [0-9]+' "Fuzz/logs/$target" | tail -1)
    echo "$target: $runs executions in $seconds s, $coverage edges, no finding"
}

failed=0
for ((index = 0; index < ${#targets[@]}; index += 2)); do
    pids=()
    for target in "${targets[@]:index:2}"; do
        run "$target" &
        pids+=($!)
    done
    for pid in "${pids[@]}"; do wait "$pid" || failed=1; done
done
exit $failed
