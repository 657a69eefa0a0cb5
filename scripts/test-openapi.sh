#!/usr/bin/env bash
# Tests the server against the document that it serves at /openapi.json: schemathesis sends requests that the document allows
# and requests that it doesn't, and every response must be documented. Runs against a server of any app, and against one of a
# single app that requires a token. Takes about two minutes.
#
#   scripts/test-openapi.sh [--server FILE] [--examples N] [--seed N] [--prepare]
#
#   --server FILE   the appreceipt to test (default: built with `swift build --traits Server` in .build-server)
#   --examples N    requests of each kind to each operation (default: 60)
#   --seed N        the seed, to repeat the same requests
#   --prepare       only installs the tools
#
# schemathesis, openapi-spec-validator, openapi-python-client and openapi-generator are installed into .build-openapi. Needs
# Python 3.10 or newer, and Java for the client of openapi-generator, which is skipped without it.
set -euo pipefail
script=$(realpath "$0")
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"

server_file=
examples=60
seed=$RANDOM
prepare=
while [ $# -gt 0 ]; do
    case "$1" in
    -h | --help) sed -n '2,14s/^# \{0,1\}//p' "$script"; exit 0 ;;
    --server) server_file=$(realpath "${2:?--server needs a file}"); shift 2 ;;
    --examples) examples=${2:?--examples needs a number}; shift 2 ;;
    --seed) seed=${2:?--seed needs a number}; shift 2 ;;
    --prepare) prepare=yes; shift ;;
    *) echo "Unknown option '$1'. See --help." >&2; exit 64 ;;
    esac
done
environment=$root/.build-openapi
if [ ! -x "$environment/bin/schemathesis" ] || [ ! -x "$environment/bin/openapi-generator-cli" ]; then
    # On Debian, venv is a separate package.
    python3 -m venv "$environment" 2>/dev/null || {
        apt-get update -qq && apt-get install -y -qq python3-venv >&2
        python3 -m venv "$environment"
    }
    "$environment/bin/pip" install --quiet --disable-pip-version-check 'schemathesis>=4.32,<5' openapi-spec-validator \
        openapi-python-client ruff openapi-generator-cli pydantic urllib3 python-dateutil >&2
fi
[ -z "$prepare" ] || exit 0
if [ -z "$server_file" ]; then
    swift build --traits Server --product appreceipt --scratch-path .build-server >&2
    server_file="$(swift build --traits Server --scratch-path .build-server --show-bin-path)/appreceipt"
fi

