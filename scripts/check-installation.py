#!/usr/bin/env python3
"""Installs a built appreceipt into a temporary folder, and checks the manual page and the completions that come with it.

    scripts/check-installation.py --program FILE | --prepare

    --program FILE   the appreceipt to install
    --prepare        only installs mandoc, zsh and fish, with apt-get

The page must have no warnings and a section for each subcommand; the completions must be valid, and complete subcommands, options,
values and files. A shell that isn't installed is reported as skipped.
"""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOOLS = ["mandoc", "zsh", "fish"]

# Words of a command line of which the last is completed, and the expected candidates.
CASES = [
    (["va"], ["validate"]),
    (["my"], ["my.receipt"]),
    (["validate", "my"], ["my.receipt"]),
    (["purchases", "my.receipt", "my"], ["my.receipt"]),
    (["validate", "--bundle"], ["--bundle-id"]),
    (["validate", "--format", ""], ["json", "text"]),
    (["validate", "--environment", ""], ["production", "sandbox", "xcode"]),
    (["validate", "--root", "my"], ["my.receipt"]),
    (["verify-receipt", "--environment", ""], ["both", "production", "sandbox"]),
    (["make", "trans"], ["transaction"]),
    (["make", "receipt", "--out", ""], ["folder"]),
]

BASH = """
source "$1"
shift
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*" COMP_POINT=${#COMP_LINE}
registered=$(complete -p appreceipt)
function=${registered##*-F }
"${function% *}" appreceipt "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
printf '%s\\n' "${COMPREPLY[@]}"
"""


def names(command):
    """The paths of the subcommands, such as `make transaction`."""
    for subcommand in command.get("subcommands", []):
        if subcommand["shouldDisplay"]:
            yield [subcommand["commandName"]]
            yield from ([subcommand["commandName"], *path] for path in names(subcommand))


def output(*arguments, **options):
    return subprocess.run(arguments, check=True, capture_output=True, text=True, **options).stdout


class Check:
    def __init__(self):
        self.failures = 0

    def that(self, holds, what):
        if not holds:
            self.failures += 1
            print(f"FAILED: {what}")

    def has(self, tool):
        found = shutil.which(tool) is not None
        if not found:
            print(f"Skipped: {tool} isn't installed.")
        return found

    def completions(self, shell, complete):
        for words, expected in CASES:
            # A candidate may be followed by its description, a directory by a slash.
            lines = complete(words).splitlines()
            candidates = sorted({line.split("\t")[0].strip().rstrip("/") for line in lines} - {""})
            self.that(candidates == expected, f"{shell} completes {words} with {candidates} instead of {expected}")


def check(program):
    check = Check()
    paths = list(names(json.loads(output(program, "--experimental-dump-help"))["command"]))
    with tempfile.TemporaryDirectory() as folder:
        prefix = pathlib.Path(folder) / "prefix"
        work = pathlib.Path(folder) / "work"
        (work / "folder").mkdir(parents=True)
        (work / "my.receipt").touch()
        output(ROOT / "scripts/install-command.sh", f"--prefix={prefix}", "--program", program)
        check.that(output(prefix / "bin/appreceipt", "--version") == output(program, "--version"), "the program runs")

        manual = prefix / "share/man/man1/appreceipt.1"
        sections = manual.read_text().splitlines()
        errors = prefix / "share/doc/appreceipt/errors.md"
        check.that(errors.exists() and errors.read_text() == (ROOT / "docs/errors.md").read_text(), "the error codes are installed")
        batch = sections[sections.index(".Cm batch"):sections.index(".Cm batch") + 3]
        check.that(batch == [".Cm batch", ".Op Ar options", ".Op Ar input"], f"the usage of batch has its input: {batch}")
        description = "\n".join(sections[:sections.index(".Sh EXAMPLES")])
        check.that("receipts.txt.gz" not in description and "receipts.txt.gz" in manual.read_text(), "all examples are in their section")
        for path in paths:
            check.that(path == ["help"] or f".Ss {' '.join(path)}" in sections, f"the manual page has a section for {path}")
        if check.has("mandoc"):
            lint = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", manual], capture_output=True, text=True)
            check.that(lint.returncode == 0, f"the manual page has no warnings: {lint.stdout}")

        files = {
            "bash": prefix / "share/bash-completion/completions/appreceipt",
            "zsh": prefix / "share/zsh/site-functions/_appreceipt",
            "fish": prefix / "share/fish/vendor_completions.d/appreceipt.fish",
        }
        for shell, file in files.items():
            text = file.read_text()
            for path in paths:
                check.that(path[-1] in text, f"the completions for {shell} contain {path}")
            if check.has(shell):
                syntax = subprocess.run([shell, "-n", file], capture_output=True, text=True)
                check.that(syntax.returncode == 0, f"the completions for {shell} are valid: {syntax.stderr}")
        check.completions(
            "bash", lambda words: output("bash", "-c", BASH, "bash", files["bash"], "appreceipt", *words, cwd=work))
        if shutil.which("fish"):
            environment = {**os.environ, "PATH": f"{prefix}/bin:{os.environ['PATH']}", "HOME": folder}
            check.completions(
                "fish",
                lambda words: output(
                    "fish", "--no-config", "-c", "source $argv[1]; complete -C $argv[2]", files["fish"],
                    " ".join(["appreceipt", *words]), cwd=work, env=environment))
    if check.failures:
        sys.exit(f"{check.failures} failures")
    print(f"The installation is complete: {len(paths)} subcommands, manual page and completions.")


def prepare():
    missing = [tool for tool in TOOLS if shutil.which(tool) is None]
    if missing and shutil.which("apt-get"):
        subprocess.run(["apt-get", "update", "-qq"], check=True)
        subprocess.run(["apt-get", "install", "-y", "-qq", *missing], check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    action = parser.add_mutually_exclusive_group(required=True)
    action.add_argument("--program", type=lambda path: pathlib.Path(path).resolve())
    action.add_argument("--prepare", action="store_true")
    options = parser.parse_args()
    prepare() if options.prepare else check(options.program)


main()
