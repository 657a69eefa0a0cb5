#!/usr/bin/env python3
"""Writes the software bill of materials of a built appreceipt to standard output, as CycloneDX 1.6 in JSON.

    scripts/make-sbom.py --build-folder DIR --program FILE [--notices FILE]

    --build-folder DIR   the folder in which `swift build` linked the program, such as .build-static
    --program FILE       the program, which may be stripped since
    --notices FILE       also writes the licenses and notices of what the program contains to this file

Lists the packages of which the linker read an object file, with version, revision and license; the libraries whose
sources are part of these packages; the runtimes and archives that are linked into the program; and the shared libraries
that it loads. The date is SOURCE_DATE_EPOCH or, without it, that of the last commit. Fails if a license or a version
isn't known.
"""

import argparse
import hashlib
import json
import os
import pathlib
import platform
import re
import subprocess
import sys
import uuid
from datetime import datetime, timezone

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROJECT = "AppReceiptKit"

# Sources of others inside packages: the module, the name, the file that names the version, its pattern, the license and
# the start of the Package URL.
EMBEDDED = [
    ("CCryptoBoringSSL", "BoringSSL", "Sources/CCryptoBoringSSL/hash.txt", r"revision (\w{40})", "Apache-2.0",
     "pkg:github/google/boringssl"),
    ("CNIOBoringSSL", "BoringSSL", "Sources/CNIOBoringSSL/hash.txt", r"revision (\w{40})", "Apache-2.0",
     "pkg:github/google/boringssl"),
    ("CXKCP", "XKCP", "Sources/CXKCP/vendored-sources.txt", r"-g([0-9a-f]{7,40})\)", "CC0-1.0", "pkg:github/XKCP/XKCP"),
    ("CNIOLLHTTP", "llhttp", "Sources/CNIOLLHTTP/include/c_nio_llhttp.h",
     r"LLHTTP_VERSION_MAJOR (\d+)\s+#define LLHTTP_VERSION_MINOR (\d+)\s+#define LLHTTP_VERSION_PATCH (\d+)", "MIT",
     "pkg:github/nodejs/llhttp"),
]  # fmt: skip

# Libraries that are linked as archives: the library, its archive, its license.
ARCHIVES = [
    ("libsqlite3", "SQLite", "libsqlite3.a", "blessing"),
    ("libz", "zlib", "libz.a", "Zlib"),
    ("libstdc++", "libstdc++", "libstdc++.a", "GPL-3.0-or-later WITH GCC-exception-3.1"),
]

# The beginning of each license, without spaces and line breaks.
LICENSES = {
    "ApacheLicenseVersion2.0": "Apache-2.0",
    "Permissionisherebygranted,freeofcharge,toanyperson": "MIT",
}
SWIFT_EXCEPTION = "RuntimeLibraryExceptiontotheApache2.0License"

# The licenses of ICU and of its data.
ICU_LICENSE = "Unicode-3.0 AND ICU AND BSD-2-Clause AND BSD-3-Clause AND NAIST-2003"


def fail(message):
    sys.exit(f"make-sbom.py: {message}")


def output(*command):
    return subprocess.run(list(map(str, command)), check=True, capture_output=True, text=True).stdout


def license_of(text, name):
    """The SPDX expression for the text of a license."""
    dense = re.sub(r"\s", "", text)
    for beginning, identifier in LICENSES.items():
        if beginning in dense[:500]:
            return identifier + (" WITH Swift-exception" if SWIFT_EXCEPTION in dense else "")
    fail(f"The license of {name} is unknown. Add it to LICENSES.")


def component(name, version, license, purl, **members):
    return {
        "type": "library", "bom-ref": purl, "name": name, "version": version,
        "licenses": [{"expression": license}], "purl": purl, **members,
    }  # fmt: skip


