#!/usr/bin/env bash
# Tests the web inspector in a browser.
#
#   scripts/test-browser.sh [--server FILE | --prepare] [PYTEST OPTION …]
#
#   --server FILE   the appreceipt to test (default: built with `swift build --traits Server` in .build-server)
#   --prepare       only installs the browser and the tools
#
# Without options for pytest, two browsers share the tests. The tests that measure time run alone afterwards.
#
# Installs chromium with apt-get if there is no browser, and pytest, pytest-xdist, playwright and axe with pip into
# .build-browser. Builds appreceipt with the trait Server; the tests start it on free ports of loopback. Screenshots are
# in out/browser.
#
#   APPRECEIPT_CHROMIUM   the browser to use (default: an installed chromium or google-chrome)
set -euo pipefail
cd "$(dirname "$0")/.."

if [ "${1:-}" = "--help" ] || [ "${1:-}" = "-h" ]; then
    sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0"
    exit 0
fi

program=
prepare=
if [ "${1:-}" = "--prepare" ]; then prepare=yes; fi
if [ "${1:-}" = "--server" ]; then
    program=$(realpath "${2:?--server needs a file}")
    shift 2
fi

scripts/embed-files.py --check

browser=${APPRECEIPT_CHROMIUM:-$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)}
if [ -z "$browser" ]; then
    echo "Installing chromium."
    apt-get update -qq
    apt-get install -y -qq chromium fonts-dejavu-core >/dev/null
    browser=$(command -v chromium)
fi

tools=.build-browser
if ! "$tools/bin/python" -c 'import pytest, xdist, playwright, axe_playwright_python' 2>/dev/null; then
    echo "Installing pytest, pytest-xdist, playwright and axe."
    python3 -m venv "$tools" 2>/dev/null || { apt-get update -qq && apt-get install -y -qq python3-venv >/dev/null && python3 -m venv "$tools"; }
    "$tools/bin/pip" install -q pytest pytest-xdist playwright axe-playwright-python
fi
[ -z "$prepare" ] || exit 0

if [ -z "$program" ]; then
    swift build --traits Server --scratch-path .build-server --product appreceipt
    program="$(swift build --traits Server --scratch-path .build-server --show-bin-path)/appreceipt"
fi

rm -rf out/browser
export APPRECEIPT="$program" APPRECEIPT_CHROMIUM="$browser" APPRECEIPT_OUT="$PWD/out/browser"
tests=("$tools/bin/python" -m pytest -p no:cacheprovider -q Tests/Browser)
if [ $# -gt 0 ]; then exec "${tests[@]}" "$@"; fi
"${tests[@]}" -m "not alone" -n 2
"${tests[@]}" -m alone
