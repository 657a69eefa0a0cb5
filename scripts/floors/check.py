"""Compares each reference in an index with the versions that its place in the source has."""
import bisect
import concurrent.futures
import dataclasses
import os
import pathlib
import re

from . import conditions, index, language, scopes, symbols, versions

TOOLCHAIN_MODULES = "lib/swift"


@dataclasses.dataclass(frozen=True, order=True)
class Finding:
    """A use of something that is too new, or whose version isn't known."""

    path: str
    line: int
    column: int
    message: str

    def __str__(self):
        return f"{self.path}:{self.line}:{self.column}: {self.message}"


@dataclasses.dataclass(frozen=True)
class Use:
    """A use of a symbol or language feature, and the platforms on which it is compiled."""

    source: object
    line: int
    column: int
    name: str
    required: dict
    platforms: frozenset


@dataclasses.dataclass
class Counts:
    """What was checked."""

    files: int = 0
    symbols: int = 0


class Source:
    """The text of a file, with what its lines and places say about their systems."""

    def __init__(self, path, target, build):
        self.path = path
        self.target = target
        self.build = build
        self.bytes = path.read_bytes()
        self.text = self.bytes.decode()
        self.lines = conditions.Lines(self.text)
        self.starts = [0] + [match.end() for match in re.finditer(b"\n", self.bytes)]
        self.scopes = []

    def offset(self, line, column):
        return self.starts[line - 1] + column - 1

    def place(self, offset):
        """Returns the line and column of a byte."""
        line = bisect.bisect_right(self.starts, offset)
        return line, offset - self.starts[line - 1] + 1

    def available(self, offset, floors):
        """Returns the oldest versions with which the code at a place runs."""
        for scope in self.scopes:
            if scope.start <= offset <= scope.end:
                floors = versions.latest(floors, scope.versions)
        return floors

    def parse(self):
        """Finds the scopes. Lines that aren't in the index are replaced by spaces, which keeps the positions."""
        lines = self.bytes.split(b"\n")
        visible = [line if self.lines.is_indexed(number, self.build) else b" " * len(line)
                   for number, line in enumerate(lines, 1)]
        self.scopes = scopes.scopes(self.path, b"\n".join(visible), self.target.features)


