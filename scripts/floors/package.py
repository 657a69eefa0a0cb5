"""The targets of a package: their files, their settings, and the platform versions of the package."""
import dataclasses
import json
import os
import pathlib
import subprocess
import tempfile

from . import versions

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
    with tempfile.TemporaryDirectory() as scratch:
        command = ["swift", "package", "--package-path", str(folder), "--scratch-path", scratch, "dump-package"]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode:
        raise PackageError(f"Package.swift can't be read: {result.stderr[:400]}")
    manifest = json.loads(result.stdout)
    floors = versions.complete({
        NAMES[entry["platformName"]]: versions.parse(entry["version"]) for entry in manifest["platforms"]})
    missing = [name for name in versions.PLATFORMS if name not in floors]
    if missing:
        raise PackageError(f"Package.swift doesn't name the versions of {', '.join(missing)}.")
    return Package(folder, floors, [target(entry, folder) for entry in manifest["targets"]])


def target(entry, folder):
    default = f"{'Tests' if entry['type'] == 'test' else 'Sources'}/{entry['name']}"
    # Tests/Platforms has links to the sources, and stand-ins for frameworks.
    source = pathlib.Path(os.path.realpath(folder / (entry.get("path") or default)))
    is_test = entry["type"] == "test" or not {"Tests", "Examples"}.isdisjoint(source.parts)
    kinds = [setting["kind"] for setting in entry["settings"]]
    features = tuple(kind["enableExperimentalFeature"]["_0"] for kind in kinds if "enableExperimentalFeature" in kind)
    return Target(entry["name"], source, is_test, features)
