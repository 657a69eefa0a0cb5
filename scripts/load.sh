#!/usr/bin/env bash
# Measures the server with wrk on loopback: the processor time of each kind of request and its ratio to /healthz, which is the
# table of docs/load.md, then throughput, latency and memory under load and overload. Costs are the medians of five rounds,
# each of which alternates with /healthz: other load on the machine then changes both.
#
#   scripts/load.sh [--seconds 10] [--server PROGRAM] [--receipts N] [--baseline] [--json] [--costs]
#   scripts/with-postgres.sh scripts/load.sh --stores [--seconds 10] [--server PROGRAM] [--receipts N] [--json]
#
#   --seconds N        the time of each row, which is divided into the rounds
#   --server PROGRAM   the appreceipt to measure (default: built by scripts/build-server.sh)
#   --receipts N       the number of different receipts of each size, each of another customer (default: 1000; 4000 with --stores)
#   --baseline         also measure a Hummingbird route that returns a constant; its build takes several minutes
#   --json             {"machine", "costs": [{"request", "microseconds", "ratio", …}], "loads": [{"load", …}]} instead of tables
#   --costs            only the costs, not the loads
#   --stores           instead, SQLite beside PostgreSQL with one and two servers: known receipts, new ones, and questions about
#                      accounts. The server needs both: scripts/build-server.sh --postgres
#
# Needs Linux, Python 3, wrk (installed with apt-get if it is missing) and an otherwise idle machine with two cores. The
# server has one core and wrk the other, unless the row says that they share both.
set -euo pipefail
shopt -s inherit_errexit
script=$(realpath "$0")
cd "$(dirname "$0")/.."
seconds=10 server= receipts= baseline= format=table loads=yes stores=
while [ $# -gt 0 ]; do
    case "$1" in --*=*) set -- "${1%%=*}" "${1#*=}" "${@:2}" ;; esac
    case "$1" in --seconds | --server | --receipts) [ -n "${2:-}" ] || { echo "load.sh: $1 needs a value; see --help" >&2; exit 64; } ;; esac
    case "$1" in
    -h | --help) sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$script"; exit 0 ;;
    --seconds) seconds=$2; shift 2 ;;
    --server) server=$2; shift 2 ;;
    --receipts) receipts=$2; shift 2 ;;
    --baseline) baseline=yes; shift ;;
    --json) format=json; shift ;;
    --costs) loads=; shift ;;
    --stores) stores=yes; shift ;;
    *) echo "load.sh: unknown option $1; see --help" >&2; exit 64 ;;
    esac
