#!/usr/bin/env bash
# Fuzzes the parsers and the verifier with libFuzzer and the address sanitizer: each target for SECONDS (default: 60; three
# times as long for the verifier, which also signs), two targets at a time. Exits with status 1 after a finding, whose input
# is in Fuzz/findings: add it as a test before you fix it. To reproduce a finding:
#   Fuzz/.build/release/fuzz TARGET Fuzz/findings/FILE
#
#   scripts/fuzz.sh [SECONDS] [TARGET ...]      targets: input container payload verifier dates devices
#   json token request
set -euo pipefail
script=$(realpath "$0")
cd "$(dirname "$0")/.."
usage() { sed -n '2,8s/^# \{0,1\}//p' "$script"; }
case "${1:-}" in -h | --help) usage; exit 0 ;; esac
seconds=${1:-60}
shift || true
[[ $seconds =~ ^[1-9][0-9]*$ ]] || { echo "Expected a positive number of seconds, not '$seconds'." >&2; usage >&2; exit 64; }
all=(input container payload verifier dates devices json token request)
targets=("$@")
[ ${#targets[@]} -gt 0 ] || targets=("${all[@]}")
for target in "${targets[@]}"; do
    [[ " ${all[*]} " == *" $target "* ]] || { echo "Unknown target '$target'. Targets: ${all[*]}." >&2; exit 64; }
done
[ "$(printf '%s\n' "${targets[@]}" | sort | uniq -d | wc -l)" = 0 ] || { echo "A target is named twice." >&2; exit 64; }

# Swift's backtrace after a trap would keep libFuzzer from saving the input.
export SWIFT_BACKTRACE=enable=no ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1
build=(swift build --package-path Fuzz -c release --sanitize address -Xswiftc -sanitize=fuzzer -Xswiftc -use-ld=lld)
log=$(mktemp)
trap 'rm -f "$log"' EXIT
echo "Building with libFuzzer and the address sanitizer into Fuzz/.build; the first build takes minutes." >&2
# SwiftPM doesn't notice new files in a package that is a local dependency.
rm -f Fuzz/.build/release.yaml
"${build[@]}" >"$log" 2>&1 || { cat "$log" >&2; exit 1; }
fuzz="$("${build[@]}" --show-bin-path)/fuzz"
mkdir -p Fuzz/findings Fuzz/logs

run() {
    local target=$1 corpus=Fuzz/corpus/$1 time=$seconds
    [ "$target" = verifier ] && time=$((seconds * 3))
    "$fuzz" seeds "$target" "Fuzz/seeds/$target"
    mkdir -p "$corpus"
    if ! "$fuzz" "$target" "$corpus" "Fuzz/seeds/$target" -dict=Fuzz/dictionary.txt -max_total_time="$time" \
        -timeout=25 -rss_limit_mb=2048 -max_len=16384 -print_final_stats=1 -artifact_prefix="Fuzz/findings/$target-" \
        >"Fuzz/logs/$target" 2>&1; then
        echo "$target: FINDING" >&2
        tail -40 "Fuzz/logs/$target" >&2
        return 1
    fi
    local runs seeds coverage
    runs=$(grep -oaE 'number_of_executed_units: [0-9]+' "Fuzz/logs/$target" | grep -oE '[0-9]+')
    seeds=$(grep -oaE '^#[0-9]+[[:space:]]+INITED' "Fuzz/logs/$target" | grep -oE '[0-9]+' || echo 0)
    coverage=$(grep -oaE 'cov: [0-9]+' "Fuzz/logs/$target" | tail -1)
    echo "$target: $runs executions in $time s ($((runs - seeds)) after the seeds), ${coverage#cov: } edges, no finding"
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
