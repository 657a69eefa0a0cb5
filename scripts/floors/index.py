"""Reads the index store that the compiler writes: which source file refers to which symbols, and where.

Uses the toolchain's libIndexStore. Its C interface is declared in indexstore.h, which the toolchain contains, too.
"""
import ctypes
import dataclasses
import os
import pathlib
import shutil

REFERENCE = 1 << 2
IMPLICIT = 1 << 8
RECORD_DEPENDENCY = 2
UNIT_DEPENDENCY = 1

#: What `for await` calls. On systems without the first, it calls the other next(); the second is as old as its type.
FOR_AWAIT = ("next(isolation:)", "makeAsyncIterator()")


class StoreError(Exception):
    """The index can't be read, or doesn't describe the sources as they are now."""


class String(ctypes.Structure):
    """indexstore_string_ref_t: text without a terminator."""

    _fields_ = [("data", ctypes.POINTER(ctypes.c_char)), ("length", ctypes.c_size_t)]

    def __str__(self):
        return ctypes.string_at(self.data, self.length).decode()


Pointer = ctypes.c_void_p
UNIT_CALLBACK = ctypes.CFUNCTYPE(ctypes.c_bool, Pointer, String)
CALLBACK = ctypes.CFUNCTYPE(ctypes.c_bool, Pointer, Pointer)
FILTER = ctypes.CFUNCTYPE(ctypes.c_bool, Pointer, Pointer, ctypes.POINTER(ctypes.c_bool))
RECEIVER = ctypes.CFUNCTYPE(None, Pointer, Pointer)


def toolchain():
    """Returns the `usr` folder of the toolchain that `swiftc` belongs to."""
    compiler = shutil.which("swiftc")
    if not compiler:
        raise StoreError("swiftc isn't in PATH.")
    return pathlib.Path(os.path.realpath(compiler)).parent.parent


def load_library():
    """Loads libIndexStore and declares the functions that are used here."""
    path = toolchain() / "lib" / "libIndexStore.so"
    if not path.exists():
        raise StoreError(f"The toolchain has no {path.name}: expected it at {path}.")
    library = ctypes.CDLL(str(path))
    declarations = {
        "store_create": (Pointer, [ctypes.c_char_p, ctypes.POINTER(Pointer)]),
        "store_units_apply_f": (ctypes.c_bool, [Pointer, ctypes.c_uint, Pointer, UNIT_CALLBACK]),
        "unit_reader_create": (Pointer, [Pointer, ctypes.c_char_p, ctypes.POINTER(Pointer)]),
        "unit_reader_dispose": (None, [Pointer]),
        "unit_reader_get_main_file": (String, [Pointer]),
        "unit_reader_get_module_name": (String, [Pointer]),
        "unit_reader_get_output_file": (String, [Pointer]),
        "unit_reader_get_modification_time": (
            None, [Pointer, ctypes.POINTER(ctypes.c_int64), ctypes.POINTER(ctypes.c_int64)]),
        "unit_reader_dependencies_apply_f": (ctypes.c_bool, [Pointer, Pointer, CALLBACK]),
        "unit_dependency_get_kind": (ctypes.c_int, [Pointer]),
        "unit_dependency_get_filepath": (String, [Pointer]),
        "unit_dependency_get_name": (String, [Pointer]),
        "record_reader_create": (Pointer, [Pointer, ctypes.c_char_p, ctypes.POINTER(Pointer)]),
        "record_reader_dispose": (None, [Pointer]),
        "record_reader_search_symbols_f": (ctypes.c_bool, [Pointer, Pointer, FILTER, Pointer, RECEIVER]),
        "record_reader_occurrences_of_symbols_apply_f": (
            ctypes.c_bool,
            [Pointer, ctypes.POINTER(Pointer), ctypes.c_size_t, ctypes.POINTER(Pointer), ctypes.c_size_t, Pointer, CALLBACK]),
        "symbol_get_usr": (String, [Pointer]),
        "symbol_get_name": (String, [Pointer]),
        "occurrence_get_symbol": (Pointer, [Pointer]),
        "occurrence_get_roles": (ctypes.c_uint64, [Pointer]),
        "occurrence_get_line_col": (None, [Pointer, ctypes.POINTER(ctypes.c_uint), ctypes.POINTER(ctypes.c_uint)]),
        "error_get_description": (ctypes.c_char_p, [Pointer]),
    }
    for name, (result, arguments) in declarations.items():
        function = getattr(library, "indexstore_" + name)
        function.restype = result
        function.argtypes = arguments
    return library


