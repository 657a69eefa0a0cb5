"""Language features that need the run-time support of a newer system, but refer to no symbol."""
import re

from . import versions

FEATURES = [
    (re.compile(r"(?<=[<\[(,:])\s*any\s+[\w.]+<[^>\n]*>(?=\s*[>\],?])"), "a constrained existential type as a type argument",
     "macOS 13, iOS 16, tvOS 16, watchOS 9"),
    (re.compile(r"(?:throws\(\w+\)\s*->[^,={\n]*\)\?|<[^<>\n]*throws\(\w+\)\s*->)"),
     "a function type with typed throws as a type argument", "macOS 15, iOS 18, tvOS 18, watchOS 11"),
    (re.compile(r"\b(?:struct|class|enum|actor)\s+\w+\s*<[^>\n]*\beach\s"), "a type with a parameter pack",
     "macOS 14, iOS 17, tvOS 17, watchOS 10"),
    (re.compile(r"[\[(]\s*\w+\s+of\s+\w"), "an inline array", "macOS 26, iOS 26, tvOS 26, watchOS 26"),
    (re.compile(r"\.enumerated\(\)\s*(?:\[|\.(?:count|isEmpty|indices|startIndex|endIndex|randomElement|firstIndex|lastIndex|last"
                r"|first(?!\s*(?:\(|\{)))\b)"),
     "enumerated() as a collection", "macOS 26, iOS 26, tvOS 26, watchOS 26"),
    (re.compile(r"\b(?:is|as[?!])\s+\(?any\s+[\w.]+<"), "a cast to a constrained existential type",
     "macOS 13, iOS 16, tvOS 16, watchOS 9"),
    (re.compile(r"\(any\s+[\w.]+<[^>\n]*>\)\s*(?:\?|!|\.self\b|\.Type\b)"), "a constrained existential type as a type argument",
     "macOS 13, iOS 16, tvOS 16, watchOS 9"),
    (re.compile(r"\[\s*\([^()\n]*\)\s*(?:async\s+)?throws\(\w+\)\s*->"),
     "a function type with typed throws as a type argument", "macOS 15, iOS 18, tvOS 18, watchOS 11"),
    (re.compile(r"\b(?:struct|class|enum|actor)\s+\w+\s*<[^>\n]*\blet\s"), "a type with a value parameter",
     "macOS 26, iOS 26, tvOS 26, watchOS 26"),
    (re.compile(r"\bisolated\s+deinit\b"), "an isolated deinitializer", "macOS 15.4, iOS 18.4, tvOS 18.4, watchOS 11.4, visionOS 2.4"),
    (re.compile(r"#/|(?:[=(,:\[{]|\breturn)[ ]*/(?![/*\s])[^/\n]+/"), "a regular expression literal",
     "macOS 13, iOS 16, tvOS 16, watchOS 9"),
]

#: What isn't code: comments, and string literals with any number of # and either kind of quotes.
HIDDEN = re.compile(
    r'//[^\n]*|/\*.*?\*/|(?P<raw>#*)"""(?:\\.|[^\\])*?"""(?P=raw)|(?P<hash>#+)".*?"(?P=hash)|"(?:\\.|[^"\\\n])*"', re.DOTALL)


def code(source):
    """Returns the source with spaces in place of comments and string literals. Positions stay the same."""
    return HIDDEN.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), source)


def uses(source):
    """Yields (description, versions, offset) for each use of a feature."""
    text = code(source)
    for pattern, description, required in FEATURES:
        needed = versions.complete({name: versions.parse(number) for name, number in
                                    (entry.strip().split(" ") for entry in required.split(","))})
        for match in pattern.finditer(text):
            yield description, needed, match.start() + len(match[0]) - len(match[0].lstrip())
