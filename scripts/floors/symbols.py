"""The versions that symbols need: from the symbol graphs of the modules, and from the table of what Apple's SDKs have.

The standard library, Foundation and the packages declare their versions in the source, and `swift symbolgraph-extract` prints
them. It can't know those of C functions, of frameworks that only exist on Apple's platforms, and of modules that are another
implementation here. The table contains them.
"""
import concurrent.futures
import csv
import dataclasses
import hashlib
import json
import os
import pathlib
import subprocess
import tempfile

from . import versions

#: The modules whose symbols need a row in the table, and their names in Apple's SDKs.
APPLE_NAMES = {
    "AppKit": "AppKit",
    "CoreFoundation": "CoreFoundation",
    "Crypto": "CryptoKit",
    "Dispatch": "Dispatch",
    "Foundation": "Foundation",
    "FoundationEssentials": "Foundation",
    "FoundationInternationalization": "Foundation",
    "FoundationNetworking": "Foundation",
    "FoundationXML": "Foundation",
    "IOKit": "IOKit",
    "StoreKit": "StoreKit",
    "UIKit": "UIKit",
    "WatchKit": "WatchKit",
}

#: Those whose symbols need none if their graph has a version for them: they are Apple's own sources.
DECLARING_MODULES = (
    "CoreFoundation", "Dispatch", "Foundation", "FoundationEssentials", "FoundationInternationalization",
    "FoundationNetworking", "FoundationXML")

#: The toolchain's modules that another module exports.
EXPORTED_MODULES = (
    "_Concurrency", "_StringProcessing", "Dispatch", "FoundationEssentials", "FoundationInternationalization")

#: The name in the table for what C headers declare.
C_MODULE = "C"


class SymbolError(Exception):
    """Versions can't be determined."""


@dataclasses.dataclass(frozen=True)
class Symbol:
    """A symbol of a module, such as "Date.now", and the versions that it needs."""

    module: str
    name: str
    versions: dict


def graph_versions(availability):
    """Returns the versions in a symbol's availability. Deprecation doesn't matter here."""
    found = {}
    for entry in availability:
        domain = versions.ALIASES.get(entry.get("domain"), entry.get("domain"))
        if domain not in versions.PLATFORMS:
            continue
        introduced = entry.get("introduced", {})
        numbers = [introduced.get(part, 0) for part in ("major", "minor", "patch")]
        if entry.get("isUnconditionallyUnavailable"):
            found[domain] = versions.NEVER
        elif introduced:
            found[domain] = versions.parse(".".join(map(str, numbers)))
    return found


def read_graphs(folder):
    """Returns [USR, name, versions] for the symbols in the graphs of a module.

    A member needs at least what its type needs. A requirement of a protocol needs no more than its default implementation, which the
    compiler prefers where the requirement isn't available.
    """
    own, parents, defaults = {}, {}, {}
    for path in sorted(folder.glob("*.symbols.json")):
        graph = json.loads(path.read_bytes())
        for symbol in graph["symbols"]:
            usr = symbol["identifier"]["precise"]
            if "::SYNTHESIZED::" not in usr:
                own[usr] = (".".join(symbol["pathComponents"]), graph_versions(symbol.get("availability", [])))
        for relation in graph["relationships"]:
            if relation["kind"] in ("memberOf", "requirementOf", "optionalRequirementOf"):
                parents.setdefault(relation["source"], relation["target"])
            elif relation["kind"] == "defaultImplementationOf":
                defaults.setdefault(relation["target"], []).append(relation["source"])

    def inherited(usr):
        found = own[usr][1]
        parent = parents.get(usr)
        if parent in own:
            found = versions.latest(inherited(parent), found)
        for implementation in defaults.get(usr, []):
            if found and implementation in own and implementation != usr:
                found = versions.earliest(found, inherited(implementation))
        return found

    return [[usr, name, inherited(usr)] for usr, (name, _) in own.items()]


def extract(module, access, triple, include):
    """Runs `swift symbolgraph-extract` for a module."""
    with tempfile.TemporaryDirectory() as folder:
        command = ["swift", "symbolgraph-extract", "-module-name", module, "-target", triple, "-output-dir", folder]
        command += ["-minimum-access-level", access]
        for path in include:
            command += ["-I", str(path)] if path.is_dir() else ["-Xcc", f"-fmodule-map-file={path}"]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        if result.returncode:
            raise SymbolError(f"The symbol graph of {module} can't be extracted: {result.stderr[:400]}")
        return read_graphs(pathlib.Path(folder))


def load(module_files, own, include, cache):
    """Returns the symbols of modules by USR.

    `module_files` has the path of each module. The modules in `own` are the package's: their internal declarations count, too.
    A graph is only extracted again if the module's file or the toolchain is another.
    """
    target = json.loads(subprocess.run(["swiftc", "-print-target-info"], capture_output=True, check=True).stdout)
    cache.mkdir(parents=True, exist_ok=True)

    def symbols(item):
        module, path = item
        state = os.stat(path)
        identity = f"{target['compilerVersion']} {path} {state.st_mtime_ns} {state.st_size} {CACHE_FORMAT}"
        entry = cache / f"{module}-{hashlib.sha256(identity.encode()).hexdigest()[:16]}.json"
        if entry.exists():
            return module, json.loads(entry.read_bytes())
        access = "private" if module in own else "public"
        found = extract(module, access, target["target"]["triple"], include)
        for old in cache.glob(f"{module}-????????????????.json"):
            old.unlink(missing_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=cache, delete=False) as file:
            json.dump(found, file)
        os.replace(file.name, entry)
        return module, found

    loaded = {}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for module, found in pool.map(symbols, sorted(module_files.items())):
            for usr, name, required in found:
                completed = versions.complete({platform: tuple(version) for platform, version in required.items()})
                loaded.setdefault(usr, Symbol(module, name, completed))
    return loaded


#: Changes with the format of the cached files.
CACHE_FORMAT = 2

class Table:
    """The rows of the table: the versions of symbols by module and name."""

    COLUMNS = ["module", "symbol", *versions.PLATFORMS]

    def __init__(self, path):
        self.path = path
        self.rows = {}
        self.used = set()
        with open(path, encoding="utf8", newline="") as file:
            lines = [line for line in file if not line.startswith("#")]
        reader = csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
        if reader.fieldnames != self.COLUMNS:
            raise SymbolError(f"{path} needs the columns {', '.join(self.COLUMNS)}.")
        for row in reader:
            key = (row["module"], row["symbol"])
            if key in self.rows:
                raise SymbolError(f"{path} has two rows of {' '.join(key)}.")
            if None in row.values() or None in row:
                raise SymbolError(f"{path}: the row of {' '.join(key)} needs {len(self.COLUMNS)} columns.")
            self.rows[key] = {
                name: versions.NEVER if row[name] == "-" else versions.parse(row[name]) for name in versions.PLATFORMS}
        if list(self.rows) != sorted(self.rows):
            raise SymbolError(f"{path} isn't sorted by module and symbol.")

    def versions(self, module, name):
        """Returns the versions of a symbol, or None. The row counts as used."""
        found = self.rows.get((module, name))
        if found is not None:
            self.used.add((module, name))
        return found

    def unused(self):
        return sorted(set(self.rows) - self.used)
