#!/usr/bin/env bash
# Measures the cost of parsing and verifying a receipt beside one RSA verification and OpenSSL's classic method, in one run of
# about half a minute, and prints the table of docs/performance.md. The exit status is 1 if a ratio exceeds the budget.
#
#   scripts/benchmark.sh [--all | --json] [--seconds N]
#
#   --all         a table of all benchmarks, without the budget
#   --json        the same as one document
#   --seconds N   the time of all benchmarks together (default: 30)
#
# Needs Python 3. The first build takes several minutes.
set -euo pipefail
script=$(realpath "$0")
cd "$(dirname "$0")/.."
options=() format=budget
while [ $# -gt 0 ]; do
    case "$1" in --*=*) set -- "${1%%=*}" "${1#*=}" "${@:2}" ;; esac
    case "$1" in
    -h | --help) sed -n '2,11s/^# \{0,1\}//p' "$script"; exit 0 ;;
    --all) format=all; shift ;;
    --json) format=json; shift ;;
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
[ "$format" = all ] || options+=(--json)
results=$("$(swift build --package-path Benchmarks -c release --show-bin-path)/benchmarks" speed ${options[@]+"${options[@]}"})
if [ "$format" != budget ]; then
    printf '%s\n' "$results"
    exit
fi
python3 - "$results" <<'PYTHON'
import json, sys

# The rows of the table: what each is compared with, and the largest ratio. The baselines have none.
RSA, OPENSSL, VERIFICATION = "x_rsa", "x_openssl", "x_verification"
BUDGET = {
    "rsa-verification": None,
    "parse-6k": (RSA, 0.6),
    "verify-6k-warm": (RSA, 2),
    "verify-6k-cold": (RSA, 10),
    "openssl-verify-79k": None,
    "verify-79k-warm": (OPENSSL, 0.35),
    "verify-20000-purchases-warm": None,
    "entitlements-20000-purchases": (VERIFICATION, 2),
}
NAMES = {RSA: "RSA", OPENSSL: "OpenSSL", VERIFICATION: "verification"}


def time(nanoseconds):
    return f"{nanoseconds / 1000:.{2 if nanoseconds < 1e5 else 0}f} µs"


def ratio(value):
    return "" if value is None else f"{value:.2f}"


results = {result["name"]: result for result in json.loads(sys.argv[1])["results"]}
rows = [["benchmark", "median", "least", "most", *(f"× {name}" for name in NAMES.values()), "budget", "allocations"]]
missed = []
for name, budget in BUDGET.items():
    result = results.get(name)
    if result is None:
        missed.append(f"{name} wasn't measured")
        continue
    if budget and (result[budget[0]] is None or result[budget[0]] > budget[1]):
        missed.append(f"{name} is {ratio(result[budget[0]]) or '?'} × {NAMES[budget[0]]}, and the budget is {budget[1]}")
    rows.append([
        name, *(time(result[f"{key}_ns"]) for key in ("median", "min", "max")), *(ratio(result[key]) for key in NAMES),
        f"{budget[1]} × {NAMES[budget[0]]}" if budget else "",
        "" if result["allocations"] is None else f"{result['allocations']:.0f}"])
widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
for number, row in enumerate(rows):
    print("| " + " | ".join(
        cell.ljust(width) if column == 0 else cell.rjust(width)
        for column, (cell, width) in enumerate(zip(row, widths))) + " |")
    if number == 0:
        print("| " + " | ".join(
            "-" * width if column == 0 else "-" * (width - 1) + ":" for column, width in enumerate(widths)) + " |")
for line in missed:
    print(line, file=sys.stderr)
sys.exit(1 if missed else 0)
PYTHON