@dataclasses.dataclass
class Unit:
    """What the index knows about the compilation of one source file."""

    file: pathlib.Path
    module: str
    records: list
    module_files: set
    seconds: float


class Index:
    """An index store."""

    def __init__(self, folder):
        if not (pathlib.Path(folder) / "v5" / "units").is_dir():
            raise StoreError(f"{folder} isn't an index store: expected the folder that swiftc's -index-store-path names.")
        self.library = load_library()
        self.store = self.library.indexstore_store_create(os.fsencode(folder), None)

    def units(self):
        """Returns the latest unit of each source file that exists. Modules and deleted files have older or no units."""
        names = []
        self.library.indexstore_store_units_apply_f(
            self.store, 0, None, UNIT_CALLBACK(lambda _, name: (names.append(str(name)), True)[1]))
        latest = {}
        for name in names:
            unit = self.unit(name)
            if unit and (unit.file not in latest or latest[unit.file].seconds < unit.seconds):
                latest[unit.file] = unit
        return latest

    def unit(self, name):
        library = self.library
        reader = library.indexstore_unit_reader_create(self.store, name.encode(), None)
        if not reader:
            return None
        path = str(library.indexstore_unit_reader_get_main_file(reader))
        if not path.endswith(".swift") or not os.path.exists(path):
            library.indexstore_unit_reader_dispose(reader)
            return None
        seconds, nanoseconds = ctypes.c_int64(), ctypes.c_int64()
        library.indexstore_unit_reader_get_modification_time(reader, ctypes.byref(seconds), ctypes.byref(nanoseconds))
        records, module_files = [], set()

        def add(_, dependency):
            kind = library.indexstore_unit_dependency_get_kind(dependency)
            if kind == RECORD_DEPENDENCY:
                records.append(str(library.indexstore_unit_dependency_get_name(dependency)))
            elif kind == UNIT_DEPENDENCY:
                module_files.add(str(library.indexstore_unit_dependency_get_filepath(dependency)))
            return True

        library.indexstore_unit_reader_dependencies_apply_f(reader, None, CALLBACK(add))
        unit = Unit(
            pathlib.Path(os.path.realpath(path)), str(library.indexstore_unit_reader_get_module_name(reader)), records,
            module_files, seconds.value + nanoseconds.value / 1e9)
        library.indexstore_unit_reader_dispose(reader)
        return unit

    def references(self, unit, is_relevant):
        """Yields (USR, name, line, column) for each reference in a file to a symbol whose USR is relevant."""
        library = self.library
        for record in unit.records:
            reader = library.indexstore_record_reader_create(self.store, record.encode(), None)
            if not reader:
                raise StoreError(f"The index has no record of {unit.file}. Build again.")
            symbols, found = [], []

            def matches(_, symbol, __):
                return is_relevant(str(library.indexstore_symbol_get_usr(symbol)))

            def receive(_, symbol):
                symbols.append(symbol)

            def add(_, occurrence):
                roles = library.indexstore_occurrence_get_roles(occurrence)
                symbol = library.indexstore_occurrence_get_symbol(occurrence)
                name = str(library.indexstore_symbol_get_name(symbol))
                if roles & REFERENCE and not (roles & IMPLICIT and name in FOR_AWAIT):
                    line, column = ctypes.c_uint(), ctypes.c_uint()
                    library.indexstore_occurrence_get_line_col(occurrence, ctypes.byref(line), ctypes.byref(column))
                    found.append((str(library.indexstore_symbol_get_usr(symbol)), name, line.value, column.value))
                return True

            library.indexstore_record_reader_search_symbols_f(reader, None, FILTER(matches), None, RECEIVER(receive))
            if symbols:
                selected = (Pointer * len(symbols))(*symbols)
                library.indexstore_record_reader_occurrences_of_symbols_apply_f(
                    reader, selected, len(symbols), None, 0, None, CALLBACK(add))
            library.indexstore_record_reader_dispose(reader)
            yield from found