work=$(mktemp -d)
server=
stop() {
    [ -z "$server" ] || kill "$server" 2>/dev/null || true
    rm -rf "$work"
}
trap stop EXIT
printf 'a-token-of-this-test\n' >"$work/token"
passed=0
failed=0
count() {
    if [ "$1" = 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
}

# try NAME [OPTION OF schemathesis …] -- [FLAG OF THE SERVER …]
try() {
    local name=$1 address= result=0
    local options=()
    shift
    while [ "$1" != -- ]; do options+=("$1"); shift; done
    shift
    # The loop below reads it, perhaps before the server has started. The previous server's log has another address.
    : >"$work/log"
    "$server_file" serve --port 0 --root Samples/root.pem "$@" 2>"$work/log" &
    server=$!
    for _ in $(seq 100); do
        address=$(sed -n 's/^Listening on \(.*\)\/$/\1/p' "$work/log")
        [ -z "$address" ] || break
        sleep 0.1
    done
    [ -n "$address" ] || { cat "$work/log" >&2; exit 1; }

    echo "=== $name: the document"
    python3 -c 'import sys, urllib.request; sys.stdout.buffer.write(urllib.request.urlopen(sys.argv[1]).read())' \
        "$address/openapi.json" >"$work/openapi.json"
    "$environment/bin/openapi-spec-validator" "$work/openapi.json" || result=$?
    count $result

    echo "=== $name: a client of openapi-python-client"
    result=0
    (cd "$work" && rm -rf client && PATH=$environment/bin:$PATH openapi-python-client generate --path openapi.json \
        --output-path client --meta none --fail-on-warning && "$environment/bin/python" import_all.py client) || result=$?
    count $result

    echo "=== $name: a client of openapi-generator"
    if command -v java >/dev/null; then
        result=0
        (cd "$work" && "$environment/bin/openapi-generator-cli" generate -g python -i openapi.json -o generated >"$work/generator" &&
            PYTHONPATH=generated "$environment/bin/python" import_all.py openapi_client) || { cat "$work/generator"; result=1; }
        count $result
    else
        echo "SKIPPED: Java isn't installed."
    fi

    echo "=== $name: the server"
    result=0
    (cd "$work" && "$environment/bin/schemathesis" --config-file "$work/schemathesis.toml" run \
        "$address/openapi.json" --phases examples,coverage,fuzzing --checks all --max-examples "$examples" \
        --seed "$seed" --workers 1 --request-timeout 10 --continue-on-failure --suppress-health-check all \
        "${options[@]}") || result=$?
    count $result
    kill -0 "$server" || { echo "The server has ended:" >&2; cat "$work/log" >&2; result=1; count 1; }
    if grep -q 'Internal error' "$work/log"; then grep 'Internal error' "$work/log" >&2; count 1; fi
    kill -TERM "$server"
    wait "$server" || count 1
    server=
}

# Imports every module of a package.
cat >"$work/import_all.py" <<'PYTHON'
import importlib
import pkgutil
import sys

package = importlib.import_module(sys.argv[1])
names = [module.name for module in pkgutil.walk_packages(package.__path__, package.__name__ + ".")]
assert len(names) > 10, names
for name in names:
    importlib.import_module(name)
PYTHON

# Skip invalid cases that are valid once they are sent: a binary body is valid whatever value it was generated from, and an
# empty value isn't part of the query.
cat >"$work/hooks.py" <<'PYTHON'
import os

import schemathesis
from schemathesis.core.parameters import ParameterLocation


# Requests of other services, and what the document describes in part.
OPEN = ("VerifyReceiptRequest", "VerifyReceiptAnswer", "ValidatorRequest", "ValidatorSuccess", "Unverified", "InspectorDocument")


def close(schema):
    """Forbids undocumented members. The document itself allows them, so that later versions can add some."""
    for part in schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else []:
        close(part)
    if isinstance(schema, dict) and isinstance(schema.get("properties"), dict):
        schema.setdefault("additionalProperties", False)


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """What this test expects beyond the document, and what depends on the server: the document is the same for every one."""
    schemas = raw_schema["components"]["schemas"]
    for name, schema in schemas.items():
        if name not in OPEN:
            close(schema)
    for operations in raw_schema["paths"].values():
        for operation in operations.values():
            if "responses" in operation:
                close(operation["responses"])
    schemas["Environment"]["enum"] = ["production", "sandbox"]
    if os.environ.get("SERVED_APP"):
        schemas["BundleIdentifier"] = {"type": "string", "enum": [os.environ["SERVED_APP"]]}
    for parameter in raw_schema["paths"]["/v1/events"]["get"]["parameters"]:
        if parameter.get("name") == "wait":
            parameter["schema"]["maximum"] = 1
        # The database has no events, so it knows no other cursor.
        if parameter.get("name") == "after":
            parameter["schema"] = {"type": "string", "enum": ["0"]}
    # The server has no key, so the answer is 501.
    del raw_schema["paths"]["/v1/orders/{order}"]


@schemathesis.hook
def filter_case(context, case):
    if case.meta is None or not case.meta.generation.mode.is_negative:
        return True
    wrong = {location for location, part in case.meta.components.items() if part.mode.is_negative}
    if case.media_type == "application/octet-stream" and case.body not in ("", b"", None):
        wrong.discard(ParameterLocation.BODY)
    if any(value in (None, [], {}, [None]) for value in (case.query or {}).values()):
        wrong.discard(ParameterLocation.QUERY)
    # A component of a path is a text, whatever value it was generated from.
    wrong.discard(ParameterLocation.PATH)
    return bool(wrong)


@schemathesis.hook
def map_case(context, case):
    # The document can't say that an option in the query and in the body must have the same value.
    is_positive = case.meta is None or not case.meta.generation.mode.is_negative
    if is_positive and isinstance(case.body, dict) and case.query:
        for name in set(case.query) & set(case.body):
            del case.query[name]
    return case
PYTHON
export SCHEMATHESIS_HOOKS=hooks PYTHONPATH=$work

# Expectations that the document can't express.
cat >"$work/schemathesis.toml" <<'TOML'
# Like Apple's endpoint, verifyReceipt returns 200 for every request, with a status in the body.
[[operations]]
include-path-regex = "/verifyReceipt$"
checks.negative_data_rejection.expected-statuses = [200, 400, 405]

# The plugin reads no other status than 200.
[[operations]]
include-path = ["/v1/validator"]
checks.negative_data_rejection.expected-statuses = [200, 400, 405]

# The tests wait less than the server allows.
[[operations]]
include-path = ["/v1/events"]
checks.negative_data_rejection.expected-statuses = [200, 400, 401, 405]

# A schema can't require that a notification is genuine or that a text is base64.
[[operations]]
include-path = ["/v1/notifications", "/v1/inspector/examine"]
checks.positive_data_acceptance.expected-statuses = ["2xx", 400, 404]
TOML
try "any app" --
export SERVED_APP=com.example.garden
try "one app, with a token" --header "Authorization: Bearer a-token-of-this-test" -- \
    --token-file "$work/token" --bundle-id "$SERVED_APP"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
