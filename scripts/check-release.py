#!/usr/bin/env python3
"""Checks what a release consists of.

    scripts/check-release.py --release DIR | --program FILE --build-folder DIR | --prepare

    --release DIR        an output of scripts/build-release.sh. Checksums are those of the files; everything in archives
                         is root's, sorted and of one date; each program has a bill of materials with its checksum; the
                         formula of Homebrew, if there is one, has the archives' addresses and checksums, and installs
                         the program
    --program FILE       a program and the folder in which it was linked: its bill of materials
    --prepare            only installs the tools

Bills of materials are valid for CycloneDX 1.6, with the version and revision of Package.resolved and a license for each
package, and without paths and hosts of the machine. .github/workflows/release.yml is valid for GitHub's schema and
zizmor, and names each action by its commit.

cyclonedx-python-lib, check-jsonschema and zizmor are installed into .build-release-tools, and Debian's ruby if it is
missing.
"""

import argparse
import hashlib
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOOLS = ROOT / ".build-release-tools"
WORKFLOW = ROOT / ".github/workflows/release.yml"
PACKAGES = ["cyclonedx-python-lib[json-validation]>=11,<12", "check-jsonschema", "zizmor"]
VALIDATE = """
import sys
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
sys.exit(str(JsonStrictValidator(SchemaVersion.V1_6).validate_str(sys.stdin.read()) or "") or None)
"""


def require(condition, message):
    if not condition:
        sys.exit(f"FAILED: {message}")


def run(*arguments, **options):
    done = subprocess.run(list(map(str, arguments)), capture_output=True, text=True, **options)
    require(done.returncode == 0, f"{' '.join(map(str, arguments))}\n{done.stdout}{done.stderr}")
    return done.stdout


def prepare(has_release):
    if has_release and not shutil.which("ruby"):
        run("apt-get", "update", "-qq")
        run("apt-get", "install", "-y", "-qq", "--no-install-recommends", "ruby")
    if not all((TOOLS / "bin" / name).exists() for name in ("zizmor", "check-jsonschema")):
        if subprocess.run([sys.executable, "-m", "venv", TOOLS], capture_output=True).returncode:
            # On Debian, venv is a separate package.
            run("apt-get", "update", "-qq")
            run("apt-get", "install", "-y", "-qq", "python3-venv")
            run(sys.executable, "-m", "venv", TOOLS)
        run(TOOLS / "bin/pip", "install", "--quiet", "--disable-pip-version-check", *PACKAGES)


def check_workflow():
    run(TOOLS / "bin/check-jsonschema", "--builtin-schema", "vendor.github-workflows", WORKFLOW)
    run(TOOLS / "bin/zizmor", "--offline", "--no-progress", WORKFLOW)
    uses = re.findall(r"uses: (\S+)(.*)", WORKFLOW.read_text())
    for action, comment in uses:
        require(
            re.search(r"@[0-9a-f]{40}$", action) and re.match(r" # v\d", comment),
            f"{action} isn't named by commit and version.",
        )
    print(f"ok: {WORKFLOW.name} is valid, and its {len(uses)} actions are named by commit")


def check_bill(text, program, notices, name):
    bill = json.loads(text)
    run(TOOLS / "bin/python", "-c", VALIDATE, input=text)
    about = bill["metadata"]["component"]
    digest = hashlib.sha256(program).hexdigest()
    require(about["hashes"] == [{"alg": "SHA-256", "content": digest}], f"{name} isn't about its program.")
    packages = [one for one in bill["components"] if one.get("purl", "").startswith("pkg:swift/")]
    for one in packages:
        require(
            one["version"] and one["licenses"] and one["purl"].startswith("pkg:swift/github.com/"), f"{name}: {one}"
        )
    names = {one["name"] for one in packages}
    # Others would mean that only a part of the program was looked at.
    needed = {
        "GRDB.swift",
        "hummingbird",
        "swift-nio",
        "swift-nio-ssl",
        "swift-crypto",
        "swift-certificates",
        "swift-asn1",
    }
    require(needed <= names, f"{name} lacks {', '.join(needed - names)}.")
    resolved = {pin["identity"]: pin["state"] for pin in json.loads((ROOT / "Package.resolved").read_text())["pins"]}
    for one in packages:
        state = resolved.get(one["name"].lower())
        require(state, f"{name}: {one['name']} isn't in Package.resolved.")
        require(
            state["version"] == one["version"], f"{name}: {one['name']} has another version than Package.resolved."
        )
        require(
            state["revision"] in one["externalReferences"][0]["comment"],
            f"{name}: {one['name']} has another revision.",
        )
    hosts = set(re.findall(r"https?://([^/\"]+)", text)) - {"github.com", "cyclonedx.org"}
    require(
        not hosts and str(ROOT) not in text and '"/' not in text and "file:" not in text,
        f"{name} has paths or hosts: {hosts}",
    )
    for one in bill["components"]:
        require(
            not one.get("purl") or f"{one['name']} {one['version']}" in notices, f"The notices lack {one['name']}."
        )
    # The license of one of the packages, and that of what a program with its libraries inside contains.
    require("Gwendal Rou" in notices, "The notices lack the texts of licenses.")
    require("ICU" not in components(bill) or "UNICODE LICENSE V3" in notices, "The notices lack the license of ICU.")
    print(f"ok: {name} is valid: {len(packages)} packages, {len(bill['components'])} components")


