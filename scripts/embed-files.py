#!/usr/bin/env python3
"""Embeds files in the server: the inspector's page and samples, docs/errors.md as HTML, and the OpenAPI document.

    scripts/embed-files.py            writes Sources/AppReceiptServer/Generated/EmbeddedFiles.swift
    scripts/embed-files.py --check    only fails if that file is out of date

A SwiftPM resource would link all of Foundation. A string literal costs the compiler next to nothing, whereas an array of
numbers takes minutes to compile. The contents are in base64 so that nobody edits the copy.

The receipts are from Samples/ (scripts/make-samples.sh). ECDSA signatures differ each time, so the samples of signed data
were created once and are stored beside the page:

    appreceipt make transaction --bundle-id com.example.garden --product com.example.garden.plus.monthly \\
        --expires 2024-08-01T15:04:05Z --environment production --out Sources/AppReceiptServer/Inspector/Page/samples
    appreceipt make notification --bundle-id com.example.garden --app-apple-id 6400000001 --environment production \\
        --type DID_RENEW --product com.example.garden.plus.monthly --expires 2024-08-01T15:04:05Z \\
        --out Sources/AppReceiptServer/Inspector/Page/samples

A test creates subscription-history.receipt again and compares it.
"""
import argparse
import base64
import json
import html
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SERVER = ROOT / "Sources/AppReceiptServer"
PAGE = SERVER / "Inspector/Page"
OPENAPI = SERVER / "Routes/openapi.json"
TARGET = SERVER / "Generated/EmbeddedFiles.swift"
SAMPLES = ROOT / "Samples"
ERRORS = ROOT / "docs/errors.md"


def inline(text):
    """Code, emphasis and links of one text. Links to other documents are only text, because the server doesn't have them."""
    parts = re.split(r"(`[^`]+`|\*\*[^*]+\*\*|\[[^\]]+\]\([^)]+\))", text)
    for index, part in enumerate(parts):
        link = re.fullmatch(r"\[([^\]]+)\]\(([^)]+)\)", part)
        if part.startswith("**"):
            parts[index] = f"<strong>{html.escape(part[2:-2])}</strong>"
        elif part.startswith("`"):
            parts[index] = f"<code>{html.escape(part[1:-1])}</code>"
        elif link and link[2].startswith(("#", "https:")):
            parts[index] = f'<a href="{html.escape(link[2])}">{html.escape(link[1]).replace("`", "")}</a>'
        else:
            parts[index] = html.escape(link[1] if link else part)
    return "".join(parts)


def document(markdown):
    """The parts of Markdown that docs/errors.md has, as a page: headings, paragraphs, lists, tables, code and links."""
    body = []
    for block in re.split(r"\n\n+", markdown.strip()):
        lines = block.split("\n")
        heading = re.fullmatch(r"(#+) (.*)", block)
        if heading:
            level, name = len(heading[1]), re.sub(r"[^a-z0-9-]", "", heading[2].lower().replace(" ", "-"))
            body.append(f'<h{level} id="{name}">{inline(heading[2])}</h{level}>')
        elif lines[0].startswith("* "):
            items = re.split(r"\n?^\* ", block, flags=re.MULTILINE)[1:]
            body.append("<ul>" + "".join(f"<li>{inline(' '.join(item.split()))}</li>" for item in items) + "</ul>")
        elif lines[0].startswith("|"):
            rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
            cells = lambda row, tag: "<tr>" + "".join(f"<{tag}>{inline(cell)}</{tag}>" for cell in row) + "</tr>"
            body.append("<table>" + cells(rows[0], "th") + "".join(cells(row, "td") for row in rows[2:]) + "</table>")
        else:
            body.append(f"<p>{inline(' '.join(lines))}</p>")
    return "\n".join([
        '<!doctype html>', '<html lang="en">', '<head>', '<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="color-scheme" content="light dark">', '<title>Errors</title>',
        '<link rel="stylesheet" href="../inspector/inspector.css">', '</head>', '<body>', '<main class="document">',
        *body, '</main>', '</body>', '</html>', '']).encode()


def literal(data):
    """The data in base64, as a string literal of one line."""
    return '"' + base64.b64encode(data).decode() + '"'


def files(summary, name, paths):
    """A list of files by name."""
    return [
        f"    /// {summary}, in base64.", f"    static let {name}: [(name: String, base64: String)] = [",
        *[f'        ("{path.name}", {literal(path.read_bytes())}),' for path in paths], "    ]", "",
    ]


def file(summary, name, path):
    """One file."""
    return [f"    /// {summary}, in base64.", f"    static let {name} = {literal(path.read_bytes())}"]


def generated():
    page = sorted(PAGE.glob("*.html")) + sorted(PAGE.glob("*.css")) + sorted(PAGE.glob("*.js"))
    samples = sorted(SAMPLES.glob("*.receipt")) + sorted((PAGE / "samples").glob("*.receipt"))
    samples += sorted((PAGE / "samples").glob("*.jws"))
    names = [path.stem for path in samples]
    if len(set(names)) != len(names):
        sys.exit("embed-files: two samples have the same name")
    if not isinstance(json.loads(OPENAPI.read_text()), dict):
        sys.exit("embed-files: openapi.json isn't a JSON object")
    lines = [
        "// swift-format-ignore-file", "#if Server",
        "// Generated by scripts/embed-files.py. Edit the files that it embeds instead.", "",
        "import AppReceiptSupport", "", "/// The files that are embedded in the server.", "enum EmbeddedFiles {",
    ]
    lines += files("The files of the inspector's page", "page", page)
    lines += [
        "    /// docs/errors.md as a page, in base64.",
        f"    static let errors = {literal(document(ERRORS.read_text()))}", "",
    ]
    lines += files("The inspector's samples", "samples", samples)
    lines += file("The root certificate of the sample receipts, as PEM", "sampleRoot", SAMPLES / "root.pem")
    lines += file(
        "The root certificate of the samples of signed data, as PEM", "sampleSignedDataRoot",
        PAGE / "samples/signed-data-root.pem")
    lines += file(
        "The certificate that signed the sample from Xcode, as DER", "sampleXcodeCertificate",
        SAMPLES / "xcode-certificate.cer")
    lines += file("The OpenAPI document of a server that serves everything", "openAPI", OPENAPI)
    lines += [
        "", "    /// The contents of an embedded file.", "    static func bytes(_ base64: String) -> [UInt8] {",
        "        guard let bytes = try? Base64.decode(ArraySlice(base64.utf8)) else {",
        '            preconditionFailure("An embedded file isn\'t base64. Run scripts/embed-files.py.")', "        }",
        "        return bytes", "    }",
    ]
    return "\n".join(lines + ["}", "#endif", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing; fail if the file is out of date")
    arguments = parser.parse_args()
    text = generated()
    if arguments.check:
        if not TARGET.exists() or TARGET.read_text() != text:
            sys.exit("embed-files: Generated/EmbeddedFiles.swift is out of date; run scripts/embed-files.py")
        print("The embedded files are up to date.")
        return
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    TARGET.write_text(text)
    print(f"Wrote {TARGET.relative_to(ROOT)}: {len(text)} bytes.")


if __name__ == "__main__":
    main()
