#!/usr/bin/env bash
# Builds the documentation of the libraries that have a catalog, with warnings as errors. `--out DIR` keeps the archives.
set -euo pipefail
script=$(realpath "$0")
cd "$(dirname "$0")/.."
case "${1:-}" in -h | --help) sed -n '2,2s/^# \{0,1\}//p' "$script"; exit 0 ;; esac
out=$(mktemp -d)
graphs=$(mktemp -d)
trap 'rm -rf "$graphs" "$out"' EXIT
if [ "${1:-}" = --out ]; then
    trap 'rm -rf "$graphs"' EXIT
    rm -rf "$out"
    out=$2
    mkdir -p "$out"
fi
docc=$(command -v docc || xcrun --find docc)
# dump-symbol-graph includes the test targets, so they must be built.
swift build --build-tests --traits Postgres >"$graphs/log" 2>&1 || { cat "$graphs/log" >&2; exit 1; }
swift package --traits Postgres dump-symbol-graph --emit-extension-block-symbols >"$graphs/log" 2>&1 || { cat "$graphs/log" >&2; exit 1; }
made="$(swift build --traits Postgres --show-bin-path)/../symbolgraph"
for module in AppReceiptParsing AppReceiptKit AppReceiptValidator AppStoreSignedData VerifyReceipt AppStoreServerAPI AppReceiptTesting \
    AppStoreServerTesting AppReceiptStore AppReceiptServer; do
    mkdir "$graphs/$module"
    cp "$made/$module.symbols.json" "$graphs/$module/"
    find "$made" -name "$module@*.symbols.json" -exec cp {} "$graphs/$module/" \;
    "$docc" convert "Sources/$module/Documentation.docc" --additional-symbol-graph-dir "$graphs/$module" \
        --output-dir "$out/$module.doccarchive" --fallback-bundle-identifier "$module" --warnings-as-errors
    pages=$(find "$out/$module.doccarchive/data/documentation" -name '*.json' | wc -l)
    echo "$module: $pages pages, no warnings"
done
