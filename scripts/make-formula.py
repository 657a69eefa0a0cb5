#!/usr/bin/env python3
"""Writes the Homebrew formula of a release to standard output, from packaging/homebrew/appreceipt.rb.in.

    scripts/make-formula.py --release DIR --version VERSION --repository URL

    --release DIR      the folder with the release's archives
    --repository URL   the address of the repository, whose releases have the archives

A Mac builds the source archive; Linux gets the program for its processor, if the release has it.
"""

import argparse
import hashlib
import pathlib
import re
import sys

TEMPLATE = pathlib.Path(__file__).resolve().parent.parent / "packaging/homebrew/appreceipt.rb.in"
PROCESSORS = {"x86_64": "on_intel", "aarch64": "on_arm"}


def checksum(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--release", required=True, type=pathlib.Path)
    parser.add_argument("--version", required=True)
    parser.add_argument("--repository", required=True)
    options = parser.parse_args()
    repository = options.repository.removesuffix("/").removesuffix(".git")
    if not re.fullmatch(r"https://[\w.-]+(/[\w.-]+)+", repository):
        sys.exit(
            f"Expected the address of a repository, for example https://git.example.com/team/receipts: {repository}"
        )
    downloads = f"{repository}/releases/download/v{options.version}"
    blocks = []
    for machine, block in PROCESSORS.items():
        archive = options.release / f"appreceipt-{options.version}-linux-{machine}.tar.gz"
        if archive.exists():
            lines = [f'url "{downloads}/{archive.name}"', f'sha256 "{checksum(archive)}"']
            blocks.append("\n".join([f"{block} do", *(f"  {line}" for line in lines), "end"]))
    if not blocks:
        sys.exit(f"{options.release} has no archive for Linux.")
    values = {
        "REPOSITORY": repository,
        "VERSION": options.version,
        "DOWNLOADS": downloads,
        "SHA256": checksum(options.release / f"appreceipt-{options.version}.tar.gz"),
        "LINUX": "\n\n".join(blocks).replace("\n", "\n    ").replace("\n    \n", "\n\n"),
    }
    print(re.sub(r"@([A-Z0-9]+)@", lambda found: values[found[1]], TEMPLATE.read_text()), end="")


main()
