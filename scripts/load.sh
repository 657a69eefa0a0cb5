#!/usr/bin/env bash
# Measures the server under load with wrk on loopback: throughput, latency and memory for receipts of 6 and 80 KB, on one
# core and on two, with the state in memory and on disk, and under overload. Writes the table of docs/load.md to standard
# output.
#
#   scripts/load.sh [--seconds 10] [--server PROGRAM]
#
# Needs Linux, wrk (installed with apt-get if it is missing) and an otherwise idle machine. wrk runs on the same machine:
# with one core, the server uses one and wrk the other; with two, they share both.
set -euo pipefail
script=$(realpath "$0")
cd "$(dirname "$0")/.."
seconds=10
server=
while [ $# -gt 0 ]; do
    case "$1" in
    -h | --help) sed -n '2,9s/^# \{0,1\}//p' "$script"; exit 0 ;;
    --seconds) seconds=$2; shift 2 ;;
    --server) server=$2; shift 2 ;;
    *) echo "load.sh: unknown option $1; see --help" >&2; exit 64 ;;
    esac
done
command -v wrk >/dev/null || { apt-get update -qq && apt-get install -y -qq wrk; } >&2
if [ -z "$server" ]; then
    swift build -c release --traits Server --product appreceipt --scratch-path .build-load >&2
    server=$(swift build -c release --traits Server --scratch-path .build-load --show-bin-path)/appreceipt
fi
folder=$(mktemp -d)
process=
finish() {
    [ -z "$process" ] || kill "$process" 2>/dev/null || true
    rm -rf "$folder"
}
trap finish EXIT

# Requests with different receipts, one per line: about 6 KB for 4 purchases, 80 KB for 185.
requests() {
    local file=$1 count=$2 purchases=$3 options=() number
    for ((number = 1; number <= purchases; number++)); do
        options+=(--purchase "com.example.product$number")
    done
    for ((number = 1; number <= count; number++)); do
        "$server" make receipt --bundle-id com.example.app --environment production "${options[@]}" \
            --first-transaction "$((1000 * number))" --out "$folder/made" >/dev/null
        printf '{"receipt-data":"%s"}\n' "$(base64 -w0 "$folder/made/receipt")"
    done >"$file"
    cp "$folder/made/root.pem" "$folder/root.pem"
}

# The script for wrk, which sends the requests in turn.
cat >"$folder/requests.lua" <<'LUA'
local bodies, position = {}, 0
function init(arguments)
    for line in io.lines(arguments[1]) do
        bodies[#bodies + 1] = wrk.format("POST", "/verifyReceipt", {["Content-Type"] = "application/json"}, line)
    end
    position = math.random(#bodies)
end
function request()
    position = position % #bodies + 1
    return bodies[position]
end
function done(summary, latency, requests)
    local errors = summary.errors
    io.write(string.format("RESULT %.0f %.2f %.2f %.2f %d %d\n",
        summary.requests / (summary.duration / 1e6), latency:percentile(50) / 1000, latency:percentile(99) / 1000,
        latency.max / 1000, errors.status, errors.connect + errors.read + errors.write + errors.timeout))
end
LUA

# row NAME REQUESTS SERVER-CORES WRK-CORES CONNECTIONS [SERVER OPTIONS]
row() {
    local name=$1 file=$2 cores=$3 client=$4 connections=$5 port result peak
    shift 5
    rm -f "$folder"/state.sqlite*
    taskset -c "$cores" "$server" serve --port 0 --root "$folder/root.pem" --no-inspector --log-level error "$@" \
        2>"$folder/log" &
    process=$!
    for _ in $(seq 100); do
        port=$(sed -n 's|.*http://127.0.0.1:\([0-9]*\)/.*|\1|p' "$folder/log")
        [ -z "$port" ] || break
        sleep 0.1
    done
    [ -n "$port" ] || { cat "$folder/log" >&2; exit 1; }
    # The first second warms up the chain cache, connections and other caches.
    taskset -c "$client" wrk -t1 -c "$connections" -d1 -s "$folder/requests.lua" "http://127.0.0.1:$port" \
        -- "$file" >/dev/null
    result=$(taskset -c "$client" wrk -t1 -c "$connections" -d "$seconds" --latency -s "$folder/requests.lua" \
        "http://127.0.0.1:$port" -- "$file" | sed -n 's/^RESULT //p')
    peak=$(awk '/^VmHWM/ { printf "%.0f", $2 / 1024 }' "/proc/$process/status")
    kill "$process"
    wait "$process" || { echo "The server didn't stop with status 0." >&2; exit 1; }
    process=
    read -r rate median high maximum rejected failed <<<"$result"
    printf '| %s | %s | %s | %s | %s | %s | %s | %s | %s |\n' \
        "$name" "$connections" "$rate" "$median" "$high" "$maximum" "$rejected" "$failed" "$peak"
}

echo "Making receipts …" >&2
requests "$folder/small" 500 4
requests "$folder/large" 100 185
echo "Requests of $(($(head -1 "$folder/small" | wc -c))) and $(($(head -1 "$folder/large" | wc -c))) bytes; $(nproc) cores," \
    "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1)." >&2
echo "| load | connections | requests/s | p50 ms | p99 ms | max ms | rejected (503) | socket errors | memory MB |"
echo "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
row "6 KB, one core" "$folder/small" 0 1 32
row "6 KB, two cores shared with wrk" "$folder/small" 0,1 0,1 32
row "80 KB, one core" "$folder/large" 0 1 32
row "80 KB, two cores shared with wrk" "$folder/large" 0,1 0,1 32
row "6 KB, one core, state on disk" "$folder/small" 0 1 32 --database "$folder/state.sqlite"
row "6 KB, one core, twice the request limit" "$folder/small" 0 1 64 --max-requests 32
row "6 KB, one core, 1,000 connections" "$folder/small" 0 1 1000
row "80 KB, one core, twice the request limit" "$folder/large" 0 1 64 --max-requests 32
