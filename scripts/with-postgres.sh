#!/usr/bin/env bash
# Runs a command with a private PostgreSQL server, which is removed afterward:
#
#   scripts/with-postgres.sh swift test --traits Postgres --filter AppReceiptStoreTests
#
# The command gets in its environment
#
#   POSTGRES_TEST_ADDRESS   the address of an empty database, whose user may do everything
#   POSTGRES_TEST_CONTROL   a program that controls the server as pg_ctl does: `stop -m immediate`, `start`, `restart`
#   POSTGRES_TEST_BIN       the folder of PostgreSQL's programs
#   POSTGRES_TEST_PORT      the port on 127.0.0.1, where the user's password, `test-password`, is required
#   POSTGRES_TEST_CERTIFICATE   the certificate of this address, which signs itself
#
# Needs PostgreSQL 14 or newer, on Debian: apt-get install postgresql. Root runs the server as the user `postgres`.
set -euo pipefail

programs=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1)
[ -n "$programs" ] || programs=$(dirname "$(command -v initdb)") ||
    { echo "PostgreSQL isn't installed: apt-get install postgresql" >&2; exit 69; }
as_user=()
[ "$(id -u)" != 0 ] || as_user=(setpriv --reuid postgres --regid postgres --clear-groups)

folder=$(mktemp -d "${TMPDIR:-/tmp}/postgres.XXXXXX")
[ "$(id -u)" != 0 ] || chown postgres: "$folder"
# A user that isn't root must be able to enter the folder, and others not to see it.
cd "$folder"
control=$folder/control
finish() {
    "$control" stop -m immediate >/dev/null 2>&1 || true
    rm -rf "$folder"
}
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
echo test-password >"$folder/password"
[ "$(id -u)" != 0 ] || chown postgres: "$folder/password"
"${as_user[@]}" "$programs/initdb" --pgdata "$folder/data" --username appreceipt --pwfile "$folder/password" \
    --auth-local trust --auth-host scram-sha-256 --encoding UTF8 --locale C >"$folder/initdb" 2>&1 ||
    { cat "$folder/initdb" >&2; exit 1; }
openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=database -addext subjectAltName=IP:127.0.0.1 -days 2 \
    -keyout "$folder/data/server.key" -out "$folder/data/server.crt" 2>"$folder/openssl" || { cat "$folder/openssl" >&2; exit 1; }
cp "$folder/data/server.crt" "$folder/certificate.pem"
chmod 600 "$folder/data/server.key"
[ "$(id -u)" != 0 ] || chown postgres: "$folder"/data/server.*
# What is committed is on the disk, as in production. The log is short, because it isn't replicated.
cat >>"$folder/data/postgresql.conf" <<END
listen_addresses = '127.0.0.1'
port = $port
unix_socket_directories = '$folder'
ssl = on
max_connections = 500
shared_buffers = 128MB
wal_level = minimal
max_wal_senders = 0
END
cat >"$control" <<END
#!/bin/sh
cd "$folder" && exec ${as_user[*]} "$programs/pg_ctl" --pgdata "$folder/data" --log "$folder/log" --wait --silent "\$@"
END
chmod +x "$control"
trap finish EXIT
"$control" start || { cat "$folder/log" >&2; exit 1; }
cd - >/dev/null
export POSTGRES_TEST_ADDRESS="postgres://appreceipt@/postgres?host=$folder&port=$port"
export POSTGRES_TEST_CONTROL=$control POSTGRES_TEST_BIN=$programs POSTGRES_TEST_PORT=$port
export POSTGRES_TEST_CERTIFICATE=$folder/certificate.pem
"$@"