class Build:
    """The folder of a build: which packages the program contains, and their checkouts."""

    def __init__(self, folder):
        self.folder = folder
        lists = list(folder.glob("*-*/*/appreceipt.product/*.LinkFileList"))
        if len(lists) != 1:
            fail(f"Expected one build of appreceipt in {folder}, found {len(lists)}. Build in a folder of its own.")
        self.products = lists[0].parent.parent
        self.modules = set(re.findall(r"/([^/]+)\.build/", lists[0].read_text()))
        state = json.loads((folder / "workspace-state.json").read_text())
        self.packages = {one["subpath"]: one for one in state["object"]["dependencies"]}

    def checkout(self, module):
        """The folder of the package that a module is part of, or None for a module of this project."""
        intermediates = self.products / f"{module}.build"
        sources = intermediates / "sources"
        listed = [sources] if sources.exists() else list(intermediates.rglob("*.d"))
        if not listed:
            fail(f"The sources of the module {module} are unknown.")
        found = {
            name
            for path in listed
            for name in re.findall(r"/checkouts/([^/]+)/Sources/|/checkouts/([^/]+)/", path.read_text())
        }
        names = {first or second for first, second in found if (first or second) in self.packages}
        # The list of a C module also names headers of the packages that it uses.
        if len(names) > 1:
            names = {name for name in names if any((self.folder / "checkouts" / name).glob(f"**/{module}"))}
        if len(names) > 1:
            fail(f"The module {module} is in several packages: {', '.join(sorted(names))}.")
        return next(iter(names), None)

    def linked(self):
        """The linked modules of each linked package."""
        packages = {}
        for module in sorted(self.modules):
            if checkout := self.checkout(module):
                packages.setdefault(checkout, set()).add(module)
        return packages


class Materials:
    """The components of a program, and the texts of their licenses."""

    def __init__(self, build, program):
        self.build = build
        # The folder of Swift's runtime.
        target = json.loads(output("swift", "-print-target-info"))
        self.runtime = pathlib.Path(target["paths"]["runtimeResourcePath"])
        self.components = []
        self.notices = []
        self.needed = re.findall(r"\(NEEDED\).*\[(.*)\]", output("readelf", "-d", program))
        for checkout, modules in sorted(build.linked().items()):
            self.add_package(checkout, modules)
        self.add_runtime()
        self.add_icu(program)
        for library, name, archive, license in ARCHIVES:
            if not any(one.startswith(f"{library}.so") for one in self.needed):
                self.add_archive(name, archive, license)
        for one in self.needed:
            self.components.append({
                "type": "library", "bom-ref": f"shared:{one}", "name": one, "scope": "required",
                "description": "A shared library of the system, which isn't part of the program.",
            })  # fmt: skip

    def add_package(self, checkout, modules):
        folder = self.build.folder / "checkouts" / checkout
        package = self.build.packages[checkout]
        location, state = package["packageRef"]["location"].removesuffix(".git"), package["state"]["checkoutState"]
        if not re.fullmatch(r"https://github\.com/[\w.-]+/[\w.-]+", location):
            fail(f"{checkout} isn't from a known host.")
        if "version" not in state:
            fail(f"{checkout} has no version. A release depends on versions only.")
        text = min(folder.glob("LICENSE*")).read_text()
        license = license_of(text, checkout)
        purl = f"pkg:swift/{location.removeprefix('https://')}@{state['version']}"
        self.components.append(component(
            checkout, state["version"], license, purl,
            externalReferences=[{"type": "vcs", "url": location, "comment": f"revision {state['revision']}"}],
        ))  # fmt: skip
        self.notices.append(
            (f"{checkout} {state['version']}", license, text, *(path.read_text() for path in sorted(folder.glob("NOTICE*"))))
        )
        for module, name, file, pattern, license, prefix in EMBEDDED:
            if module not in modules:
                continue
            found = re.search(pattern, (folder / file).read_text())
            if not found:
                fail(f"{checkout} doesn't name the version of {name} in {file}.")
            version = ".".join(found.groups())
            one = component(
                name,
                version,
                license,
                f"{prefix}@{version}",
                description=f"Part of {checkout}, in the module {module}.",
            )
            one["bom-ref"] += f"#{module}"
            self.components.append(one)
            self.notices.append((f"{name} {version}, part of {checkout}", license))

    def add_runtime(self):
        """Swift's standard library and runtime."""
        printed = output("swift", "--version")
        found = re.search(r"Swift version ([\w.]+)", printed)
        if not found:
            fail("swift --version names no version.")
        purl = f"pkg:github/swiftlang/swift@{found[1]}"
        self.components.append(component("Swift", found[1], "Apache-2.0 WITH Swift-exception", purl))
        text = self.runtime.parent.parent / "share/swift/LICENSE.txt"
        if not text.exists():
            fail(f"Swift's license isn't in {text}.")
        self.notices.append((f"Swift {found[1]}", "Apache-2.0 WITH Swift-exception", text.read_text()))

    def add_icu(self, program):
        """ICU and its data, which a program that contains Foundation contains."""
        data = re.search(rb"icudt(\d+)l", program.read_bytes())
        if not data:
            return
        header = self.runtime / "_foundation_unicode/uvernum.h"
        version = re.search(r'define U_ICU_VERSION "([\d.]+)"', header.read_text())
        if not version or version[1].split(".")[0] != data[1].decode():
            fail(f"Swift's headers are of another version of ICU than the program: {data[1].decode()}.")
        purl = f"pkg:github/unicode-org/icu@{version[1]}"
        self.components.append(component("ICU", version[1], ICU_LICENSE, purl, description="Part of Foundation."))
        # The toolchain doesn't contain it.
        text = ROOT / f"scripts/licenses/ICU-{version[1]}.txt"
        if not text.exists():
            fail(f"Add the file LICENSE of ICU {version[1]} as {text.relative_to(ROOT)}.")
        self.notices.append((f"ICU {version[1]}, part of Foundation", ICU_LICENSE, text.read_text()))

    def add_archive(self, name, archive, license):
        """A library from an archive of Debian's or Ubuntu's development packages."""
        path = output("clang", f"-print-file-name={archive}").strip()
        owner = output("dpkg-query", "--search", os.path.realpath(path)).split(":")[0]
        version, architecture, source = (
            output("dpkg-query", "--show", "--showformat=${Version}\t${Architecture}\t${source:Package}\n", owner)
            .splitlines()[0]
            .split("\t")
        )
        system = dict(
            line.split("=", 1)
            for line in pathlib.Path("/etc/os-release").read_text().replace('"', "").splitlines()
            if "=" in line
        )
        distribution = f"{system['ID']}-{system['VERSION_ID']}"
        purl = f"pkg:deb/{system['ID']}/{owner}@{version}?arch={architecture}&distro={distribution}"
        self.components.append(
            component(name, version, license, purl.replace("+", "%2B"), description=f"Built from {source}.")
        )
        copyright = pathlib.Path(f"/usr/share/doc/{owner}/copyright")
        texts = [copyright.read_text()] if copyright.exists() else []
        self.notices.append((f"{name} {version}", license, *texts))