class Check:
    """The check of one index."""

    def __init__(self, package, store, defines, table, cache):
        self.package = package
        self.table = table
        self.targets = {path: target for target in package.targets for path in target.files()}
        self.index = index.Index(store)
        self.units = {path: unit for path, unit in self.index.units().items() if path in self.targets}
        if not self.units:
            raise index.StoreError(f"{store} contains none of the package's files.")
        self.reject_stale_units()
        modules = self.module_files() | self.own_modules(store)
        folders = {pathlib.Path(path).parent for path in modules.values() if pathlib.Path(path).parent.name == "Modules"}
        include = [*sorted(folders), *(path for folder in folders for path in module_maps(folder.parent))]
        self.symbols = symbols.load(modules, {target.name for target in package.targets}, include, cache)
        library = index.toolchain() / TOOLCHAIN_MODULES
        self.build = conditions.IndexedBuild(frozenset(defines), (library, library / "linux", *sorted(folders)))
        self.findings = set()
        self.counts = Counts(len(self.units), sum(bool(symbol.versions) for symbol in self.symbols.values()))

    def missing_files(self):
        """Returns the files that the index doesn't contain."""
        return sorted(set(self.targets) - set(self.units))

    def unused_rows(self):
        """Returns the rows of the table that nothing uses: neither the index, nor lines that only Apple's compilers see."""
        words = set()
        for path in self.units:
            lines = conditions.Lines(path.read_text(encoding="utf8"))
            for number, line in enumerate(path.read_text(encoding="utf8").split("\n"), 1):
                if not lines.is_indexed(number, self.build) and lines.platforms(number):
                    words |= set(re.findall(r"\w+", line))
        return [(module, name) for module, name in self.table.unused() if last_word(name) not in words]

    def reject_stale_units(self):
        for path, unit in sorted(self.units.items()):
            if os.stat(path).st_mtime > unit.seconds:
                raise index.StoreError(f"{self.relative(path)} is newer than its index. Build first.")

    def module_files(self):
        """Returns the paths of the modules that the files import, directly or through another module."""
        imports = {}
        for unit in self.index.units().values():
            imports.setdefault(unit.module, set()).update(unit.module_files)
        pending = {file for unit in self.units.values() for file in unit.module_files}
        found = {}
        while pending:
            file = pending.pop()
            name = module_name(file)
            if name and name not in found:
                found[name] = file
                pending |= imports.get(name, set())
        # Foundation exports modules that files don't import themselves.
        for folder in (index.toolchain() / TOOLCHAIN_MODULES / "linux").glob("*.swiftmodule"):
            if folder.stem in symbols.EXPORTED_MODULES:
                found.setdefault(folder.stem, str(next(folder.glob("*.swiftmodule"))))
        return found

    def own_modules(self, store):
        """Returns the paths of the checked targets' own modules, which other files need not import."""
        folder = store.parent.parent / "Modules"
        names = {self.targets[path].name.replace("-", "_") for path in self.units}
        found = {name: str(folder / f"{name}.swiftmodule") for name in sorted(names)}
        missing = [name for name, path in found.items() if not os.path.exists(path)]
        if missing:
            raise index.StoreError(f"{folder} lacks the modules {', '.join(missing)}. Build first.")
        return found

    def relative(self, path):
        return os.path.relpath(path, self.package.folder)

    def run(self):
        """Checks all files and returns the findings."""
        newer = []
        for path, unit in sorted(self.units.items()):
            source = Source(path, self.targets[path], self.build)
            newer += [use for use in self.uses(source, unit) if self.exceeds_floors(use)]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(Source.parse, {use.source.path: use.source for use in newer}.values()))
        for use in newer:
            self.compare(use)
        return sorted(self.findings)

    def uses(self, source, unit):
        """Yields the uses of symbols and language features that are compiled on one of Apple's platforms."""
        for usr, name, line, column in sorted(set(self.index.references(unit, self.is_relevant))):
            platforms = source.lines.platforms(line)
            if not platforms:
                continue
            if not source.lines.is_indexed(line, self.build):
                raise index.StoreError(
                    f"{self.relative(source.path)}:{line} is in the index, but isn't compiled with the defines "
                    f"{', '.join(sorted(self.build.defines)) or '(none)'}. Pass those of the build.")
            module, name = self.row(usr, name)
            required = self.table.versions(module, name) if module else None
            if required is None and (module is None or source.target.is_test and module != "CryptoKit"):
                # Tests use much of Foundation and C, as old as the systems that run them.
                required = self.symbols[usr].versions if usr in self.symbols else {}
            if required is None:
                self.report(source, line, column,
                            f"{name} of {module} isn't in the table. Add a row with the versions of Apple's SDKs to "
                            f"{self.relative(self.table.path)}")
            else:
                yield Use(source, line, column, name, required, platforms)
        for feature, required, start in language.uses(source.text):
            line, column = source.place(len(source.text[:start].encode()))
            yield Use(source, line, column, feature, required, source.lines.platforms(line))

    def row(self, usr, name):
        """Returns the module and name of the table's row about a symbol. The module is None if the symbol needs no row."""
        if usr.startswith("c:"):
            return symbols.C_MODULE, name
        symbol = self.symbols[usr]
        module = symbols.APPLE_NAMES.get(symbol.module)
        return module if self.needs_row(symbol) or (module, symbol.name) in self.table.rows else None, symbol.name

    def exceeds_floors(self, use):
        floors = use.source.target.floors
        return any(use.required.get(platform, ()) > floors[platform] for platform in use.platforms)

    def compare(self, use):
        """Reports a use unless the code at its place needs no more than it says."""
        floors = use.source.target.floors
        available = use.source.available(use.source.offset(use.line, use.column), floors)
        newer = {platform for platform in use.platforms if use.required.get(platform, ()) > available[platform]}
        if newer:
            is_floor = all(available[platform] == floors[platform] for platform in newer)
            place = f"floor of {use.source.target.name}" if is_floor else "here"
            self.report(use.source, use.line, use.column,
                        f"{use.name} needs {versions.listing(use.required, newer)} ({place}: {versions.listing(available, newer)})")

    def report(self, source, line, column, message):
        self.findings.add(Finding(self.relative(source.path), line, column, message))

    def is_relevant(self, usr):
        symbol = self.symbols.get(usr)
        if usr.startswith("c:"):
            return not usr.startswith("c:@M@")
        return symbol is not None and (self.needs_row(symbol) or self.is_newer(symbol))

    def is_newer(self, symbol):
        return any(version > self.package.floors[name] for name, version in symbol.versions.items())

    def needs_row(self, symbol):
        # The versions of other modules are those of stand-ins, or of swift-crypto, which has some symbols longer than CryptoKit.
        declares = symbol.module in symbols.DECLARING_MODULES and symbol.versions
        return symbol.module in symbols.APPLE_NAMES and not declares


def module_maps(products):
    """Returns the module maps of the C targets in a build: those that SwiftPM made, and those in the packages and here."""
    packages = products.parent.parent / "checkouts"
    own = products.parent.parent.parent / "Sources"
    return sorted([*products.glob("*.build/module.modulemap"), *packages.glob("*/Sources/*/include/module.modulemap"),
                   *packages.glob("*/Sources/*/module.modulemap"), *own.glob("*/module.modulemap")])


def last_word(name):
    """Returns the part of a symbol's name that a use of it contains. An initializer's is the type."""
    parts = [part for part in name.split("(")[0].split(".") if part != "init"]
    return parts[-1]


def module_name(file):
    """Returns the name of the module in a file, or None for an explicit or implicit build of a C module."""
    for part in pathlib.Path(file).parts:
        if part.endswith(".swiftmodule"):
            return part.removesuffix(".swiftmodule")
    return None
