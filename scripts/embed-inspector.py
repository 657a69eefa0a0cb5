#!/usr/bin/env python3
"""Writes the inspector's page and samples into Swift, so that they are part of the program.

    scripts/embed-inspector.py            writes Sources/AppReceiptServer/Inspector/Generated/InspectorFiles.swift
    scripts/embed-inspector.py --check    writes nothing, and fails if that file is not what it would write

A SwiftPM resource would do the same, but pulls all of Foundation in. A string literal costs the compiler next to nothing,
an array of numbers would cost it minutes. Everything is base64, so that nobody takes what is written for a source.

The receipts come from Samples/ (scripts/make-samples.sh). Signed data holds a random number in every signature, so these
samples were made once, by

    appreceipt make transaction --bundle-id com.example.garden --product com.example.garden.plus.monthly \\
        --expires 2024-08-01T15:04:05Z --environment production --out Sources/AppReceiptServer/Inspector/Page/samples
    appreceipt make notification --bundle-id com.example.garden --app-apple-id 6400000001 --environment production \\
        --type DID_RENEW --product com.example.garden.plus.monthly --expires 2024-08-01T15:04:05Z \\
        --out Sources/AppReceiptServer/Inspector/Page/samples

and are beside the page, as is subscription-history.receipt, which a test makes again and compares.
"""
import argparse
import base64
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / "Sources/AppReceiptServer/Inspector"
PAGE = FOLDER / "Page"
TARGET = FOLDER / "Generated/InspectorFiles.swift"
SAMPLES = ROOT / "Samples"


def wrapped(data):
    """Base64 as a literal of one line."""
    return '"' + base64.b64encode(data).decode() + '"'


def generated():
    page = sorted(PAGE.glob("*.html")) + sorted(PAGE.glob("*.css")) + sorted(PAGE.glob("*.js"))
    samples = sorted(SAMPLES.glob("*.receipt")) + sorted((PAGE / "samples").glob("*.receipt"))
    samples += sorted((PAGE / "samples").glob("*.jws"))
    names = [file.stem for file in samples]
    if len(set(names)) != len(names):
        sys.exit("embed-inspector: two samples have the same name")
    out = ["// swift-format-ignore-file", "#if Server", "// Written by scripts/embed-inspector.py. Change what it reads, not this.", ""]
    out += ["/// The page and its samples.", "enum InspectorFiles {"]
    out += ["    /// The files of the page, in base64.", "    static let page: [(name: String, base64: String)] = ["]
    out += [f'        ("{file.name}", {wrapped(file.read_bytes())}),' for file in page]
    out += ["    ]", "", "    /// The samples, in base64.", "    static let samples: [(name: String, base64: String)] = ["]
    out += [f'        ("{file.name}", {wrapped(file.read_bytes())}),' for file in samples]
    out += ["    ]", ""]
    out += ["    /// The root of the samples that are receipts, in base64 of its PEM."]
    out += ["    static let root = " + wrapped((SAMPLES / "root.pem").read_bytes())]
    out += ["    /// The root of the samples that are signed data, in base64 of its PEM."]
    out += ["    static let signedDataRoot = " + wrapped((PAGE / "samples/signed-data-root.pem").read_bytes())]
    out += ["    /// The certificate that signed the sample from Xcode, in base64 of its DER."]
    out += ["    static let xcodeCertificate = " + wrapped((SAMPLES / "xcode-certificate.cer").read_bytes())]
    out += ["}", "#endif", ""]
    return "\n".join(out)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing; fail if the file is not up to date")
    arguments = parser.parse_args()
    text = generated()
    if arguments.check:
        if not TARGET.exists() or TARGET.read_text() != text:
            sys.exit("embed-inspector: Generated/InspectorFiles.swift is stale; run scripts/embed-inspector.py")
        print("The embedded page is up to date.")
        return
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    TARGET.write_text(text)
    print(f"Wrote {TARGET.relative_to(ROOT)}: {len(text)} bytes.")


if __name__ == "__main__":
    main()
