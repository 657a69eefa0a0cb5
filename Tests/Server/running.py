"""The command and its servers, used as by another program: flags, HTTP, signals, exit status."""

import http.client
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "Samples"
TIMEOUT = 15
# A debug build takes long to make a large receipt.
COMMAND_TIMEOUT = 60


def becomes(condition, within, message):
    """Waits until a condition is met, and fails with a message if it isn't in time."""
    deadline = time.monotonic() + within
    while not condition():
        assert time.monotonic() < deadline, message()
        time.sleep(0.1)


class Command:
    """The built `appreceipt`."""

    def __init__(self, path):
        self.path = str(path)

    @classmethod
    def of_environment(cls):
        path = os.environ.get("APPRECEIPT")
        if not path or not os.access(path, os.X_OK):
            raise RuntimeError("Set APPRECEIPT to the built command, or use scripts/test-server.sh.")
        return cls(path)

    def run(self, *arguments, environment=None):
        """Runs the command, which must end within the time limit."""
        return subprocess.run(
            [self.path, *map(str, arguments)],
            env=clean_environment(environment),
            capture_output=True,
            text=True,
            timeout=COMMAND_TIMEOUT,
        )

    def make(self, kind, out, *options):
        """Makes test data. A failure fails the test."""
        made = self.run("make", kind, "--out", out, *options)
        assert made.returncode == 0, made.stderr


def clean_environment(more=None):
    """The environment of this process without settings of the server, and with these variables."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("APPRECEIPT_")}
    return {**kept, **(more or {})}


class Answer:
    """A complete HTTP response."""

    def __init__(self, response):
        self.status = response.status
        self.headers = response.headers
        self.body = response.read()

    @property
    def json(self):
        return json.loads(self.body)


class RunningServer:
    """A server on a free port of loopback that already listens."""

    def __init__(self, command, *flags, port=0, environment=None, listens=True, subcommand=("serve",)):
        self.process = subprocess.Popen(
            [command.path, *subcommand, *([] if port is None else ["--port", str(port)]), *map(str, flags)],
            env=clean_environment(environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.lines = []
        self.port = None
        self._listening = threading.Event()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        if listens:
            assert self._listening.wait(TIMEOUT) and self.port, "The server doesn't listen:\n" + "".join(self.lines)

    def _read(self):
        for line in self.process.stderr:
            self.lines.append(line)
            found = re.match(r"Listening on http://127\.0\.0\.1:(\d+)/", line)
            if found:
                self.port = int(found.group(1))
                self._listening.set()
        self._listening.set()

    # Requests

    def connection(self, timeout=TIMEOUT):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)

    def request(self, method, path, body=None, headers=None, timeout=TIMEOUT):
        connection = self.connection(timeout)
        try:
            connection.request(method, path, body=body, headers=headers or {})
            return Answer(connection.getresponse())
        finally:
            connection.close()

    def get(self, path):
        return self.request("GET", path)

    def post(self, path, value, **headers):
        """Posts JSON; `x_account` becomes `X-Account`."""
        names = {name.replace("_", "-"): text for name, text in headers.items()}
        return self.request("POST", path, json.dumps(value), {"Content-Type": "application/json", **names})

    def socket(self):
        """A plain connection, for malformed or slow requests."""
        return socket.create_connection(("127.0.0.1", self.port), timeout=TIMEOUT)

    def metric(self, name, **labels):
        """A value of /metrics; 0 if it is absent."""
        text = self.get("/metrics").body.decode()
        wanted = ",".join(f'{key}="{value}"' for key, value in sorted(labels.items()))
        series = name + ("{" + wanted + "}" if wanted else "")
        for line in text.splitlines():
            if line.startswith(series + " "):
                return float(line.rsplit(" ", 1)[1])
        return 0.0

    def settles(self, name, value, within=5.0, **labels):
        """Waits until a metric has this value. The resources of a response or connection are released on another thread, so
        the next request may still see them. The connection of the request itself counts too."""
        deadline = time.monotonic() + within
        while (found := self.metric(name, **labels)) != value:
            assert time.monotonic() < deadline, f"{name} is still {found}. Expected {value}."
            time.sleep(0.02)

    @property
    def resident_bytes(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+) kB", status).group(1)) * 1024

    # Termination

    def terminate(self):
        self.process.send_signal(signal.SIGTERM)

    def wait(self, timeout=TIMEOUT):
        """The exit status."""
        status = self.process.wait(timeout)
        self._reader.join(TIMEOUT)
        return status

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(TIMEOUT)
        self._reader.join(TIMEOUT)
        self.process.stderr.close()

    @property
    def errors(self):
        return "".join(self.lines)


def head(method, path, length, **headers):
    """A request's head, as bytes."""
    lines = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1", f"Content-Length: {length}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join(lines + ["", ""]).encode()


def read_answer(connected):
    """Reads a response from a socket."""
    response = http.client.HTTPResponse(connected)
    response.begin()
    return Answer(response)


def ended_within(connected, seconds):
    """Whether the server closes the connection within a time. Data that it sends until then is ignored."""
    deadline = time.monotonic() + seconds
    while (left := deadline - time.monotonic()) > 0:
        connected.settimeout(left)
        try:
            if connected.recv(65536) == b"":
                return True
        except ConnectionResetError:
            return True
        except TimeoutError:
            return False
    return False
