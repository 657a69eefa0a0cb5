#!/usr/bin/env bash
# A package that uses the libraries must fetch swift-crypto, swift-certificates, swift-asn1 and swift-argument-parser,
# and nothing else. Resolves such a package and looks at what it pinned.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
consumer=$(mktemp -d)
trap 'rm -rf "$consumer"' EXIT

mkdir -p "$consumer/Sources/Consumer"
cat >"$consumer/Package.swift" <<MANIFEST
// swift-tools-version: 6.2
import PackageDescription
let package = Package(
    name: "Consumer",
    platforms: [.macOS(.v11)],
    dependencies: [.package(name: "AppReceiptKit", path: "$root")],
    targets: [
        .target(name: "Consumer", dependencies: [.product(name: "AppReceiptKit", package: "AppReceiptKit")])
    ]
)
MANIFEST
echo 'import AppReceiptKit' >"$consumer/Sources/Consumer/Consumer.swift"

swift package --package-path "$consumer" resolve >/dev/null
found=$(python3 -c '
import json, sys
print(" ".join(sorted(pin["identity"] for pin in json.load(open(sys.argv[1]))["pins"])))
' "$consumer/Package.resolved")
expected="swift-argument-parser swift-asn1 swift-certificates swift-crypto"
if [ "$found" != "$expected" ]; then
    echo "A consumer fetches: $found" >&2
    echo "It should fetch:    $expected" >&2
    exit 1
fi
echo "A consumer fetches $found and nothing else."
