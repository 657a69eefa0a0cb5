"""Settings from flags, the environment and a file. A wrong setting ends the server with a status and one line of text."""

import json
import os
import pathlib
import shutil
import sqlite3
import subprocess
import tempfile

import pytest

from running import SAMPLES, clean_environment


def failure(command, *flags, environment=None):
    """The exit status and the message, which must be one line. A second one may name the section of the documentation."""
    done = command.run("serve", "--port", 0, *flags, environment=environment)
    assert done.stdout == ""
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1 or len(lines) == 2 and lines[1].startswith("appreceipt: See docs/errors.md#"), done.stderr
    return done.returncode, lines[0]


def fails_without_change(command, file, reason):
    """A file that isn't a database of this program is reported and not changed."""
    before = file.read_bytes()
    for flags in (["--check"], []):
        status, message = failure(command, *flags, "--database", file)
        assert status == 66
        assert reason in message
        assert file.read_bytes() == before


def test_the_check_opens_the_database_also_of_a_running_server_and_changes_nothing(command, serve, tmp_path):
    file = tmp_path / "state.sqlite"
    assert command.run("serve", "--check", "--database", file).returncode == 0
    assert list(tmp_path.iterdir()) == []
    server = serve("--database", file)
    assert command.run("serve", "--check", "--database", file).returncode == 0
    assert server.get("/readyz").status == 200
    server.terminate()
    assert server.wait() == 0
    files = set(tmp_path.iterdir())
    assert command.run("serve", "--check", "--database", file).returncode == 0
    assert set(tmp_path.iterdir()) == files


def test_a_short_token_has_a_warning_that_does_not_contain_it(command, serve, tmp_path):
    warning = 'The token "token" has fewer than 20 characters'
    token = tmp_path / "token"
    token.touch(0o600)
    token.write_text("swordfish\n")
    done = command.run("serve", "--check", "--token-file", token)
    assert done.returncode == 0 and warning in done.stderr and "swordfish" not in done.stderr
    server = serve("--token-file", token)
    assert warning in server.errors and "swordfish" not in server.errors
    token.write_text("f" * 20)
    assert "fewer than 20" not in command.run("serve", "--check", "--token-file", token).stderr


# Unavailable resources: 73


def test_a_port_that_is_in_use_ends_with_73(command, serve):
    server = serve()
    done = command.run("serve", "--port", server.port)
    assert done.returncode == 73
    message = done.stderr.strip().splitlines()[-1]
    assert f"can't listen on 127.0.0.1, port {server.port}" in message
    assert "in use" in message and "--port" in message
    assert server.get("/healthz").status == 200


def test_an_address_of_another_machine_ends_with_73(command):
    done = command.run("serve", "--host", "192.0.2.1", "--port", 0)
    assert done.returncode == 73
    assert "can't listen on 192.0.2.1" in done.stderr.strip().splitlines()[-1]


def test_a_host_that_does_not_exist_ends_with_73(command):
    done = command.run("serve", "--host", "nowhere.invalid", "--port", 0)
    assert done.returncode == 73, done.stderr
    assert "can't listen on nowhere.invalid" in done.stderr.strip().splitlines()[-1]


