#!/usr/bin/env python3
"""Validates receipts in NDJSON on Spark: each partition is piped through `appreceipt batch`.

    validate.py MASTER APPRECEIPT INPUT OUTPUT [OPTION FOR BATCH ...]

INPUT and OUTPUT are locations that Spark can read and write, such as files, HDFS or S3. OUTPUT receives the answers as a
table in Parquet with the columns of SCHEMA, one file for each partition; the counts are written to standard output as
JSON. Options such as --bundle-id and --environment apply to every record: a record can narrow them, not widen them. The program must be at the same path on every
worker. Built by scripts/install-command.sh, it is one file that needs only the C libraries of the system.
"""
import json
import shlex
import sys
import time

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import from_json
from pyspark.sql.types import LongType, StringType, StructField, StructType

#: A result of `appreceipt batch`. `id` is text, also if it is a number in the input.
SCHEMA = StructType([
    StructField("line", LongType()), StructField("id", StringType()), StructField("verdict", StringType()),
    StructField("environment", StringType()),
    StructField("failure", StructType([
        StructField(name, StringType()) for name in ("check", "code", "message", "remedy", "documentation")])),
])


def table(spark, lines):
    """The answers as a table, from lines that are an RDD of Java strings."""
    texts = spark._jsparkSession.createDataset(lines.rdd(), spark._jvm.org.apache.spark.sql.Encoders.STRING()).toDF()
    # A line that isn't JSON would be a row of nulls.
    answer = from_json("value", SCHEMA, {"mode": "FAILFAST"}).alias("answer")
    return DataFrame(texts, spark).select(answer).select("answer.*")


def main():
    master, tool, source, target, options = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4], sys.argv[5:]
    spark = (
        SparkSession.builder.master(master).appName("appreceipt batch")
        # The tasks of a lost worker are repeated on others.
        .config("spark.task.maxFailures", "8")
        .config("spark.executor.memory", "1g")
        .config("spark.ui.showConsoleProgress", "true" if sys.stderr.isatty() else "false")
        .getOrCreate())
    spark.sparkContext.setLogLevel("WARN")
    # One thread each, because Spark runs a task on every core. The summaries are in the workers' logs.
    command = " ".join(shlex.quote(word) for word in [tool, "batch", "-", "--format", "ndjson", "--jobs", "1"] + options)
    start = time.monotonic()
    # Java's pipe: the lines don't pass through Python.
    answers = spark.sparkContext._jsc.textFile(source).pipe(command)
    table(spark, answers).write.parquet(target)
    seconds = time.monotonic() - start
    verdicts = spark.read.parquet(target).groupBy("verdict").count().collect()
    print(json.dumps({"seconds": round(seconds, 1), "verdicts": {row["verdict"]: row["count"] for row in verdicts}}))
    spark.stop()


if __name__ == "__main__":
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    main()
