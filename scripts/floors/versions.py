"""Platforms and versions.

A version is a tuple of numbers. A platform that a declaration doesn't name has no entry, except the two that take theirs from iOS.
"""

PLATFORMS = ("macOS", "iOS", "tvOS", "watchOS", "visionOS", "macCatalyst")

#: The version of what a platform doesn't have.
NEVER = (10_000,)

ALIASES = {"OSX": "macOS", "xrOS": "visionOS"}


def parse(text):
    """Returns the version that "6.2" means."""
    numbers = [int(part) for part in text.split(".")]
    while len(numbers) > 1 and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)


def text(version):
    return "no version" if version == NEVER else ".".join(map(str, version))


def vision_version(ios):
    """Returns the version of visionOS that the compiler assumes for one of iOS. visionOS 1 has the API of iOS 17, and 2 that of 18."""
    if ios == NEVER or ios >= (26,):
        return ios
    return (max(ios[0] - 16, 1), *ios[1:]) if ios >= (18,) else (1,)


def complete(versions):
    """Adds the versions of Mac Catalyst and visionOS, which are those of iOS unless they are named."""
    completed = dict(versions)
    if "iOS" in versions:
        completed.setdefault("macCatalyst", versions["iOS"])
        completed.setdefault("visionOS", vision_version(versions["iOS"]))
    return completed


def latest(first, second):
    """Returns the later version for each platform."""
    return {name: max(first.get(name, ()), second.get(name, ())) for name in {**first, **second}}


def earliest(first, second):
    """Returns the earlier version for each platform. A platform without a version has always been supported."""
    return {name: min(first[name], second[name]) for name in first if name in second}


def listing(versions, platforms):
    """Returns text such as "macOS 13, iOS 16"."""
    return ", ".join(f"{name} {text(versions[name])}" for name in PLATFORMS if name in platforms)
