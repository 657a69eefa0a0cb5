#!/usr/bin/env python3
"""Rejects uses of API that is newer than the platform versions in Package.swift.

On Linux, the compiler doesn't check these versions. This check reads the index of a build: every reference to a symbol on a line that
is compiled on one of Apple's platforms must be to something that the oldest supported system has, unless @available, #available
or #unavailable says otherwise. The versions of symbols come from their declarations, and from scripts/floors/apple-symbols.tsv.
"""
import argparse
import pathlib
import sys

from floors import check, conditions, index, package, scopes, symbols

ROOT = pathlib.Path(__file__).resolve().parent.parent
ERRORS = (index.StoreError, conditions.ConditionError, package.PackageError, scopes.ScopeError, symbols.SymbolError)


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="Exit status: 0 without findings, 1 with findings, 2 if the check isn't possible.")
    parser.add_argument(
        "--index", required=True, metavar="DIR", type=pathlib.Path,
        help="the index store of a debug build: $(swift build --show-bin-path)/index/store")
    parser.add_argument(
        "--define", action="append", default=[], metavar="NAME",
        help="a compilation condition of the build, such as a trait. Can be repeated.")
    parser.add_argument(
        "--partial", action="store_true",
        help="accept an index that lacks some files, and rows of the table that nothing uses")
    parser.add_argument(
        "--package", default=ROOT, metavar="DIR", type=pathlib.Path, help="the package (default: the one of this script)")
    parser.add_argument(
        "--table", default=ROOT / "scripts/floors/apple-symbols.tsv", metavar="FILE", type=pathlib.Path,
        help="the versions of symbols in Apple's SDKs")
    parser.add_argument(
        "--cache", metavar="DIR", type=pathlib.Path, help="the folder for extracted versions (default: next to the index)")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    store = arguments.index.resolve()
    table = symbols.Table(arguments.table.resolve())
    manifest = package.load(arguments.package.resolve())
    checked = check.Check(manifest, store, arguments.define, table, (arguments.cache or store.parent / "floors").resolve())
    problems = [str(finding) for finding in checked.run()]
    if not arguments.partial:
        problems += [f"{checked.relative(path)}: isn't in the index. Build first." for path in checked.missing_files()]
        problems += [f"{checked.relative(table.path)}: nothing uses {name} of {module}. Remove the row."
                     for module, name in checked.unused_rows()]
    for problem in problems:
        print(problem, file=sys.stderr)
    counts = checked.counts
    print(f"{counts.files} files, {counts.symbols} symbols with versions, {len(table.rows)} rows in the table: "
          f"{len(problems)} findings.")
    if problems:
        print("Use what the oldest system has, or declare what the code needs with @available or #available.", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except ERRORS as error:
        print(f"check-floors.py: {error}", file=sys.stderr)
        sys.exit(2)
