#!/usr/bin/env python3
"""Writes COUNT receipts as NDJSON, by repetition, with known numbers of invalid ones.

    generate.py APPRECEIPT COUNT FOLDER

FOLDER receives receipts.ndjson, root.pem (the root that signed them) and expected.json (the expected number of answers
of each kind). Makes eight receipts with `appreceipt make`. Every 1,000th record is a truncated receipt, every 10,000th
isn't JSON.
"""
import base64
import json
import pathlib
import subprocess
import sys


def main():
    tool, count, folder = sys.argv[1], int(sys.argv[2]), pathlib.Path(sys.argv[3])
    folder.mkdir(parents=True, exist_ok=True)
    receipts = []
    for number in range(8):
        made = folder / f"receipt-{number}"
        subprocess.run(
            [tool, "make", "--bundle-id", "com.example.app", "--environment", "production", "--purchase", "lifetime",
             "--subscription", f"monthly{number}:3:trial", "--out", str(made)],
            check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        receipts.append(base64.b64encode((made / "receipt").read_bytes()).decode())
        (folder / "root.pem").write_bytes((made / "root.pem").read_bytes())
    expected = {"valid": 0, "invalid": 0, "error": 0}
    with open(folder / "receipts.ndjson", "w", buffering=1 << 20) as file:
        for index in range(count):
            receipt = receipts[index % len(receipts)]
            if index % 10_000 == 9_999:
                file.write("this is not a record\n")
                expected["error"] += 1
            elif index % 1_000 == 999:
                file.write('{"id":%d,"receipt":"%s"}\n' % (index, receipt[: len(receipt) // 8 * 4]))
                expected["invalid"] += 1
            else:
                file.write('{"id":%d,"receipt":"%s"}\n' % (index, receipt))
                expected["valid"] += 1
            if index % 50_000 == 0 and sys.stderr.isatty():
                print(f"\r{index:,} of {count:,}", end="", file=sys.stderr)
    (folder / "expected.json").write_text(json.dumps(expected) + "\n")
    print(f"\r{count:,} records, {expected}", file=sys.stderr)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main()