done
# With --stores, every receipt should be new for a second.
receipts=${receipts:-$([ -n "$stores" ] && echo 4000 || echo 1000)}
[[ $seconds =~ ^[1-9][0-9]*$ && $receipts =~ ^[1-9][0-9]*$ ]] || { echo "load.sh: --seconds and --receipts need a positive integer" >&2; exit 64; }
if [ -n "$server" ]; then
    case "$server" in /*) ;; *) server=$OLDPWD/$server ;; esac
    { [ -f "$server" ] && [ -x "$server" ]; } || { echo "load.sh: $server isn't an executable file" >&2; exit 66; }
fi
[ -z "$stores" ] || [ -n "${POSTGRES_TEST_ADDRESS:-}" ] ||
    { echo "load.sh: --stores runs under scripts/with-postgres.sh; see --help" >&2; exit 64; }
command -v wrk >/dev/null || { apt-get update -qq && apt-get install -y -qq wrk; } >&2
if [ -z "$server" ]; then
    scripts/build-server.sh ${stores:+--postgres} >&2
    server=$PWD/out/appreceipt
fi
if [ -n "$baseline" ]; then
    source scripts/release-options.sh
    build=(--package-path Benchmarks/ConstantRoute "${program_options[@]}")
    swift build "${build[@]}" >&2
    baseline=$(swift build "${build[@]}" --show-bin-path)/constant-route
fi
rounds=5
folder=$(mktemp -d)
process= reference= load= processes=()
finish() {
    local server
    for server in $process $reference $load "${processes[@]}"; do kill "$server" 2>/dev/null || true; done
    rm -rf "$folder"
}
trap finish EXIT

# make_receipts FILE PURCHASES: different receipts in base64, one per line.
make_receipts() {
    local file=$1 purchases=$2 options=() number
    for ((number = 1; number <= purchases; number++)); do options+=(--purchase "com.example.product$number"); done
    for ((number = 1; number <= receipts; number++)); do
        "$server" make receipt --bundle-id com.example.app --environment production "${options[@]}" \
            --first-transaction "$((1000 * number))" --out "$folder/made" >"$folder/log" 2>&1 ||
            { cat "$folder/log" >&2; exit 1; }
        base64 -w0 "$folder/made/receipt"
        echo
    done >"$file"
    cp "$folder/made/root.pem" "$folder/root.pem"
}

# The script for wrk, which sends the receipts in turn, beginning with a random one. Arguments: the path, and for POST the
# file of receipts and the member of the request's JSON. With a part, such as "1/2", every second receipt beginning with the first,
# each for an account of its own, whose number replaces N in the path; without a member, only the path is requested. With a fifth
# argument, the requests name no account.
cat >"$folder/requests.lua" <<'LUA'
local requests, position = {}, 0
function init(arguments)
    local path, file, member, part, isAnonymous = arguments[1], arguments[2], arguments[3], arguments[4], arguments[5] ~= nil
    if file == nil then
        requests[1] = wrk.format("GET", path)
    elseif part ~= nil then
        local first, step = part:match("(%d+)/(%d+)")
        local number = 0
        for line in io.lines(file) do
            number = number + 1
            if number % step == first % step then
                local headers = {["Content-Type"] = "application/json"}
                if not isAnonymous then headers["X-Account"] = "user-" .. number end
                requests[#requests + 1] = member == "" and wrk.format("GET", (path:gsub("N", number)))
                    or wrk.format("POST", path, headers, '{"' .. member .. '":"' .. line .. '"}')
            end
        end
        return
    else
        for line in io.lines(file) do
            requests[#requests + 1] = wrk.format("POST", path, {["Content-Type"] = "application/json"},
                '{"' .. member .. '":"' .. line .. '"}')
        end
    end
    math.randomseed(os.time())
    position = math.random(#requests)
end
function request()
    position = position % #requests + 1
    return requests[position]
end
function done(summary, latency, requests)
    local errors = summary.errors
    io.write(string.format("RESULT %d %.6f %.2f %.2f %.2f %d %d\n",
        summary.requests, summary.duration / 1e6, latency:percentile(50) / 1000, latency:percentile(99) / 1000,
        latency.max / 1000, errors.status, errors.connect + errors.read + errors.write + errors.timeout))
end
LUA

# start CORES PROGRAM [ARGUMENTS]: starts a server, and sets $process and $port.
start() {
    local cores=$1 log
    shift
    log=$(mktemp -p "$folder")
    taskset -c "$cores" "$@" 2>"$log" &
    process=$!
    for _ in $(seq 100); do
        port=$(sed -n 's|.*http://127.0.0.1:\([0-9]*\)/.*|\1|p' "$log" | head -1)
        [ -z "$port" ] || return 0
        sleep 0.1
    done
    cat "$log" >&2
    exit 1
}

# serve CORES [SERVER OPTIONS]: starts the server with an empty database.
serve() {
    local cores=$1
    shift
    rm -f "$folder"/state.sqlite*
    start "$cores" "$server" serve --port 0 --root "$folder/root.pem" --no-inspector --log-level error "$@"
}

stop() {
    kill "$process"
    wait "$process" || { echo "The server didn't stop with status 0." >&2; exit 1; }
    process=
}

# measure CORES CONNECTIONS SECONDS PATH [FILE MEMBER]: prints wrk's result.
measure() {
    local cores=$1 connections=$2 time=$3
    shift 3
    taskset -c "$cores" wrk -t1 -c "$connections" -d "$time" --latency -s "$folder/requests.lua" \
        "http://127.0.0.1:$port" -- "$@" | sed -n 's/^RESULT //p'
}

# The processor time of a process so far, in clock ticks.
ticks() { awk '{ sub(/.*\) /, ""); print $12 + $13 }' "/proc/$1/stat"; }
peak() { awk '/^VmHWM/ { printf "%.0f", $2 / 1024 }' "/proc/$process/status"; }

# warm_up CORES CONNECTIONS PATH [FILE MEMBER]: sends requests until there are as many verdicts as receipts, because a new receipt is
# written to the database.
warm_up() {
    local cores=$1 connections=$2 time=3 verdicts=0 result
    shift 2
    while [ "$verdicts" -lt "$receipts" ]; do
        result=$(measure "$cores" "$connections" "$time" "$@")
        [ -n "$result" ] || { echo "load.sh: wrk failed" >&2; exit 1; }
        verdicts=$(awk '{ print $1 - $6 - $7 }' <<<"$result")
        [ "$verdicts" -gt 0 ] || { echo "load.sh: no request to $1 has status 200" >&2; exit 1; }
        time=$((2 * time))
    done
}

# timed PROCESS MEASURE-ARGUMENTS: prints the processor time in clock ticks, then wrk's result.
timed() {
    local before result
    before=$(ticks "$1")
    result=$(measure "${@:2}")
    echo "$(($(ticks "$1") - before)) $result"
}

# cost NAME WRK-CORES PATH [FILE MEMBER]: measures the started server with 16 connections.
cost() {
    local name=$1 client=$2 time=$(((seconds + rounds - 1) / rounds)) round result health
    shift 2
    warm_up "$client" 16 "$@"
    for ((round = 1; round <= rounds; round++)); do
        result=$(timed "$process" "$client" 16 "$time" "$@")
        health=$(port=$reference_port timed "$reference" 1 16 "$time" /healthz)
        printf 'cost\t%s\t%s\t%s\t%s\n' "$name" "$(peak)" "$result" "$health" >>"$folder/results"
    done
}

# load NAME REQUESTS SERVER-CORES WRK-CORES CONNECTIONS [SERVER OPTIONS]: starts a server and measures its throughput.
load() {
    local name=$1 file=$2 cores=$3 client=$4 connections=$5 result
    shift 5
    serve "$cores" "$@"
    warm_up "$client" "$connections" /verifyReceipt "$file" receipt-data
    result=$(measure "$client" "$connections" "$seconds" /verifyReceipt "$file" receipt-data)
    printf 'load\t%s\t%s\t%s\t%s\n' "$name" "$connections" "$(peak)" "$result" >>"$folder/results"
    stop
}

# use_stores ENGINE SERVERS: starts servers with an empty database. One server has a core, and wrk and PostgreSQL have the other;
# two servers share both cores with wrk and PostgreSQL.
use_stores() {
    local engine=$1 count=$2 database=$folder/state.sqlite cores=0 number
    [ "$count" = 1 ] || cores=0,1
    rm -f "$folder"/state.sqlite*
    if [ "$engine" = PostgreSQL ]; then
        "$POSTGRES_TEST_BIN/psql" "$POSTGRES_TEST_ADDRESS" -qc "DROP DATABASE IF EXISTS load" -c "CREATE DATABASE load" 2>"$folder/log"
        database=${POSTGRES_TEST_ADDRESS/\/postgres\?/\/load?}
    fi
    processes=() ports=()
    for ((number = 1; number <= count; number++)); do
        start "$cores" "$server" serve --port 0 --root "$folder/root.pem" --no-inspector --log-level error --database "$database"
        processes+=("$process") ports+=("$port")
        process=
    done
}

# The processor time of PostgreSQL so far, in clock ticks, with that of the processes that ended.
database_ticks() {
    local child
    for child in $(pgrep -P "$postmaster"); do cat "/proc/$child/stat" 2>/dev/null || true; done |
        awk -v ended="$(awk '{ sub(/.*\) /, ""); print $12 + $13 + $14 + $15 }' "/proc/$postmaster/stat")" \
            '{ sub(/.*\) /, ""); sum += $12 + $13 } END { print sum + ended }'
}

server_ticks() {
    local one sum=0
    for one in "${processes[@]}"; do sum=$((sum + $(ticks "$one"))); done
    echo "$sum"
}

# send_to_stores SECONDS PATH MEMBER [anonymous]: each server gets its part of the requests, from 16 connections in all. The results are in
# $folder/part1 and so on.
send_to_stores() {
    local count=${#processes[@]} number waiting=()
    for ((number = 1; number <= count; number++)); do
        port=${ports[number - 1]} measure "$client" "$((16 / count))" "$1" "$2" "$folder/small" "$3" "$number/$count" "${@:4}" \
            >"$folder/part$number" &
        waiting+=($!)
    done
    for number in "${waiting[@]}"; do wait "$number"; done
}

# measure_stores NAME ENGINE SECONDS PATH MEMBER [anonymous]
measure_stores() {
    local name=$1 engine=$2 number before database=0
    before=$(server_ticks)
    [ "$engine" = SQLite ] || database=$(database_ticks)
    send_to_stores "${@:3}"
    before=$(($(server_ticks) - before))
    [ "$engine" = SQLite ] || database=$(($(database_ticks) - database))
    for ((number = 1; number <= ${#processes[@]}; number++)); do
        printf 'store\t%s\t%s\t%s\t%s\t%s\t%s\n' "$name" "$engine" "${#processes[@]}" "$before" "$database" \
            "$(cat "$folder/part$number")"
    done >>"$folder/results"
}

# pin_database CORES
pin_database() {
    local pid
    # A worker may have ended.
    for pid in "$postmaster" $(pgrep -P "$postmaster"); do taskset -cp "$1" "$pid" >/dev/null 2>&1 || true; done
}

# Keeps the client's core busy, with the lowest priority. A core is slower while the other one works: PostgreSQL keeps it
# busy, and SQLite wouldn't.
keep_busy() {
    taskset -c 1 nice -n 19 sh -c 'while :; do :; done' &
    load=$!
}

# SQLite beside PostgreSQL, with one server and with two.
compare_stores() {
    local count round engine time=$(((seconds + rounds - 1) / rounds))
    postmaster=$(head -1 "$(dirname "$POSTGRES_TEST_CONTROL")/data/postmaster.pid")
    echo "Making $receipts receipts …" >&2
    make_receipts "$folder/small" 4
    for count in 1 2; do
        client=1
        [ "$count" = 1 ] || client=0,1
        pin_database "$client"
        [ "$count" != 1 ] || keep_busy
        for ((round = 1; round <= rounds; round++)); do
            for engine in SQLite PostgreSQL; do
                echo "Round $round of $rounds: $engine, servers: $count …" >&2
                use_stores "$engine" "$count"
                measure_stores "POST /verifyReceipt, 7 KB, new, with an account" "$engine" 1 /verifyReceipt receipt-data
                # The rest of them.
                send_to_stores "$seconds" /verifyReceipt receipt-data
                measure_stores "POST /verifyReceipt, 7 KB, known" "$engine" "$time" /verifyReceipt receipt-data anonymous
                measure_stores "POST /verifyReceipt, 7 KB, known, with an account" "$engine" "$time" /verifyReceipt receipt-data
                measure_stores "GET /v1/accounts/{account}/entitlements" "$engine" "$time" /v1/accounts/user-N/entitlements ""
                for process in "${processes[@]}"; do stop; done
                processes=()
            done
        done
        [ -z "$load" ] || kill "$load"
        load=
    done
}

measure_costs() {
    local small large
    echo "Making $receipts receipts of each size …" >&2
    make_receipts "$folder/small" 4
    make_receipts "$folder/large" 185
    small=$(head -1 "$folder/small" | wc -c) large=$(head -1 "$folder/large" | wc -c)
    echo "Receipts of $small and $large bytes in base64." >&2

    # The server whose /healthz every other cost is compared with.
    serve 0
    reference=$process reference_port=$port
    if [ -n "$baseline" ]; then
        start 0 "$baseline"
        cost "a constant route of Hummingbird" 1 /healthz
        stop
    fi
    # Each in a new process, so that its memory is its own.
    serve 0
    cost "GET /healthz" 1 /healthz
    stop
    serve 0
    cost "POST /verifyReceipt, 7 KB" 1 /verifyReceipt "$folder/small" receipt-data
    stop
    serve 0
    cost "POST /v1/receipts/validate, 7 KB" 1 /v1/receipts/validate "$folder/small" receipt
    stop
    serve 0
    cost "POST /verifyReceipt, 89 KB" 1 /verifyReceipt "$folder/large" receipt-data
    stop
    serve 0 --database "$folder/state.sqlite"
    cost "POST /verifyReceipt, 7 KB, state on disk" 1 /verifyReceipt "$folder/small" receipt-data
    stop
    process=$reference reference=
    stop
}

measure_loads() {
    load "7 KB, one core" "$folder/small" 0 1 32
    load "7 KB, two cores shared with wrk" "$folder/small" 0,1 0,1 32
    load "89 KB, one core" "$folder/large" 0 1 32
    load "89 KB, two cores shared with wrk" "$folder/large" 0,1 0,1 32
    load "7 KB, one core, state on disk" "$folder/small" 0 1 32 --database "$folder/state.sqlite"
    load "7 KB, one core, twice the request limit" "$folder/small" 0 1 64 --max-requests 32
    load "7 KB, one core, 1,000 connections" "$folder/small" 0 1 1000
    load "89 KB, one core, twice the request limit" "$folder/large" 0 1 64 --max-requests 32
}

if [ -n "$stores" ]; then
    compare_stores
else
    measure_costs
    [ -z "$loads" ] || measure_loads
fi

python3 - "$folder/results" "$format" "$(getconf CLK_TCK)" <<'PYTHON'
import json, platform, re, statistics, sys

results, form, frequency = sys.argv[1:]
costs, loads, stores = {}, [], {}


def times(requests, seconds, median, high, most, rejected, failed):
    return {"requests_per_second": round(requests / seconds), "p50_ms": median, "p99_ms": high, "max_ms": most,
            "rejected": int(rejected), "socket_errors": int(failed)}


def microseconds(ticks, requests):
    return ticks / int(frequency) / requests * 1e6


for line in open(results):
    kind, name, *fields = line.rstrip("\n").split("\t")
    if kind == "store":
        engine, servers, ticks, database_ticks, result = fields
        result = [float(value) for value in result.split()]
        if result[5] or result[6]:
            sys.exit(f"{name}, {engine}: {int(result[5])} responses weren't 200, and {int(result[6])} requests failed")
        # The times are those of all servers; each has a line with its own requests.
        of_rounds = stores.setdefault((name, engine, int(servers)), [])
        if not of_rounds or len(of_rounds[-1]["results"]) == int(servers):
            of_rounds.append({"ticks": int(ticks), "database_ticks": int(database_ticks), "results": []})
        of_rounds[-1]["results"].append(result)
        continue
    if kind == "cost":
        peak, result, reference = fields
        ticks, *result = (float(value) for value in result.split())
        health_ticks, *health = (float(value) for value in reference.split())
        for measured, (*_, rejected, failed) in ((name, result), ("/healthz beside " + name, health)):
            if rejected or failed:
                sys.exit(f"{measured}: {int(rejected)} responses weren't 200, and {int(failed)} requests failed")
        cost = microseconds(ticks, result[0])
        costs.setdefault(name, []).append({
            "microseconds": cost, "ratio": cost / microseconds(health_ticks, health[0]), "memory_mb": int(peak),
            **times(*result)})
    else:
        connections, peak, result = fields
        loads.append({"load": name, "connections": int(connections), "memory_mb": int(peak),
                      **times(*(float(value) for value in result.split()))})


def of_store(name, engine, servers, rounds):
    def median(value):
        return statistics.median(value(one, sum(result[0] for result in one["results"])) for one in rounds)

    return {
        "request": name, "engine": engine, "servers": servers,
        "microseconds": round(median(lambda one, requests: microseconds(one["ticks"], requests)), 1),
        "database_microseconds": round(median(lambda one, requests: microseconds(one["database_ticks"], requests)), 1),
        "requests_per_second": round(median(lambda one, _: sum(result[0] / result[1] for result in one["results"]))),
        "p50_ms": round(median(lambda one, _: max(result[2] for result in one["results"])), 2),
        "p99_ms": round(median(lambda one, _: max(result[3] for result in one["results"])), 2)}


stores = sorted((of_store(*key, rounds) for key, rounds in stores.items()),
                key=lambda row: (row["request"], row["servers"], row["engine"] != "SQLite"))
# The largest ratio to /healthz.
BUDGET = {
    "POST /verifyReceipt, 7 KB": 3, "POST /v1/receipts/validate, 7 KB": 3.5, "POST /verifyReceipt, 89 KB": 16,
    "POST /verifyReceipt, 7 KB, state on disk": 3.5,
}
digits = {"microseconds": 1, "ratio": 2, "p50_ms": 2, "p99_ms": 2, "max_ms": 2}
largest = ("memory_mb", "max_ms")
costs = [
    {"request": name,
     **{key: round((max if key in largest else statistics.median)(one[key] for one in rounds), digits.get(key))
        for key in rounds[0]},
     "min_ratio": round(min(one["ratio"] for one in rounds), 2), "max_ratio": round(max(one["ratio"] for one in rounds), 2)}
    for name, rounds in costs.items()]
if form == "json":
    model = re.search(r"^model name\s*: (.*)$", open("/proc/cpuinfo").read(), re.M)
    machine = {"processor": model.group(1) if model else platform.machine(), "kernel": platform.release()}
    print(json.dumps({"machine": machine, "costs": costs, "loads": loads, "stores": stores}, indent=2))
elif stores:
    sqlite = {(row["request"], row["servers"]): row["microseconds"] for row in stores if row["engine"] == "SQLite"}
    print("| request | state | servers | processor time µs | × SQLite | database's µs | requests/s | p50 ms | p99 ms |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for row in stores:
        ratio = "" if row["engine"] == "SQLite" else f"{row['microseconds'] / sqlite[row['request'], row['servers']]:.2f}"
        print("| {request} | {engine} | {servers} | {microseconds} | {ratio} | {database} | {requests_per_second} | {p50_ms} | {p99_ms} |".format(
            **row, ratio=ratio, database=row["database_microseconds"] or ""))
else:
    print("| request | processor time µs | × `/healthz` | budget | range | requests/s | p50 ms | p99 ms | memory MB |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for cost in costs:
        budget = BUDGET.get(cost["request"], "")
        print("| {request} | {microseconds} | {ratio} | {budget} | {min_ratio} to {max_ratio} | {requests_per_second} | {p50_ms} | {p99_ms} | {memory_mb} |".format(**cost, budget=budget))
    if loads:
        print()
        print("| load | connections | requests/s | p50 ms | p99 ms | max ms | rejected (503) | socket errors | memory MB |")
        print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for load in loads:
        print("| {load} | {connections} | {requests_per_second} | {p50_ms} | {p99_ms} | {max_ms} | {rejected} | {socket_errors} | {memory_mb} |".format(**load))
PYTHON
