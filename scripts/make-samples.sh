#!/usr/bin/env bash
# Makes the receipts in Samples/. The bytes are the same every time. With --check, nothing is written, and a difference is an
# error.
set -euo pipefail
cd "$(dirname "$0")/.."

target=Samples
if [ "${1:-}" = "--check" ]; then
    target=$(mktemp -d)
    trap 'rm -rf "$target"' EXIT
fi

# Builds the program, unless APPRECEIPT_PROGRAM names one.
appreceipt=${APPRECEIPT_PROGRAM:-}
if [ -z "$appreceipt" ]; then
    swift build --product appreceipt
    appreceipt="$(swift build --show-bin-path)/appreceipt"
fi
make() { "$appreceipt" make --out "$target" "$@" >/dev/null 2>&1; }

make --name production-subscriptions.receipt --bundle-id com.example.garden --app-version 412 \
    --original-app-version 268 --environment production --purchase com.example.garden.lifetime-tools \
    --consumable com.example.garden.seeds100 --subscription com.example.garden.plus.monthly:6:trial \
    --subscription com.example.garden.weather:2
make --name mac-device.receipt --bundle-id com.example.garden.mac --app-version 4.1.2 --original-app-version 3.0 \
    --environment production --platform macos --device-id 02:00:00:00:00:01 --purchase com.example.garden.mac.pro
make --name volume-purchase.receipt --bundle-id com.example.garden --app-version 412 --environment production \
    --volume-purchase --expires 2099-12-31T00:00:00Z
make --name xcode.receipt --bundle-id com.example.garden --environment xcode --purchase com.example.garden.plus.monthly
make --name forged.receipt --bundle-id com.example.garden --app-version 412 --environment production \
    --purchase com.example.garden.lifetime-tools --forge impostor

if [ "$target" != Samples ]; then
    for file in "$target"/*; do
        cmp "$file" "Samples/$(basename "$file")"
    done
    echo "The samples are up to date."
fi
