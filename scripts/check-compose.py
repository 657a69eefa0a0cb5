#!/usr/bin/env python3
"""Checks deploy/compose.yaml, as far as possible without a container engine.

    scripts/with-postgres.sh scripts/check-compose.py --program FILE

    --program FILE   the appreceipt to start, built with the trait Postgres

The file must be valid for docker-compose or docker compose, if one is installed. Each service has only secrets, volumes and networks that
exist, and each file that a setting names is one of its secrets. Then starts two servers with the settings of the file, of which
only paths and the address of the database are replaced, after `serve --check` with them, and runs their health check: with and without
the database. nginx must accept the configuration that its service makes, and answer through TLS from both servers. Needs root, because
nginx' image does; Debian's python3-yaml, nginx and openssl are installed if they are missing. Takes ten seconds.
"""

import argparse
import os
import pathlib
import re
import shutil
import ssl
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "Tests/Server"))
sys.dont_write_bytecode = True
FILE = ROOT / "deploy/compose.yaml"
SOCKET = "postgres://receipts@/receipts?host=/run/postgresql"


def require(condition, message):
    if not condition:
        sys.exit(f"{FILE.name}: {message}")


def run(*arguments, **options):
    return subprocess.run(list(map(str, arguments)), capture_output=True, text=True, **options)


def load():
    try:
        import yaml
    except ImportError:
        install("python3-yaml")
        return yaml_of_system()
    return yaml.safe_load(FILE.read_text())


def yaml_of_system():
    import json

    program = "import json, sys, yaml; json.dump(yaml.safe_load(sys.stdin), sys.stdout)"
    read = run("/usr/bin/python3", "-c", program, input=FILE.read_text())
    require(read.returncode == 0, read.stderr)
    return json.loads(read.stdout)


