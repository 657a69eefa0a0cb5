"""Finds out what a place in a source file says about its systems: @available, #available and #unavailable.

The compiler's parser reads the file, so macros of availability are expanded and strings and comments don't matter. Its JSON has
byte offsets. The end of a range is the start of its last token.
"""
import dataclasses
import json
import re
import subprocess
import tempfile

from . import versions


class ScopeError(Exception):
    """The compiler can't parse a file."""


@dataclasses.dataclass(frozen=True)
class Scope:
    """A range of bytes in which a platform has at least a version. A platform that is unavailable there has the version NEVER."""

    start: int
    end: int
    versions: dict


#: The compiler's JSON (Swift 6.3) isn't closed after a type with such an attribute. They don't matter for availability.
TYPE_ATTRIBUTE = re.compile(
    rb"@(?:Sendable|escaping|autoclosure|MainActor|concurrent|unchecked|convention\(\w+\)|isolated\(any\))")


def scopes(path, source, features):
    """Parses a file with the experimental features of its target, and returns its scopes.

    `source` is the file's text as bytes, without `#if`: the parser would skip both branches.
    """
    with tempfile.NamedTemporaryFile(suffix=".swift") as file:
        file.write(TYPE_ATTRIBUTE.sub(lambda match: b" " * len(match[0]), source))
        file.flush()
        command = ["swift-frontend", "-frontend", "-dump-parse", "-dump-ast-format", "json", file.name]
        for feature in features:
            command += ["-enable-experimental-feature", feature]
        result = subprocess.run(command, capture_output=True, check=False)
    try:
        tree = json.loads(result.stdout)
    except json.JSONDecodeError as error:
        reason = result.stderr.decode()[:400] or f"the compiler's JSON is invalid ({error})"
        raise ScopeError(f"{path} can't be parsed: {reason}") from error
    finder = ScopeFinder(source)
    finder.visit(tree, None)
    return finder.scopes()


def attribute_versions(attributes):
    """Returns the versions that the @available attributes of a declaration require."""
    required = {}
    for attribute in attributes:
        domain = attribute.get("domainIdentifier", "*")
        domain = versions.ALIASES.get(domain, domain)
        if attribute.get("unavailable"):
            for name in versions.PLATFORMS if domain == "*" else [domain]:
                required[name] = versions.NEVER
        elif "introduced" in attribute:
            required[domain] = versions.parse(attribute["introduced"])
    return versions.complete(required)


def query_versions(condition):
    """Returns the versions in #available(…) or #unavailable(…), and whether it is the latter."""
    queries = {versions.ALIASES.get(query["domain"], query["domain"]): query.get("version") for query in condition["queries"]}
    # Only #available has, and needs, an asterisk.
    is_negated = "*" not in queries
    named = {name: versions.parse(version) for name, version in queries.items() if version}
    return versions.complete(named), is_negated


class ScopeFinder:
    def __init__(self, source):
        self.source = source
        self.found = []
        self.declared = []

    def scopes(self):
        return self.found + [Scope(*declared) for declared in self.declared]

    def visit(self, node, block_end):
        """Visits a node. `block_end` is the end of the braces around it."""
        if isinstance(node, list):
            # The attributes of `@available(…) let x = …` are on `x` alone, but apply to the whole declaration beside it.
            whole = [element["range"] for element in node if isinstance(element, dict)
                     and element.get("_kind") in ("pattern_binding_decl", "enum_case_decl", "top_level_code_decl")]
            for element in node:
                is_bound = isinstance(element, dict) and element.get("_kind") in ("var_decl", "enum_element_decl")
                if is_bound and "range" in element:
                    start = element["range"]["start"]
                    ends = [other["end"] for other in whole if other["start"] <= start <= other["end"]]
                    element["range"]["end"] = max([element["range"]["end"], *ends])
                self.visit(element, block_end)
        if not isinstance(node, dict):
            return
        kind = node.get("_kind")
        attributes = node.get("attrs")
        if isinstance(attributes, list):
            self.visit_attributes(node, attributes)
        if kind in ("if_stmt", "guard_stmt", "while_stmt"):
            self.visit_conditions(node, block_end)
        if kind == "brace_stmt":
            block_end = node["range"]["end"]
        for key, value in node.items():
            if key != "attrs":
                self.visit(value, block_end)

    def visit_attributes(self, node, attributes):
        required = attribute_versions(a for a in attributes if a["_kind"] == "available_attr")
        if required:
            starts = [attribute["range"]["start"] for attribute in attributes if "range" in attribute]
            self.declared.append((min(starts), node["range"]["end"], required))

    def visit_conditions(self, node, block_end):
        start, end = node["range"]["start"], node["range"]["end"]
        body = (node.get("then_stmt") or node["body"])["range"]
        for condition in node["conditions"]:
            if condition["_kind"] != "#available":
                continue
            required, is_negated = query_versions(condition)
            # If another condition fails, the branch for failures says nothing about the version.
            if is_negated and len(node["conditions"]) > 1:
                continue
            if node["_kind"] == "guard_stmt":
                scope = (body["start"], body["end"]) if is_negated else (end + 1, block_end or len(self.source))
            elif not is_negated:
                # The conditions after #available already depend on it.
                scope = (self.source.index(b"#available", start), body["end"])
            elif "else_stmt" in node:
                scope = (body["end"] + 1, end)
            else:
                continue
            self.found.append(Scope(*scope, required))
