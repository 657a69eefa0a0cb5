"""The targets of a package: their files, their settings, and the platform versions of the package."""
import dataclasses
import functools
import json
import os
import pathlib
import subprocess
import tempfile

from . import versions

#: The folder of the repository.
ROOT = pathlib.Path(os.path.realpath(__file__)).parents[2]

NAMES = {"macos": "macOS", "ios": "iOS", "tvos": "tvOS", "watchos": "watchOS", "visionos": "visionOS",
         "maccatalyst": "macCatalyst"}


class PackageError(Exception):
    """Package.swift can't be read."""


@dataclasses.dataclass(frozen=True)
class Target:
    """A target of the package."""

    name: str
    folder: pathlib.Path
    is_test: bool
    features: tuple
    floors: dict

    def files(self):
        return [pathlib.Path(os.path.realpath(path)) for path in sorted(self.folder.rglob("*.swift"))]


@dataclasses.dataclass(frozen=True)
class Package:
    """A package with its floors: the oldest version of each platform that it supports."""

    folder: pathlib.Path
    floors: dict
    targets: list


def load(folder):
    """Reads Package.swift with SwiftPM, in a scratch folder: a build in progress would block it."""
    manifest = dump(folder)
    floors = platforms(manifest, folder)
    return Package(folder, floors, [found for entry in manifest["targets"] if (found := target(entry, folder, floors))])


@functools.cache
def dump(folder):
    """Returns Package.swift as SwiftPM reads it."""
    with tempfile.TemporaryDirectory() as scratch:
        command = ["swift", "package", "--package-path", str(folder), "--scratch-path", scratch, "dump-package"]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode:
        raise PackageError(f"{folder}/Package.swift can't be read: {result.stderr[:400]}")
    return json.loads(result.stdout)


def platforms(manifest, folder):
    """Returns the oldest versions in a manifest, which must name every platform."""
    floors = named_platforms(manifest)
    missing = [name for name in versions.PLATFORMS if name not in floors]
    if missing:
        raise PackageError(f"{folder}/Package.swift doesn't name the versions of {', '.join(missing)}.")
    return floors


def named_platforms(manifest):
    return versions.complete({
        NAMES[entry["platformName"]]: versions.parse(entry["version"]) for entry in manifest["platforms"]})


def target(entry, folder, floors):
    default = f"{'Tests' if entry['type'] == 'test' else 'Sources'}/{entry['name']}"
    # Tests/Platforms has links to the sources, and stand-ins for frameworks.
    source = pathlib.Path(os.path.realpath(folder / (entry.get("path") or default)))
    is_in_repository = source.is_relative_to(ROOT) and folder.is_relative_to(ROOT)
    parts = source.relative_to(ROOT).parts if is_in_repository else (entry["type"],)
    is_test = entry["type"] == "test" or parts[0] == "Tests"
    if parts[:2] == ("Tests", "Platforms"):
        # The stand-ins and their tests are never compiled for Apple's systems.
        return None
    owner = next(parent for parent in source.parents if (parent / "Package.swift").exists())
    if owner not in (folder, ROOT):
        # The app isn't for the systems that its package doesn't name.
        floors = dict.fromkeys(versions.PLATFORMS, versions.NEVER) | named_platforms(dump(owner))
    elif parts[0] == "Examples":
        # The versions of an app are in its Xcode project.
        return None
    kinds = [setting["kind"] for setting in entry["settings"]]
    features = tuple(kind["enableExperimentalFeature"]["_0"] for kind in kinds if "enableExperimentalFeature" in kind)
    return Target(entry["name"], source, is_test, features, floors)