def install(*packages):
    for arguments in (("update", "-qq"), ("install", "-y", "-qq", "--no-install-recommends", *packages)):
        done = run("apt-get", *arguments, env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"})
        require(done.returncode == 0, done.stderr)


def client():
    """The command of a client that validates the file; None if none is installed."""
    if shutil.which("docker-compose"):
        return ["docker-compose"]
    if shutil.which("docker") and run("docker", "compose", "version").returncode == 0:
        return ["docker", "compose"]
    return None


def check_names(compose):
    """Secrets, volumes, networks and dependencies exist. Settings that end in `_FILE` name secrets of their service."""
    for name, service in compose["services"].items():
        secrets = service.get("secrets", [])
        for secret in secrets:
            require(secret in compose["secrets"], f"{name}: There is no secret {secret}.")
        for variable, value in service.get("environment", {}).items():
            if variable.endswith("_FILE"):
                require(value.removeprefix("/run/secrets/") in secrets, f"{name}: {variable} isn't a secret of it.")
        for volume in service.get("volumes", []):
            source = volume.split(":")[0]
            known = source in compose["volumes"] or source.startswith("./")
            require(known, f"{name}: There is no volume {source}.")
        for network in service.get("networks", []):
            require(network in compose["networks"], f"{name}: There is no network {network}.")
        for other in service.get("depends_on", {}):
            require("healthcheck" in compose["services"][other], f"{name} waits for {other}, which has no health check.")
        require("healthcheck" in service and "restart" in service, f"{name} has no health check or isn't restarted.")
    servers = [service for service in compose["services"].values() if service["image"].startswith("appreceipt")]
    require(len(servers) == 2 and servers[0] == servers[1], "There aren't two equal servers.")
    dockerfile = (ROOT / "deploy/Dockerfile").read_text()
    for argument in servers[0]["build"]["args"]:
        require(len(re.findall(rf"^ARG {argument}=", dockerfile, re.M)) == dockerfile.count("\nFROM "), f"No ARG {argument}.")
    require(servers[0]["environment"]["APPRECEIPT_DATABASE"] == SOCKET, "The database isn't at PostgreSQL's socket.")
    return servers[0]


def settings(server, folder):
    """The settings of the image and of the service, with files and a database of this machine."""
    (line,) = re.findall(r"^ENV ((?:.*\\\n)*.*)$", (ROOT / "deploy/Dockerfile").read_text(), re.M)
    environment = {**dict(pair.split("=", 1) for pair in line.replace("\\\n", " ").split()), **server["environment"]}
    for name in server["secrets"]:
        (folder / name).touch(0o600)
        (folder / name).write_text("test-password" if name == "database-password" else name * 8)
    environment = {name: value.replace("/run/secrets", str(folder)) for name, value in environment.items()}
    return {**environment, "APPRECEIPT_DATABASE": os.environ["POSTGRES_TEST_ADDRESS"], "APPRECEIPT_HOST": "127.0.0.1"}


def is_healthy(server, port):
    kind, *command = server["healthcheck"]["test"]
    require(kind == "CMD", "The health check isn't a command.")
    return run(*(part.replace("$$", "$").replace("/8080", f"/{port}") for part in command), timeout=10).returncode == 0


def check_nginx(service, servers, folder):
    """Starts nginx as the service does, with paths and ports of this machine."""
    from running import becomes

    if not (shutil.which("nginx") and shutil.which("openssl")):
        install("nginx", "openssl")
    made = run("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=receipts.example.com",
               "-keyout", folder / "key", "-out", folder / "certificate")  # fmt: skip
    require(made.returncode == 0, made.stderr)
    shell, options, script = service["command"]
    port = servers[0].port + 1 if servers[0].port < 65_000 else servers[0].port - 1
    # One path each, so that nothing outside of the folder is written.
    script = script.replace("$$", "$").replace("/etc/nginx/conf.d", str(folder)).replace("/etc/appreceipt", str(ROOT / "deploy"))
    require("exec nginx -g 'daemon off;'" in script, "The service doesn't start nginx.")
    made = run(shell, options, script.replace("exec nginx -g 'daemon off;'", ""))
    require(made.returncode == 0, made.stderr)
    text = (folder / "default.conf").read_text()
    for name, server in zip(("one", "two"), servers):
        require(f"server {name}:8080 max_fails=0;" in text, f"nginx doesn't know the server {name}.")
        text = text.replace(f"{name}:8080", f"127.0.0.1:{server.port}")
    require("proxy_next_upstream error non_idempotent;" in text, "nginx doesn't repeat requests.")
    text = text.replace("listen 443 ", f"listen 127.0.0.1:{port} ")
    text = text.replace("/etc/ssl/receipts.example.com.pem", str(folder / "certificate"))
    text = text.replace("/etc/ssl/private/receipts.example.com.key", str(folder / "key"))
    (folder / "default.conf").write_text(text)
    paths = "".join(f"{kind}_temp_path {folder}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    (folder / "nginx.conf").write_text(
        f"daemon off; pid {folder}/pid; error_log {folder}/nginx.log; events {{}}\n"
        f"http {{ access_log off; {paths} include {folder}/default.conf; }}\n"
    )
    tested = run("nginx", "-t", "-q", "-p", folder, "-c", folder / "nginx.conf")
    require(tested.returncode == 0, tested.stderr)
    nginx = subprocess.Popen(["nginx", "-p", str(folder), "-c", str(folder / "nginx.conf")])
    trusted = ssl._create_unverified_context()

    def status(path, body=None):
        try:
            request = urllib.request.Request(f"https://127.0.0.1:{port}{path}", body)
            with urllib.request.urlopen(request, timeout=10, context=trusted) as answer:
                return answer.status
        except urllib.error.HTTPError as error:
            return error.code
        except OSError:
            return None

    try:
        becomes(lambda: status("/"), 10, lambda: (folder / "nginx.log").read_text())
        require(status("/") == 404 and status("/metrics") == 404, "nginx forwards more than it should.")
        for _ in range(4):
            require(status("/verifyReceipt", b"{}") == 200, "nginx doesn't forward verifyReceipt.")
        counts = [server.metric("appreceipt_http_requests_total", route="/verifyReceipt", method="POST", status="200")
                  for server in servers]  # fmt: skip
        require(counts == [2, 2], f"The servers got {counts} requests.")
        servers[0].kill()
        require([status("/verifyReceipt", b"{}") for _ in range(4)] == [200] * 4, "A stopped server loses requests.")
    finally:
        nginx.terminate()
        nginx.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=lambda path: pathlib.Path(path).resolve(), required=True)
    program = parser.parse_args().program
    if "POSTGRES_TEST_ADDRESS" not in os.environ:
        sys.exit("Run it with scripts/with-postgres.sh.")
    from running import Command, RunningServer

    compose = load()
    tool = client()
    if tool:
        validated = run(*tool, "--file", FILE, "config", "--quiet")
        require(validated.returncode == 0, validated.stderr)
    server = check_names(compose)
    command, servers = Command(program), []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        folder.chmod(0o755)
        environment = settings(server, folder)
        checked = command.run("serve", "--check", environment=environment)
        require(checked.returncode == 0 and "Unknown setting" not in checked.stderr, checked.stderr)
        # The log's line with the port is text here.
        environment["APPRECEIPT_LOG_FORMAT"] = "text"
        try:
            servers += [RunningServer(command, environment=environment) for _ in range(2)]
            require(all(is_healthy(server, one.port) for one in servers), "The health check of a healthy server fails.")
            run(os.environ["POSTGRES_TEST_CONTROL"], "stop", "-m", "immediate")
            require(not is_healthy(server, servers[0].port), "The health check succeeds without a database.")
            run(os.environ["POSTGRES_TEST_CONTROL"], "start")
            from running import becomes

            becomes(lambda: is_healthy(server, servers[0].port), 15, lambda: servers[0].errors)
            check_nginx(compose["services"]["nginx"], servers, folder)
            require(not is_healthy(server, servers[0].port), "The health check of a stopped server succeeds.")
        finally:
            for running in servers:
                running.kill()
    print(f"{FILE.name}: valid{' for ' + ' '.join(tool) if tool else ' (no client to validate it)'}, settings, health checks and nginx work.")


main()
