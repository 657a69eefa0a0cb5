#!/usr/bin/env python3
"""Rejects APIs that are newer than the platform versions in Package.swift.

On Linux, the compiler doesn't check these versions (macOS 11, iOS 13, tvOS 13, watchOS 6.2). The APIs listed here need a newer
system on Apple's platforms. They are allowed only inside `#if !canImport(Darwin)`, and inside `#if Server`, because the server's
types declare their systems with @available.

The client of the App Store Server API, and what tests it, declare theirs with `@available(AppStoreServerAPI 1.0, *)`: macOS 13. In a
file with this declaration, APIs of macOS 12 and 13 are allowed, and each of the file's declarations must have it.
"""
import pathlib
import re
import sys

NEWER = [
    (r"\bimport Synchronization\b", "Synchronization (macOS 15)"),
    (r"\bMutex\s*[<(]", "Synchronization.Mutex (macOS 15)"),
    (r"\bAtomic<", "Synchronization.Atomic (macOS 15)"),
    (r"\bInlineArray\b", "InlineArray (macOS 26)"),
    (r"\bUTF8Span\b|\.utf8Span\b", "UTF8Span (macOS 26)"),
    (r"\bRegex\b|#/|\.firstMatch\(of:|\.wholeMatch\(of:", "Regex (macOS 13)"),
    (r"\b(Continuous|Suspending)Clock\b|\bDuration\b|\.sleep\(for:", "Clock and Duration (macOS 13)"),
    (r"\.formatted\(|FormatStyle\b|ParseStrategy\b", "FormatStyle (macOS 12)"),
    (r"URL\(filePath:|\.appending\(path:|\.appending\(component:", "URL(filePath:) (macOS 13)"),
    (r"\bDate\.now\b", "Date.now (macOS 12)"),
    (r"String\(validating:", "String(validating:as:) (macOS 15)"),
    (r"\.firstRange\(of: [^,()]*\)|\.ranges\(of:|\.trimmingPrefix\(|\.replacing\(", "collection algorithms (macOS 13)"),
    (r"\bU?Int128\b", "Int128 (macOS 15)"),
    (r"\bany\s+\w+<", "constrained existentials at run time (macOS 13)"),
    (r"throws\(\w+\)\s*->[^,={]*\)\?|<[^<>]*throws\(\w+\)\s*->", "typed throws of a function in a generic type (macOS 15)"),
    (r"\.enumerated\(\)\s*\[", "enumerated() as a collection (macOS 26)"),
    (r"\bOSAllocatedUnfairLock\b", "OSAllocatedUnfairLock (macOS 13)"),
]


def visible(text):
    """The lines of a file that are compiled on Apple's platforms, without comments and string contents."""
    shown = []
    stack = []
    for number, line in enumerate(text.split("\n"), 1):
        stripped = line.strip()
        if stripped.startswith("#if"):
            stack.append("hidden" if re.match(r"#if\s+(!canImport\(Darwin\)|Server$)", stripped) else "shown")
        elif stripped.startswith("#else") or stripped.startswith("#elseif"):
            if stack:
                stack[-1] = "shown"
        elif stripped.startswith("#endif"):
            if stack:
                stack.pop()
        elif "hidden" not in stack:
            code = re.sub(r'"(\\.|[^"\\])*"', '""', line.split("//")[0])
            shown.append((number, code))
    return shown


CLIENT = "@available(AppStoreServerAPI 1.0, *)"


def undeclared(path, lines):
    """Finds declarations of the client that don't declare their systems, except extensions of the standard library's types."""
    previous = ""
    for number, code in lines:
        if not code.strip():
            continue
        declares = re.match(r"(public |package |final |private |fileprivate )*(struct|class|enum|protocol|actor|func) ", code)
        extends = re.match(r"extension (AppStoreServer|Duration|APIRe)", code)
        if (declares or extends) and CLIENT not in previous + code:
            yield f"{path}:{number}: a declaration without {CLIENT}"
        previous = code


def span_receivers(path, lines):
    """Finds uses of `Array.span`, which needs the systems of version 26. `span` of slices and ContiguousArray is available earlier."""
    text = "\n".join(code for _, code in lines)
    for number, code in lines:
        for name in re.findall(r"\b(\w+)\.span\b", code):
            declared = rf"\b{name}\s*:\s*(ArraySlice|ContiguousArray)<UInt|\b{name}\s*=\s*ContiguousArray\("
            aliased = rf"\b(let|var)\s+{name}\s*=\s*(\w+)\s*$"
            source = re.search(aliased, text, re.M)
            again = source and re.search(declared.replace(name, source.group(2)), text)
            if not re.search(declared, text) and not again:
                yield f"{path}:{number}: {name}.span, but {name} isn't declared as an ArraySlice or ContiguousArray"


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    findings = []
    files = sorted((root / "Sources").rglob("*.swift"))
    for file in files:
        path = file.relative_to(root)
        lines = visible(file.read_text(encoding="utf8"))
        is_client = any(CLIENT in code for _, code in lines)
        if is_client:
            findings += undeclared(path, lines)
        for number, code in lines:
            for pattern, name in NEWER:
                if is_client and name.endswith(("(macOS 12)", "(macOS 13)")):
                    continue
                if re.search(pattern, code):
                    findings.append(f"{path}:{number}: {name}")
        findings += span_receivers(path, lines)
    for finding in findings:
        print(finding, file=sys.stderr)
    print(f"{len(files)} files checked, {len(findings)} uses of newer APIs.")
    return 1 if findings or not files else 0


if __name__ == "__main__":
    sys.exit(main())
