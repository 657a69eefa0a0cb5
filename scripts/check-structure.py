#!/usr/bin/env python3
"""Checks the structure of the sources: folders that point one way, labels, files that are a type of their own, comments.

usage: scripts/check-structure.py [--list]

  folders   Two folders of a module must not use each other's types. A folder's files in the module's root count for no folder.
  labels    At most 3 % of the functions have two or more parameters without a label.
  files     At most 4 % of the files have 15 lines or fewer.
  comments  No line of a comment has more than 120 characters, which the formatter doesn't check.

With --list, each finding is printed, not only those of a rule that is broken. Exit status: 0, or 1 if a rule is broken.
"""
import collections
import pathlib
import re
import sys

MAX_UNLABELED = 0.03
MAX_SMALL = 0.04
SMALL_LINES = 15
MAX_COMMENT_WIDTH = 120

ROOT = pathlib.Path(__file__).resolve().parent.parent
DECLARATION = re.compile(r"\b(?:struct|class|enum|actor|protocol|typealias)\s+([A-Z]\w*)")
FUNCTION = re.compile(r"\b(?:func\s+[\w`]+|init[?!]?|subscript)\s*(?:<[^>(]*>)?\s*\(")
# Names of nested types that many types have.
COMMON = {"Code", "Decoder", "Element", "Encoder", "Error", "Failure", "Result"}


def code(text):
    """The text without comments and string literals. Interpolations in literals are lost, which can only hide a finding."""
    text = re.sub(r'"""(?:.|\n)*?"""', '""', text)
    text = re.sub(r'"(?:[^"\\\n]|\\.)*"', '""', text)
    text = re.sub(r"//[^\n]*", "", text)
    return re.sub(r"/\*(?:.|\n)*?\*/", "", text)


def parameters(text, start):
    """The parameters of a function whose opening parenthesis is before `start`."""
    depth, found, current = 1, [], ""
    for position in range(start, len(text)):
        character = text[position]
        if character in "([{" or character == "<":
            depth += 1
        elif character in ")]}" or (character == ">" and text[position - 1] != "-"):
            depth -= 1
            if depth == 0:
                break
        if character == "," and depth == 1:
            found.append(current)
            current = ""
        else:
            current += character
    return [parameter.strip() for parameter in [*found, current] if parameter.strip()]


def main():
    lists_all = sys.argv[1:] == ["--list"]
    if sys.argv[1:] and not lists_all:
        sys.exit(__doc__)
    files = sorted(path for path in (ROOT / "Sources").rglob("*.swift") if "Generated" not in path.parts)
    texts = {path: path.read_text() for path in files}
    sources = {path: code(text) for path, text in texts.items()}

    def module(path):
        return path.relative_to(ROOT / "Sources").parts[0]

    def folder(path):
        return path.parent.relative_to(ROOT / "Sources").as_posix()

    owners = collections.defaultdict(set)
    for path, text in sources.items():
        for name in DECLARATION.findall(text):
            if name not in COMMON:
                owners[name].add(path)
    uses = collections.defaultdict(set)
    for path, text in sources.items():
        for name in set(re.findall(r"\b[A-Z]\w*\b", text)):
            declaring = [owner for owner in owners.get(name, ()) if module(owner) == module(path)]
            if len(declaring) == 1 and folder(declaring[0]) != folder(path) and path not in owners[name]:
                uses[folder(path), folder(declaring[0])].add(f"{path.name} uses {name}")
    pairs = sorted(
        pair for pair in uses if pair[0] < pair[1] and (pair[1], pair[0]) in uses and all("/" in name for name in pair)
    )

    functions, unlabeled = 0, []
    for path, text in sources.items():
        for match in FUNCTION.finditer(text):
            functions += 1
            if sum(bool(re.match(r"(?:@\w+\s+)*_\s+\w+\s*:", item)) for item in parameters(text, match.end())) > 1:
                unlabeled.append(f"{path.relative_to(ROOT)}: {match.group().strip()}")
    wide = [
        f"{path.relative_to(ROOT)}:{number}"
        for path, text in texts.items()
        for number, line in enumerate(text.split("\n"), 1)
        if len(line) > MAX_COMMENT_WIDTH and line.lstrip().startswith("//")
    ]
    small = [path for path, text in texts.items() if text.count("\n") <= SMALL_LINES]

    for one, other in pairs:
        print(f"{one} and {other} use each other:")
        for use in [*sorted(uses[one, other])[:3], *sorted(uses[other, one])[:3]]:
            print(f"  {use}")
    rules = [
        ("functions with two or more unlabeled parameters", unlabeled, functions, MAX_UNLABELED),
        (f"files of at most {SMALL_LINES} lines", [str(path.relative_to(ROOT)) for path in small], len(files), MAX_SMALL),
    ]
    is_broken = bool(pairs or wide)
    for name, found, total, limit in rules:
        share = len(found) / total
        is_broken |= share > limit
        print(f"{name}: {len(found)} of {total} ({share:.1%}), at most {limit:.0%}")
        if lists_all or share > limit:
            print("".join(f"  {item}\n" for item in found), end="")
    print(f"pairs of folders that use each other: {len(pairs)}, none are allowed")
    print(f"comments wider than {MAX_COMMENT_WIDTH} characters: {len(wide)}, none are allowed")
    print("".join(f"  {item}\n" for item in wide), end="")
    sys.exit(1 if is_broken else 0)


main()
