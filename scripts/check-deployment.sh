#!/usr/bin/env bash
# Checks what is in deploy/ as far as it can be without systemd running and without a container engine: the unit by
# systemd's own tools, the server under the restrictions of the unit, the example configuration by starting it, the
# Dockerfile against the repository.
#
#   scripts/check-deployment.sh [BINARY]
#
#   BINARY   what scripts/build-server.sh built (default: out/appreceipt)
#
# Needs root, Debian's systemd and libseccomp2 (installed if they are missing) and Python 3.
set -euo pipefail
script=$(realpath "$0")
cd "$(dirname "$0")/.."
case "${1:-}" in -h | --help) sed -n '2,10s/^# \{0,1\}//p' "$script"; exit 0 ;; esac
binary=$(realpath "${1:-out/appreceipt}")
[ -x "$binary" ] || { echo "There is no $binary: run scripts/build-server.sh first." >&2; exit 66; }
passed=0
pass() { passed=$((passed + 1)); echo "ok: $1"; }
fail() { echo "FAILED: $1" >&2; echo "$passed passed, 1 failed"; exit 1; }

if ! command -v systemd-analyze >/dev/null || ! ldconfig -p | grep -q 'libseccomp\.so\.2'; then
    apt-get update -qq && apt-get install -y -qq --no-install-recommends systemd libseccomp2 >&2
fi
work=$(mktemp -d)
server=
stop() {
    [ -z "$server" ] || kill "$server" 2>/dev/null || true
    rm -rf "$work"
}
trap stop EXIT
chmod 755 "$work"

# The unit: its words, and how much it leaves open. The command that it names need not be installed here.
mkdir "$work/unit"
sed "s|/usr/local/bin/appreceipt|$binary|g" deploy/appreceipt.service >"$work/unit/appreceipt.service"
systemd-analyze verify "$work/unit/appreceipt.service" >"$work/verify" 2>&1 || { cat "$work/verify" >&2; fail "systemd-analyze verify"; }
[ ! -s "$work/verify" ] || { cat "$work/verify" >&2; fail "systemd-analyze verify has something to say"; }
pass "systemd-analyze verify"
systemd-analyze security --no-pager --offline=true --threshold=15 deploy/appreceipt.service >"$work/security" \
    || { cat "$work/security" >&2; fail "the unit leaves more open than 1.5 of 10"; }
pass "systemd-analyze security: $(sed -n 's/.*exposure level for [^:]*: \([0-9.]*\).*/\1/p' "$work/security") of 10, 10 being all open"