def test_a_database_in_a_missing_folder_ends_with_73(command, tmp_path):
    status, message = failure(command, "--database", tmp_path / "none" / "state.sqlite")
    assert status == 73
    assert f"The folder {tmp_path / 'none'}/ doesn't exist." in message


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount")
def test_a_read_only_file_system_is_named_instead_of_an_owner(command, serve, tmp_path):
    server = serve("--database", tmp_path / "state.sqlite")
    server.terminate()
    assert server.wait() == 0
    for arguments in (["serve", "--port", "0", "--database"], ["serve", "--check", "--database"], ["state", "webhooks", "replay", "all", "--database"]):
        done = subprocess.run(
            ["unshare", "-m", "sh", "-c", 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"']
            + [str(tmp_path), command.path, *arguments, str(tmp_path / "state.sqlite")],
            capture_output=True, text=True, timeout=30,
        )
        assert done.returncode == 73, (arguments, done.stderr)
        assert "Read-only file system" in done.stderr and "belongs to" not in done.stderr


def test_a_file_that_is_not_a_database_is_not_changed(command, tmp_path):
    file = tmp_path / "state.sqlite"
    file.write_text("This is a letter. " * 100)
    fails_without_change(command, file, "isn't an SQLite database")


def test_a_database_of_another_program_is_not_changed(command, tmp_path):
    file = tmp_path / "other.sqlite"
    with sqlite3.connect(file) as other:
        other.execute("CREATE TABLE notes (text TEXT)")
    other.close()
    fails_without_change(command, file, "another program")


def test_a_database_of_a_newer_version_is_not_changed(command, serve, tmp_path):
    file = tmp_path / "state.sqlite"
    server = serve("--database", file)
    server.terminate()
    assert server.wait() == 0
    with sqlite3.connect(file) as database:
        database.execute("INSERT INTO grdb_migrations VALUES ('from-tomorrow')")
    database.close()
    fails_without_change(command, file, "newer version")


def test_a_folder_in_place_of_a_database_ends_with_66(command, tmp_path):
    status, message = failure(command, "--database", tmp_path)
    assert status == 66
    assert "It is a folder. Name a file in it." in message


def test_a_database_in_memory_is_a_wrong_setting(command):
    status, message = failure(command, "--database", ":memory:")
    assert status == 64 and "Leave it out" in message


def test_a_missing_file_ends_with_66(command, tmp_path):
    for flag in ("--config", "--token-file", "--shared-secret-file", "--root"):
        status, message = failure(command, flag, tmp_path / "none")
        assert status == 66, flag
        assert str(tmp_path / "none") in message


def test_a_missing_file_is_named_with_its_setting(command, tmp_path):
    (tmp_path / "settings.json").write_text(json.dumps({"apps": [{"bundle-id": "a.b", "shared-secret-file": "/none"}]}))
    status, message = failure(command, "--config", tmp_path / "settings.json")
    assert status == 66 and "apps[0].shared-secret-file: /none: " in message


# Wrong settings: 64, with their source


def test_bundle_identifiers_are_ascii_and_distinct(command, tmp_path):
    def check(*apps):
        (tmp_path / "settings.json").write_text(json.dumps({"apps": [{"bundle-id": app} for app in apps]}))
        return failure(command, "--config", tmp_path / "settings.json")

    # Two forms of one text would be two apps to a receipt, and one to a database.
    status, message = check("com.example.app", "com.example.cafe\u0301")
    assert status == 64 and "apps[1].bundle-id: Expected a bundle identifier, in ASCII." in message
    status, message = check("com.example.app", "com.example.app")
    assert status == 64 and "apps[1].bundle-id: Another object of 'apps' has the same app." in message


@pytest.mark.parametrize(
    "settings, hint",
    [
        ({"tokens": [{"name": "a", "role": "admin", "token": "x"}]}, "Did you mean 'token-file'?"),
        ({"webhooks": []}, "belongs in an object of 'apps'"),
    ],
)
def test_a_misplaced_setting_has_a_hint(command, tmp_path, settings, hint):
    (tmp_path / "settings.json").write_text(json.dumps(settings))
    status, message = failure(command, "--config", tmp_path / "settings.json")
    assert status == 64 and hint in message


@pytest.mark.parametrize(
    "name, value",
    [
        ("max-body", "12"),
        ("max-requests", "many"),
        ("body-timeout", "0"),
        ("environment", "moon"),
        ("app-apple-id", "x"),
        ("log-level", "loud"),
        ("log-format", "xml"),
        ("allow-webhook-host", "[::1]"),
        ("allow-webhook-host", "localhost:8080"),
    ],
)
def test_a_wrong_setting_is_reported_with_its_source(command, tmp_path, name, value):
    variable = "APPRECEIPT_" + name.upper().replace("-", "_")
    file = tmp_path / "settings.json"
    file.write_text(json.dumps({name: value}))
    status, message = failure(command, "--" + name, value)
    assert status == 64 and f"--{name}: " in message
    status, message = failure(command, environment={variable: value})
    assert status == 64 and f"{variable}: " in message
    status, message = failure(command, "--config", file)
    assert status == 64 and f"{file}: {name}: " in message


@pytest.mark.parametrize(
    "name",
    [
        "token", "token-file", "shared-secret", "shared-secret-file", "bundle-id", "environment", "app-apple-id",
        "database",
    ],
)  # fmt: skip
def test_settings_that_restrict_access_must_not_be_empty(command, tmp_path, name):
    variable = "APPRECEIPT_" + name.upper().replace("-", "_")
    file = tmp_path / "settings.json"
    for empty in ("", [], None):
        file.write_text(json.dumps({name: empty}))
        status, message = failure(command, "--config", file)
        assert status == 64 and str(file) in message and name in message
    file.write_text(json.dumps({name: "something"}))
    status, message = failure(command, "--config", file, environment={variable: ""})
    assert status == 64 and variable in message
    if name in ("bundle-id", "environment"):
        status, message = failure(command, environment={variable: "  "})
        assert status == 64 and variable in message


def test_a_wrong_port_is_reported_with_its_source(command, tmp_path):
    file = tmp_path / "settings.json"
    file.write_text('{"port": 70000}')
    done = command.run("serve", "--port", "70000")
    assert done.returncode == 64 and "--port: " in done.stderr
    done = command.run("serve", environment={"APPRECEIPT_PORT": "70000"})
    assert done.returncode == 64 and "APPRECEIPT_PORT: " in done.stderr
    done = command.run("serve", environment={"APPRECEIPT_CONFIG": str(file)})
    assert done.returncode == 64 and f"{file}: port: " in done.stderr


@pytest.mark.parametrize(
    "text, reason",
    [
        ("", "The file is"),
        ("{", "The file is"),
        ("[]", "Expected a JSON object"),
        ('{"prot": 1}', "Unknown setting 'prot'"),
        ('{"port": {}}', "'port'"),
        ('{"host": ["a", "b"]}', "'host'"),
        ('{"port": 1, "port": 2}', "The file is"),
    ],
)
def test_a_malformed_file_is_reported(command, tmp_path, text, reason):
    file = tmp_path / "settings.json"
    file.write_text(text)
    status, message = failure(command, "--config", file)
    assert status == 64
    assert str(file) in message and reason in message


def test_secrets_are_not_taken_from_flags_and_not_shown(command, tmp_path):
    assert command.run("serve", "--token", "hush").returncode == 64
    empty = tmp_path / "empty"
    empty.write_text("\n")
    status, message = failure(command, "--token-file", empty)
    assert status == 64 and "--token-file: " in message
    for data in (b"\xff\xfe\n", b"one\nother\n"):
        empty.write_bytes(data)
        status, message = failure(command, "--token-file", empty)
        assert status == 64 and "one line of UTF-8 text" in message
    for text in (" \n", " hush", "hush\t\n", "\ufeffhush\n"):
        empty.write_text(text)
        status, message = failure(command, "--token-file", empty)
        assert status == 64 and "whitespace" in message and "hush" not in message
    status, message = failure(command, environment={"APPRECEIPT_SHARED_SECRET": " "})
    assert status == 64 and "whitespace" in message
    file = tmp_path / "settings.json"
    for value in (False, 7):
        file.write_text(json.dumps({"token": value}))
        status, message = failure(command, "--config", file)
        assert status == 64 and "'token'" in message
    status, message = failure(command, environment={"APPRECEIPT_ANSWER_BOTH": "hush-hush"})
    assert status == 64 and "APPRECEIPT_ANSWER_BOTH: " in message and "hush-hush" not in message


def test_limits_must_not_contradict_each_other(command):
    status, message = failure(command, "--max-body", 4096, "--max-bodies", 2048)
    assert status == 64 and "--max-bodies: " in message
    # Less than the default of --max-body.
    status, message = failure(command, "--max-bodies", 2048)
    assert status == 64


# Precedence


def served_bundles(server, token="none"):
    """The apps that the server names when it rejects another one."""
    answer = server.post(
        "/v1/receipts/validate?bundle-id=com.example.none", {"receipt": "AAAA"}, Authorization=f"Bearer {token}"
    )
    return answer.json["error"]["message"].split("It serves ")[1].rstrip(".").split(", ")


def test_flags_take_precedence_over_the_environment_and_the_environment_over_the_file(serve, tmp_path):
    file = tmp_path / "settings.json"
    file.write_text('{"bundle-id": ["com.example.file"], "no-inspector": true, "token": "from-the-file"}')
    environment = {"APPRECEIPT_CONFIG": str(file)}
    server = serve(environment=environment)
    assert served_bundles(server, "from-the-file") == ["com.example.file"]
    assert server.get("/").status == 404
    environment |= {
        "APPRECEIPT_BUNDLE_ID": "com.example.one com.example.two",
        "APPRECEIPT_TOKEN": "from-the-environment",
    }
    server = serve(environment=environment)
    assert served_bundles(server, "from-the-environment") == ["com.example.one", "com.example.two"]
    assert server.get("/").status == 404
    body = {"receipt": "AAAA"}
    assert server.post("/v1/receipts/inspect", body, Authorization="Bearer from-the-file").status == 401
    assert server.post("/v1/receipts/inspect", body, Authorization="Bearer from-the-environment").status == 200
    server = serve("--bundle-id", "com.example.flag", environment=environment)
    assert served_bundles(server, "from-the-environment") == ["com.example.flag"]


def test_the_configuration_file_of_a_flag_takes_precedence_over_the_environment(serve, tmp_path):
    for name in ("one", "two"):
        (tmp_path / name).write_text(json.dumps({"bundle-id": [f"com.example.{name}"]}))
    server = serve("--config", tmp_path / "two", environment={"APPRECEIPT_CONFIG": str(tmp_path / "one")})
    assert served_bundles(server) == ["com.example.two"]


def test_the_port_can_be_set_in_the_file(serve, tmp_path):
    server = serve()
    port = server.port
    server.terminate()
    assert server.wait() == 0
    file = tmp_path / "settings.json"
    file.write_text(json.dumps({"port": port}))
    assert serve("--config", file, port=None).port == port


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_line_in_the_journal_of_systemd_has_its_level(command, tmp_path, form):
    token = tmp_path / "token"
    token.write_text("short")
    token.chmod(0o600)
    lines = {}
    for is_journal in (True, False):
        reading, writing = os.pipe()
        status = os.fstat(writing)
        stream = f"{status.st_dev}:{status.st_ino}" if is_journal else "1:1"
        process = subprocess.Popen(
            [command.path, "serve", "--port", "0", "--token-file", token, "--log-format", form], stderr=writing,
            env=clean_environment({"JOURNAL_STREAM": stream}))
        os.close(writing)
        with open(reading) as log:
            lines[is_journal] = [line for line, _ in zip(log, range(3)) if "http://" in line or "token" in line]
            process.terminate()
            process.wait(10)
    assert any(line.startswith("<4>") for line in lines[True]), lines
    assert lines[False] and not any(line.startswith("<") for line in lines[False]), lines


def test_a_start_that_fails_is_an_error_in_the_journal_of_systemd(command, tmp_path):
    reading, writing = os.pipe()
    status = os.fstat(writing)
    process = subprocess.Popen(
        [command.path, "serve", "--port", "0", "--database", tmp_path / "none" / "state.sqlite"], stderr=writing,
        env=clean_environment({"JOURNAL_STREAM": f"{status.st_dev}:{status.st_ino}"}))
    os.close(writing)
    with open(reading) as log:
        lines = log.readlines()
    assert process.wait(10) == 73
    assert lines and all(line.startswith("<3>appreceipt: ") for line in lines), lines


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can run a server as another user")
def test_a_database_that_only_may_be_read_works_when_its_permissions_are_right_again(command):
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        database, program = pathlib.Path(folder, "state.sqlite"), pathlib.Path(folder, "program")
        shutil.copy2(command.path, program)
        shutil.chown(folder, "nobody")
        os.chmod(folder, 0o700)

        def status():
            """The exit status of a server that is stopped once it listens."""
            server = subprocess.Popen(
                ["setpriv", "--reuid", "nobody", "--clear-groups", program, "serve", "--port", "0", "--database", database],
                stderr=subprocess.PIPE, text=True, env=clean_environment())  # fmt: skip
            for line in server.stderr:
                if "http://" in line:
                    server.terminate()
            return server.wait(30)

        assert status() == 0
        for path in database.parent.glob("state.sqlite-*"):
            path.unlink()
        database.chmod(0o400)
        assert status() == 73
        database.chmod(0o600)
        assert status() == 0


def test_only_the_owner_can_access_a_database(serve, tmp_path):
    file = tmp_path / "state.sqlite"
    server = serve("--database", file, "--root", SAMPLES / "root.pem")
    for path in tmp_path.iterdir():
        assert path.stat().st_mode & 0o077 == 0, path.name
    assert server.get("/readyz").status == 200
