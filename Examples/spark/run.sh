#!/usr/bin/env bash
# Validates a million receipts in one process, and on a Spark cluster of a master and two workers on this machine. Compares
# the answers with each other, and their counts with the expected ones. With --kill, repeats the run on the cluster and kills
# one worker.
#
#   Examples/spark/run.sh [--count N] [--kill] [--keep]
#
# Needs Java 17 and Python 3; PySpark is installed into a virtual environment beside the data, out/spark.
set -euo pipefail
cd "$(dirname "$0")/../.."
here=Examples/spark
count=1000000
kills_worker=no
keeps_data=no
while [ $# -gt 0 ]; do
    case $1 in
    --count) count=${2:?--count needs a number}; shift 2 ;;
    -h | --help) sed -n '2,8s/^# \{0,1\}//p' "$0"; exit 0 ;;
    --kill) kills_worker=yes; shift ;;
    --keep) keeps_data=yes; shift ;;
    *) sed -n '2,8s/^# \{0,1\}//p' "$0" >&2; exit 64 ;;
    esac
done
command -v java >/dev/null || { echo "Spark needs Java 17: apt-get install openjdk-17-jre-headless" >&2; exit 69; }
data=out/spark
mkdir -p "$data"

[ -x "$data/venv/bin/spark-submit" ] || { python3 -m venv "$data/venv" && "$data/venv/bin/pip" install -q pyspark==4.3.0; }
SPARK_HOME=$("$data/venv/bin/python" -c 'import os, pyspark; print(os.path.dirname(pyspark.__file__))')
export SPARK_HOME SPARK_LOCAL_IP=127.0.0.1 PYSPARK_PYTHON=$PWD/$data/venv/bin/python
tool=${APPRECEIPT:-}
if [ -z "$tool" ]; then
    source scripts/release-options.sh
    swift build "${program_options[@]}" --product appreceipt >&2
    tool=$(swift build "${program_options[@]}" --show-bin-path)/appreceipt
fi

echo "=== $count records"
"$here/generate.py" "$tool" "$count" "$data/input"

echo "=== one process"
"$tool" batch "$data/input/receipts.ndjson" --root "$data/input/root.pem" --bundle-id com.example.app \
    >"$data/single.ndjson"

# A small cluster of separate processes, so that one can be killed.
processes=()
stop() {
    for process in "${processes[@]}"; do kill -9 -- "-$process" 2>/dev/null || kill -9 "$process" 2>/dev/null || true; done
}
trap stop EXIT
master=spark://127.0.0.1:17077
"$SPARK_HOME/bin/spark-class" org.apache.spark.deploy.master.Master -h 127.0.0.1 -p 17077 --webui-port 18080 \
    >"$data/master.log" 2>&1 &
processes+=($!)
# Otherwise, bash reports each process that is killed below as an error.
disown
start_worker() {
    # Here, because a log of an earlier run would look like that of a worker that has registered.
    : >"$data/worker-$1.log"
    # In a process group of its own, so that it can be killed with its child processes.
    setsid "$SPARK_HOME/bin/spark-class" org.apache.spark.deploy.worker.Worker -c 1 -m 2g -d "$PWD/$data/work-$1" \
        --webui-port "1808$1" "$master" >"$data/worker-$1.log" 2>&1 &
    processes+=($!)
    disown
}
start_worker 1
start_worker 2
for _ in $(seq 60); do
    [ "$(cat "$data"/worker-?.log | grep -c 'Successfully registered')" -ge 2 ] && break
    sleep 1
done
[ "$(cat "$data"/worker-?.log | grep -c 'Successfully registered')" -ge 2 ] \
    || { echo "The workers didn't register within a minute. See $data/worker-1.log" >&2; exit 1; }

spark() {
    rm -rf "$data/$1"
    "$data/venv/bin/python" "$here/validate.py" "$master" "$tool" "$data/input/receipts.ndjson" "$data/$1" \
        --root "$PWD/$data/input/root.pem" --bundle-id com.example.app 2>"$data/$1.log" | tee "$data/$1.json"
}
compare() {
    "$data/venv/bin/python" - "$data" "$1" "$here" 2>"$data/compare.log" <<'PYTHON' || { cat "$data/compare.log" >&2; exit 1; }
import json, sys
from pyspark.sql import SparkSession
data, name, here = sys.argv[1:]
sys.path.insert(0, here)
from validate import SCHEMA
spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
# Line numbers count within a partition. Everything else must be equal.
alone = spark.read.schema(SCHEMA).option("mode", "FAILFAST").json(f"{data}/single.ndjson").drop("line")
together = spark.read.parquet(f"{data}/{name}")
assert together.schema.fieldNames() == SCHEMA.fieldNames(), together.schema
counts = {row["verdict"]: row["count"] for row in alone.groupBy("verdict").count().collect()}
expected = json.load(open(f"{data}/input/expected.json"))
assert counts == {k: v for k, v in expected.items() if v}, (counts, expected)
assert alone.count() == together.count() and alone.exceptAll(together.drop("line")).isEmpty(), "The answers differ."
print(f"{name}: the same {alone.count():,} answers as in one process: {counts}")
PYTHON
}

echo "=== Spark, two workers"
spark answers
compare answers

if [ "$kills_worker" = yes ]; then
    echo "=== Spark, one of two workers killed"
    # Files of an earlier run would look like finished tasks.
    rm -rf "$data/answers-killed"
    (
        # After some tasks are finished, kill the worker and its child processes.
        for _ in $(seq 600); do
            [ "$(find "$data/answers-killed" -path '*/task_*/part-*' 2>/dev/null | wc -l)" -ge 3 ] && break
            sleep 0.2
        done
        echo "Killing worker 2 and its child processes." >&2
        kill -9 -- "-${processes[2]}" 2>/dev/null || true
    ) &
    spark answers-killed
    compare answers-killed
    grep -qiE 'lost executor|worker.*(lost|removed)|ExecutorLost' "$data/answers-killed.log" "$data/master.log" \
        || { echo "The cluster didn't lose the worker: it was killed before the tasks began, or after they ended." >&2; exit 1; }
fi
[ "$keeps_data" = yes ] || rm -rf "$data/input" "$data/answers" "$data/answers-killed" "$data/single.ndjson"
