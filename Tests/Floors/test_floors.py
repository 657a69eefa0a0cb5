#!/usr/bin/env python3
"""Tests scripts/check-floors.py with a package that contains a violation of each kind, and harmless twins.

The comments in its source name the expected findings. Needs the Swift toolchain, and nothing but Python's standard library.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

FOLDER = pathlib.Path(__file__).resolve().parent
CHECK = FOLDER.parents[1] / "scripts/check-floors.py"
DEFINES = ("Server", "SHAPE_IOS")
COLUMNS = ("module", "symbol", "macOS", "iOS", "tvOS", "watchOS", "visionOS", "macCatalyst")
ROWS = [
    "C memcmp(_:_:_:) 10.0 2.0 9.0 2.0 1.0 13.0",
    "Foundation Bundle 10.0 2.0 9.0 2.0 1.0 13.0",
    "Foundation Operation 10.5 2.0 9.0 2.0 1.0 13.0",
    "Foundation Thread 10.0 15.0 9.0 2.0 1.0 15.0",
]


class FloorsTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.package = pathlib.Path(cls.scratch.name) / "Example"
        shutil.copytree(FOLDER / "Example", cls.package)
        cls.source = cls.package / "Sources/Example/Violations.swift"
        settings = re.search(r'"(AvailabilityMacro=[^"]*)"', (cls.package / "Package.swift").read_text())[1]
        command = ["swiftc", "-parse-as-library", "-module-name", "Example", "-swift-version", "6", "-c", str(cls.source)]
        command += ["-emit-module", "-emit-module-path", str(cls.package / "Modules/Example.swiftmodule")]
        command += ["-o", str(cls.package / "Example.o"), "-index-store-path", str(cls.package / "index/store")]
        command += ["-enable-experimental-feature", settings, *(f"-D{name}" for name in DEFINES)]
        (cls.package / "Modules").mkdir()
        subprocess.run(command, check=True, cwd=cls.package)

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def check(self, rows=ROWS, defines=DEFINES):
        """Runs the check with a table, and returns its result and findings."""
        table = self.package / "table.tsv"
        table.write_text("".join("\t".join(row) + "\n" for row in [COLUMNS, *(row.split(" ") for row in rows)]))
        command = [sys.executable, str(CHECK), "--package", str(self.package), "--index", str(self.package / "index/store")]
        command += ["--table", str(table), *(f"--define={name}" for name in defines)]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        return result, [line for line in result.stderr.splitlines() if not line.startswith("Use what")]

    def test_findings_are_those_that_the_comments_name(self):
        result, findings = self.check()
        self.assertEqual(result.returncode, 1, result.stderr)
        found = {}
        for line in findings:
            match = re.fullmatch(r"Sources/Example/Violations.swift:(\d+):\d+: (.*)", line)
            self.assertTrue(match, line)
            found.setdefault(int(match[1]), []).append(match[2])
        lines = self.source.read_text().split("\n")
        expected = {number: line.split("// expected: ")[1] for number, line in enumerate(lines, 1) if "// expected: " in line}
        self.assertEqual(sorted(found), sorted(expected))
        for number, text in expected.items():
            for message in found[number]:
                self.assertTrue(message.startswith(text), f"line {number}: {message}")
        self.assertRegex(result.stdout, rf"^1 files, \d+ symbols with versions, 4 rows in the table: {len(findings)} findings.$")

    def test_a_row_that_nothing_uses_is_a_finding(self):
        _, findings = self.check(rows=[*ROWS, "Foundation Timer 10.0 2.0 9.0 2.0 1.0 13.0"])
        self.assertEqual(
            [line for line in findings if "Timer" in line], ["table.tsv: nothing uses Timer of Foundation. Remove the row."])

    def test_rows_that_are_not_sorted_are_rejected(self):
        result, _ = self.check(rows=ROWS[::-1])
        self.assertEqual(result.returncode, 2)
        self.assertRegex(result.stderr, "table.tsv isn't sorted by module and symbol")

    def test_an_index_of_a_build_with_other_conditions_is_rejected(self):
        result, _ = self.check(defines=())
        self.assertEqual(result.returncode, 2)
        self.assertRegex(result.stderr, r"is in the index, but isn't compiled with the defines \(none\)")

    def test_a_source_that_is_newer_than_its_index_is_rejected(self):
        built = os.stat(self.source).st_mtime
        os.utime(self.source, (time.time() + 60,) * 2)
        result, _ = self.check()
        os.utime(self.source, (built, built))
        self.assertEqual(result.returncode, 2)
        self.assertRegex(result.stderr, "Violations.swift is newer than its index. Build first.")

    def test_a_source_without_an_index_is_a_finding(self):
        other = self.source.with_name("Other.swift")
        other.write_text("")
        _, findings = self.check()
        other.unlink()
        self.assertIn("Sources/Example/Other.swift: isn't in the index. Build first.", findings)


if __name__ == "__main__":
    unittest.main()