def bill(materials, program):
    epoch = os.environ.get("SOURCE_DATE_EPOCH") or output("git", "-C", ROOT, "log", "-1", "--format=%ct")
    version = output(program, "--version").strip()
    digest = hashlib.sha256(program.read_bytes()).hexdigest()
    root = f"pkg:generic/appreceipt@{version}?arch={platform.machine()}"
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_OID, digest)}",
        "version": 1,
        "metadata": {
            "timestamp": datetime.fromtimestamp(int(epoch), timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "component": {
                "type": "application", "bom-ref": root, "name": "appreceipt", "group": PROJECT, "version": version,
                "licenses": [{"expression": "Apache-2.0"}], "purl": root,
                "hashes": [{"alg": "SHA-256", "content": digest}],
            },
        },
        "components": materials.components,
        "dependencies": [{"ref": root, "dependsOn": sorted(one["bom-ref"] for one in materials.components)}],
    }  # fmt: skip


def notices(materials):
    """The licenses and notices. A text that several components share is there once."""
    parts, seen = ["appreceipt contains the software below, under the license of each.\n"], {}
    for name, license, *texts in materials.notices:
        parts.append(f"{'=' * 80}\n{name}\n{license}\n")
        for text in map(str.strip, texts):
            first = seen.setdefault(re.sub(r"\s", "", text), name)
            parts.append(f"{text}\n" if first == name else f"The text is that of {first}.\n")
    return "\n".join(parts)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build-folder", required=True, type=pathlib.Path)
    parser.add_argument("--program", required=True, type=pathlib.Path)
    parser.add_argument("--notices", type=pathlib.Path)
    options = parser.parse_args()
    program = options.program.resolve()
    materials = Materials(Build(options.build_folder), program)
    json.dump(bill(materials, program), sys.stdout, indent=2, ensure_ascii=False)
    print()
    if options.notices:
        options.notices.write_text(notices(materials))


main()
