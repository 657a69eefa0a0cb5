"""Decides on which platforms a line is compiled: evaluates the conditions of `#if`.

The index only contains what is compiled here. Of that, code inside `#if os(Linux)` isn't compiled on Apple's platforms.
"""
import dataclasses
import functools
import itertools
import pathlib
import re

from . import language, versions

#: The modules that canImport() is about in these sources, and the platforms whose SDK has them. Other modules may or may not exist.
APPLE_MODULES = {
    "Darwin": versions.PLATFORMS,
    "CoreFoundation": versions.PLATFORMS,
    "CryptoKit": versions.PLATFORMS,
    "Dispatch": versions.PLATFORMS,
    "Foundation": versions.PLATFORMS,
    "StoreKit": versions.PLATFORMS,
    "UIKit": ("iOS", "tvOS", "watchOS", "visionOS", "macCatalyst"),
    "AppKit": ("macOS", "macCatalyst"),
    "WatchKit": ("watchOS",),
    "IOKit": versions.PLATFORMS,
    "FoundationNetworking": (),
    "FoundationXML": (),
    "Glibc": (),
    "Musl": (),
    "Android": (),
    "WinSDK": (),
}

TOKEN = re.compile(r"\s*(&&|\|\||!|\(|\)|>=|<|,|[\w.]+)")
DIRECTIVE = re.compile(r"\s*#(if|elseif|else|endif)\b(.*)")


class ConditionError(Exception):
    """A condition that this evaluator doesn't understand."""


def tokens(condition):
    """Splits a condition. A comment after it is left out."""
    rest = condition.split("//")[0].strip()
    found = []
    while rest:
        match = TOKEN.match(rest)
        if not match:
            raise ConditionError(f"unexpected text in #if: {rest}")
        found.append(match[1])
        rest = rest[match.end():].strip()
    return found


@functools.cache
def parse(condition):
    """Returns a tree: ("||", a, b), ("&&", a, b), ("!", a), ("flag", name) or ("call", name, argument)."""
    rest = tokens(condition)

    def primary():
        if not rest:
            raise ConditionError(f"incomplete condition: {condition}")
        token = rest.pop(0)
        if token == "!":
            return ("!", primary())
        if token == "(":
            inner = binary("||")
            if not rest or rest.pop(0) != ")":
                raise ConditionError(f"missing parenthesis: {condition}")
            return inner
        if rest and rest[0] == "(":
            end = rest.index(")")
            argument = " ".join(rest[1:end])
            del rest[: end + 1]
            return ("call", token, argument)
        return ("flag", token)

    def binary(operator):
        tree = binary("&&") if operator == "||" else primary()
        while rest and rest[0] == operator:
            rest.pop(0)
            tree = (operator, tree, binary("&&") if operator == "||" else primary())
        return tree

    tree = binary("||")
    if rest:
        raise ConditionError(f"unexpected '{rest[0]}' in condition: {condition}")
    return tree


def evaluate(tree, fact):
    """Evaluates a tree. `fact` decides about its leaves."""
    kind = tree[0]
    if kind == "!":
        return not evaluate(tree[1], fact)
    if kind == "&&":
        return evaluate(tree[1], fact) and evaluate(tree[2], fact)
    if kind == "||":
        return evaluate(tree[1], fact) or evaluate(tree[2], fact)
    return fact(tree)


def leaves(tree):
    return {tree} if tree[0] in ("flag", "call") else set().union(*map(leaves, tree[1:]))


def known_on(platform, leaf):
    """Returns whether a leaf is true on one of Apple's platforms, or None if builds differ in it."""
    kind, name, *argument = leaf
    if kind == "flag":
        if name in ("true", "false"):
            return name == "true"
        return False if name.startswith("SHAPE_") else None
    value = argument[0]
    if name == "os":
        return value == ("iOS" if platform == "macCatalyst" else platform)
    if name == "targetEnvironment" and value == "macCatalyst":
        return platform == "macCatalyst"
    if name == "_endian":
        return value == "little"
    if name == "canImport" and value in APPLE_MODULES:
        return platform in APPLE_MODULES[value]
    return None


@dataclasses.dataclass(frozen=True)
class IndexedBuild:
    """The build that an index describes: its compilation conditions and the folders of its modules."""

    defines: frozenset
    module_folders: tuple

    def fact(self, leaf):
        kind, name, *argument = leaf
        if kind == "flag":
            return name == "true" or name in self.defines
        value = argument[0]
        if name == "os":
            return value == "Linux"
        if name == "canImport":
            return any((folder / value).exists() or (folder / f"{value}.swiftmodule").exists()
                       for folder in self.module_folders)
        return name in ("compiler", "swift") or (name, value) == ("_endian", "little")


class Lines:
    """The conditions of each line of a file."""

    def __init__(self, source):
        self.conditions = [()]  # Line numbers start with 1.
        stack = []
        for line in language.code(source).split("\n"):
            match = DIRECTIVE.match(line)
            if not match:
                self.conditions.append(tuple(condition for conditions in stack for condition in conditions))
                continue
            directive, condition = match[1], match[2]
            self.conditions.append(None)
            if directive == "if":
                stack.append([parse(condition.strip())])
            elif not stack:
                raise ConditionError(f"#{directive} without #if")
            elif directive == "endif":
                stack.pop()
            else:
                # A branch excludes the previous branches: the last condition is its own.
                branch = stack[-1]
                branch[-1] = ("!", branch[-1])
                if directive == "elseif":
                    branch.append(parse(condition.strip()))
                else:
                    branch.append(("flag", "true"))
        if stack:
            raise ConditionError("#if without #endif")

    def platforms(self, number):
        """Returns the platforms on which a line is compiled, in at least one kind of build."""
        return compiled_on(self.conditions[number])

    def is_indexed(self, number, build):
        conditions = self.conditions[number]
        return conditions is not None and all(evaluate(tree, build.fact) for tree in conditions)


@functools.cache
def compiled_on(conditions):
    if not conditions:
        return frozenset(versions.PLATFORMS) if conditions == () else frozenset()
    all_leaves = set().union(*map(leaves, conditions))

    def is_compiled(platform):
        known = {leaf: known_on(platform, leaf) for leaf in all_leaves}
        open_leaves = [leaf for leaf, value in known.items() if value is None]
        for values in itertools.product((False, True), repeat=len(open_leaves)):
            facts = known | dict(zip(open_leaves, values))
            if all(evaluate(tree, facts.__getitem__) for tree in conditions):
                return True
        return False

    return frozenset(filter(is_compiled, versions.PLATFORMS))
