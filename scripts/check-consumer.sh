#!/usr/bin/env bash
# Checks what a package that uses the libraries fetches and links: only swift-crypto, swift-certificates, swift-asn1 and
# swift-argument-parser are fetched, and a program that only parses links neither cryptography nor all of Foundation.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
consumer=$(mktemp -d)
trap 'rm -rf "$consumer"' EXIT

mkdir -p "$consumer/Sources/reader"
cat >"$consumer/Package.swift" <<MANIFEST
// swift-tools-version: 6.2
import PackageDescription
let package = Package(
    name: "Consumer",
    platforms: [.macOS(.v11)],
    dependencies: [.package(name: "AppReceiptKit", path: "$root")],
    targets: [
        .executableTarget(
            name: "reader", dependencies: [.product(name: "AppReceiptParsing", package: "AppReceiptKit")])
    ]
)
MANIFEST
cat >"$consumer/Sources/reader/main.swift" <<'SOURCE'
import AppReceiptParsing
let receipt = try AppReceipt(parsing: ReceiptFile.contents(atPath: CommandLine.arguments[1]))
print(receipt.bundleIdentifier ?? "none", receipt.purchases.count)
SOURCE

swift build --package-path "$consumer" --product reader >"$consumer/log" 2>&1 || { cat "$consumer/log" >&2; exit 1; }
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

reader="$(swift build --package-path "$consumer" --show-bin-path)/reader"
output=$("$reader" "$root/Samples/production-subscriptions.receipt")
if [ "$output" != "com.example.garden 10" ]; then
    echo "Unexpected output of a program that only parses: $output" >&2
    exit 1
fi
case "$(uname)" in
Darwin) libraries=$(otool -L "$reader") ;;
*) libraries=$(ldd "$reader") ;;
esac
symbols=$(nm "$reader" | grep -ciE 'boringssl|CryptoExtras|X509' || true)
if [ "$symbols" != 0 ] || grep -qE 'libFoundation\.so|libcrypto' <<<"$libraries"; then
    echo "A program that only parses links cryptography ($symbols symbols) or all of Foundation:" >&2
    echo "$libraries" >&2
    exit 1
fi
echo "A program that only parses links no cryptography, and only the essentials of Foundation."
