#!/usr/bin/env python3
"""Validates NDJSON of receipts on Spark: each partition goes through `appreceipt batch`.

    validate.py MASTER APPRECEIPT INPUT OUTPUT [OPTION FOR BATCH ...]

INPUT and OUTPUT are anything that Spark reads and writes: files here, HDFS or S3 elsewhere. OUTPUT receives the answers,
one part for each partition; the counts go to standard output as JSON. Options such as --bundle-id and --environment hold
for every record: a record can narrow them, not widen them. The program must be at the same path on every
worker; built with --static-swift-stdlib it is one file that needs the C and C++ libraries of the system and nothing else.
"""
import json
import shlex
import sys
import time

from pyspark.sql import SparkSession


def main():
    master, tool, source, target, options = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4], sys.argv[5:]
    spark = (
        SparkSession.builder.master(master).appName("appreceipt batch")
        # A worker that is lost costs the tasks that it had, which others do again.
        .config("spark.task.maxFailures", "8")
        .config("spark.executor.memory", "1g")
        .config("spark.ui.showConsoleProgress", "true" if sys.stderr.isatty() else "false")
        .getOrCreate())
    spark.sparkContext.setLogLevel("WARN")
    # One thread for each: Spark runs as many of them as there are cores. The summary of each goes to the worker's log.
    command = " ".join(shlex.quote(word) for word in [tool, "batch", "-", "--format", "ndjson", "--jobs", "1"] + options)
    start = time.monotonic()
    # Java's own pipe: the lines never pass through Python.
    answers = spark.sparkContext._jsc.textFile(source).pipe(command)
    answers.saveAsTextFile(target)
    seconds = time.monotonic() - start
    verdicts = spark.read.json(target).groupBy("verdict").count().collect()
    print(json.dumps({"seconds": round(seconds, 1), "verdicts": {row["verdict"]: row["count"] for row in verdicts}}))
    spark.stop()


if __name__ == "__main__":
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    main()