def components(bill):
    return {one["name"] for one in bill["components"]}


def check_archive(path):
    """The program of an archive, or None, and its notices."""
    program, notices = None, ""
    with tarfile.open(path) as archive:
        members = archive.getmembers()
        for member in members:
            require(member.uid == member.gid == 0 and not member.uname, f"{path.name}: {member.name} isn't root's.")
            require(
                member.name.split("/")[0] == path.name.removesuffix(".tar.gz"),
                f"{path.name}: {member.name} is outside.",
            )
            if member.name.endswith("/bin/appreceipt"):
                require(member.mode == 0o755, f"{path.name}: The program isn't executable.")
                program = archive.extractfile(member).read()
            if member.name.endswith("/third-party-licenses.txt"):
                notices = archive.extractfile(member).read().decode()
        require(len({member.mtime for member in members}) == 1, f"{path.name} has several dates.")
        names = [tuple(member.name.split("/")) for member in members]
        require(names == sorted(names), f"{path.name} isn't sorted.")
    return program, notices


def check_release(folder):
    files = {path.name: path for path in folder.iterdir()}
    sums = dict(line.split("  ", 1)[::-1] for line in files.pop("SHA256SUMS").read_text().splitlines())
    require(
        sums == {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in files.items()},
        "SHA256SUMS is wrong.",
    )
    print(f"ok: SHA256SUMS is that of {len(sums)} files")
    programs = 0
    for name, path in sorted(files.items()):
        if not name.endswith(".tar.gz"):
            continue
        program, notices = check_archive(path)
        if "-linux-" in name:
            require(program, f"{name} has no program.")
            bill = files[name.removesuffix(".tar.gz") + ".cdx.json"]
            check_bill(bill.read_text(), program, notices, bill.name)
            inside = {"ICU", "SQLite", "Swift", "libstdc++", "zlib"}
            missing = inside - components(json.loads(bill.read_text()))
            require(not missing, f"{bill.name} lacks {', '.join(missing)}.")
            programs += 1
    require(
        programs and any(name.endswith(".deb") for name in files), "The release has no archive or no Debian package."
    )
    print("ok: everything in the archives is root's, sorted and of one date")
    if "appreceipt.rb" in files:
        print("ok:", run("ruby", ROOT / "Tests/Packaging/formula.rb", folder).strip())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--release", type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("--program", type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("--build-folder", type=pathlib.Path)
    parser.add_argument("--prepare", action="store_true")
    options = parser.parse_args()
    if not (options.prepare or options.release or (options.program and options.build_folder)):
        parser.error("Expected --release, or --program and --build-folder, or --prepare.")
    prepare(has_release=options.release is not None)
    if options.prepare:
        return
    check_workflow()
    if options.release:
        check_release(options.release)
    else:
        with tempfile.TemporaryDirectory() as folder:
            notices = pathlib.Path(folder) / "notices"
            bill = run(
                ROOT / "scripts/make-sbom.py", "--build-folder", options.build_folder, "--program", options.program,
                "--notices", notices)  # fmt: skip
            check_bill(bill, options.program.read_bytes(), notices.read_text(), "The bill of materials")


main()
