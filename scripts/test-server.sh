#!/usr/bin/env bash
# Tests the built server over HTTP and with signals, for behavior that can't be tested inside one process: kills while clients
# write, stopping, settings, clients written for Apple's endpoint, slow clients and overload. Takes about a minute.
#
#   scripts/test-server.sh [--server FILE] [--prepare] [PYTEST OPTION …]
#
#   --server FILE   the appreceipt to test (default: built with `swift build --traits Server` in .build-server)
#   --prepare       only installs what the tests need
#
#   scripts/test-server.sh -k durability -s    runs only these tests and shows their output
#
# Needs Python 3.10 or newer. Installs what is missing: pytest and DuckDB into .build-pytest, jq and curl with apt-get.
# Without DuckDB, jq or curl, the tests of the warehouse are skipped.
set -euo pipefail
script=$(realpath "$0")
root=$(cd "$(dirname "$0")/.." && pwd)

server_file=
prepare=
options=()
while [ $# -gt 0 ]; do
    case "$1" in
    -h | --help) sed -n '2,13s/^# \{0,1\}//p' "$script"; exit 0 ;;
    --server) server_file=$(realpath "${2:?--server needs a file}"); shift 2 ;;
    --prepare) prepare=yes; shift ;;
    *) options+=("$1"); shift ;;
    esac
done

python=python3
if ! "$python" -c 'import pytest, duckdb_cli' 2>/dev/null; then
    environment=$root/.build-pytest
    python=$environment/bin/python
    if ! "$python" -c 'import pytest' 2>/dev/null; then
        # On Debian, venv is a separate package.
        python3 -m venv "$environment" 2>/dev/null || {
            apt-get update -qq && apt-get install -y -qq python3-venv >&2
            python3 -m venv "$environment"
        }
        "$python" -m pip install --quiet --disable-pip-version-check pytest >&2
    fi
    "$python" -c 'import duckdb_cli' 2>/dev/null ||
        "$python" -m pip install --quiet --disable-pip-version-check 'duckdb-cli>=1.5' >&2 || true
fi
for tool in jq curl; do
    command -v "$tool" >/dev/null || ! command -v apt-get >/dev/null ||
        { apt-get update -qq && apt-get install -y -qq "$tool" >&2; } || true
done
[ -z "$prepare" ] || exit 0
if [ -z "$server_file" ]; then
    cd "$root"
    swift build --traits Server --product appreceipt --scratch-path .build-server >&2
    server_file="$(swift build --traits Server --scratch-path .build-server --show-bin-path)/appreceipt"
fi
export APPRECEIPT=$server_file PYTHONDONTWRITEBYTECODE=1
exec "$python" -m pytest -q -r s -p no:cacheprovider --rootdir "$root/Tests/Server" "$root/Tests/Server" "${options[@]}"