# The example configuration, with the unit's secrets, under the unit's restrictions.
mkdir "$work/state" "$work/etc"
printf '0123456789abcdef0123456789abcdef\n' >"$work/etc/token"
printf 'fedcba9876543210fedcba9876543210\n' >"$work/etc/shared-secret"
chmod 644 "$work"/etc/*
cp "$binary" "$work/appreceipt"
cp Samples/root.pem "$work/etc/"
sed -e "s|/var/lib/appreceipt|$work/state|" deploy/appreceipt.json >"$work/etc/appreceipt.json"
env -i PATH="$PATH" APPRECEIPT_TOKEN_FILE="$work/etc/token" APPRECEIPT_SHARED_SECRET_FILE="$work/etc/shared-secret" \
    python3 scripts/as-service.py deploy/appreceipt.service --state "$work/state" \
    "$work/appreceipt" serve --config "$work/etc/appreceipt.json" --port 0 --bundle-id com.example.garden \
    --root "$work/etc/root.pem" 2>"$work/log" &
server=$!
address=
for _ in $(seq 100); do
    address=$(sed -n 's/^Listening on \(.*\)\/$/\1/p' "$work/log")
    [ -z "$address" ] || break
    kill -0 "$server" 2>/dev/null || break
    sleep 0.1
done
[ -n "$address" ] || { cat "$work/log" >&2; fail "the server does not start under the unit's restrictions"; }
pass "the server starts from deploy/appreceipt.json under the unit's restrictions"
python3 - "$address" "$server" "$work/state" <<'PYTHON' || { cat "$work/log" >&2; fail "the server under the unit's restrictions"; }
import base64, concurrent.futures, json, pathlib, re, sys, urllib.error, urllib.request

address, process, state = sys.argv[1:]


def post(path, value, **headers):
    request = urllib.request.Request(address + path, json.dumps(value).encode(), headers)
    with urllib.request.urlopen(request, timeout=10) as answer:
        return json.load(answer)


receipt = base64.b64encode(pathlib.Path("Samples/production-subscriptions.receipt").read_bytes()).decode()
question = {"receipt-data": receipt, "password": "fedcba9876543210fedcba9876543210"}
with concurrent.futures.ThreadPoolExecutor(16) as pool:
    answers = list(pool.map(lambda _: post("/verifyReceipt", question)["status"], range(200)))
assert answers == [0] * 200, "not every answer is right"
assert post("/verifyReceipt", {**question, "password": "x"})["status"] == 21004, "the shared secret is not asked for"
try:
    post("/v1/receipts/validate", {"receipt": receipt})
    raise SystemExit("The token is not asked for.")
except urllib.error.HTTPError as error:
    assert error.code == 401
report = post("/v1/receipts/validate", {"receipt": receipt}, Authorization="Bearer 0123456789abcdef0123456789abcdef")
assert report["verdict"] == "valid", report["failure"]
with urllib.request.urlopen(address + "/readyz", timeout=10) as answer:
    assert json.load(answer) == {"status": "ready"}
status = pathlib.Path(f"/proc/{process}/status").read_text()
said = dict(re.findall(r"^(\w+):\s+(.*)$", status, re.MULTILINE))
assert said["NoNewPrivs"] == "1" and said["Seccomp"] == "2", "there is no filter"
assert int(said["CapEff"], 16) == int(said["CapBnd"], 16) == 0 and "0" not in said["Uid"].split()
files = {file.name: file.stat().st_mode & 0o777 for file in pathlib.Path(state).iterdir()}
assert files["state.sqlite"] == 0o600 and set(files.values()) == {0o600}, files
PYTHON
pass "it answers, keeps its state, has no privilege, and its filter is on"
kill -TERM "$server"
wait "$server" || { cat "$work/log" >&2; fail "it does not end as it should"; }
server=
pass "it stops with status 0"
if grep -vqE '^(Listening|\{"time")' "$work/log"; then cat "$work/log" >&2; fail "its log is not only JSON"; fi
grep -q '"level":"\(error\|critical\)"' "$work/log" && { cat "$work/log" >&2; fail "it logged errors"; }
pass "its log is JSON and holds no error"

# The Dockerfile: words that engines know, paths that exist and reach the build, programs of stages that exist.
python3 - <<'PYTHON' || fail "the Dockerfile"
import pathlib, re, shlex, sys

lines = pathlib.Path("deploy/Dockerfile").read_text().splitlines()
joined, held = [], ""
for line in lines:
    if not held and (not line.strip() or line.startswith("#")):
        continue
    held += line.rstrip("\\") if line.endswith("\\") else line
    if not line.endswith("\\"):
        joined.append(held)
        held = ""
assert not held, "The last line goes on."
ignored = [line for line in pathlib.Path(".dockerignore").read_text().splitlines() if line and line[0] != "#"]
assert ignored[0] == "*"
sent = [pathlib.Path(line.removeprefix("!")) for line in ignored[1:]]
known = "FROM RUN WORKDIR COPY USER VOLUME ENV EXPOSE STOPSIGNAL ENTRYPOINT CMD".split()
stages, user, entry = [], None, None
for line in joined:
    word, rest = line.split(None, 1)
    assert word in known, f"Unknown: {word}"
    if word == "FROM":
        found = re.fullmatch(r"(\S+:\S+)(?: AS (\w+))?", rest)
        assert found, f"An image without a tag: {rest}"
        stages.append(found.group(2))
        user = None
    elif word == "COPY":
        parts = shlex.split(rest)
        if parts[0].startswith("--from="):
            assert parts[0].removeprefix("--from=") in stages[:-1], line
            continue
        for path in map(pathlib.Path, parts[:-1]):
            assert path.exists(), f"There is no {path}."
            assert any(path == one or one in path.parents for one in sent), f".dockerignore keeps {path} out."
    elif word == "USER":
        user = rest
    elif word == "ENTRYPOINT":
        entry = rest
assert user and re.fullmatch(r"[1-9]\d*:[1-9]\d*", user), "It must not run as root."
assert entry == '["/usr/local/bin/appreceipt"]', "A shell would keep signals from the server."
settings = re.findall(r"APPRECEIPT_(\w+)=", "\n".join(line for line in joined if line.startswith("ENV")))
source = pathlib.Path("Sources/appreceipt/Serve/Settings.swift").read_text()
for name in settings:
    assert f'"{name.lower().replace("_", "-")}"' in source, f"There is no setting {name}."
manifest = pathlib.Path("Package.swift").read_text()
for path in re.findall(r'path: "([^"]+)"', manifest):
    assert any(one in (pathlib.Path(path), *pathlib.Path(path).parents) for one in sent), path
PYTHON
pass "the Dockerfile: instructions, stages, paths and settings (not built: there is no engine here)"
echo "$passed passed, 0 failed"
