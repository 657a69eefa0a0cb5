#!/usr/bin/env python3
"""Checks deploy/kubernetes, as far as possible without a cluster.

    scripts/with-postgres.sh scripts/check-kubernetes.py --program FILE | --prepare

    --program FILE   the appreceipt to start, built with the trait Postgres
    --prepare        only installs kubernetes-validate, into .build-kubernetes

Each file must be valid for Kubernetes' schemas, without unknown members, and its selectors, ports, volumes, secrets and
image must be those that exist. The secret that its first lines create must have the keys that it mounts. Containers
must not run as root, write to their own file system or have capabilities. Then starts the server with the settings of
the file and of the image, of which only paths and the address of the database are replaced, and sends what the probes
send. Takes ten seconds.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOOLS = ROOT / ".build-kubernetes"
PYTHON = TOOLS / "bin/python"
FOLDER = ROOT / "deploy/kubernetes"
# The oldest version that this project considers, and a recent one.
VERSIONS = ["1.29", "1.34"]
SECRETS = "/run/secrets/appreceipt"
STATE = "/var/lib/appreceipt"


def run(*arguments, **options):
    return subprocess.run(list(map(str, arguments)), capture_output=True, text=True, **options)


def prepare():
    if (TOOLS / "bin/kubernetes-validate").exists():
        return
    if run(sys.executable, "-m", "venv", TOOLS).returncode:
        # On Debian, venv is a separate package.
        subprocess.run(["apt-get", "update", "-qq"], check=True)
        subprocess.run(["apt-get", "install", "-y", "-qq", "python3-venv"], check=True)
        subprocess.run([sys.executable, "-m", "venv", TOOLS], check=True)
    pip = [TOOLS / "bin/pip", "install", "--quiet", "--disable-pip-version-check", "kubernetes-validate", "PyYAML"]
    subprocess.run(pip, check=True)


class Manifest:
    """A file, and the objects in it."""

    def __init__(self, path):
        import yaml

        self.path = path
        self.text = path.read_text()
        self.objects = {one["kind"]: one for one in yaml.safe_load_all(self.text)}
        self.workload = self.objects.get("StatefulSet") or self.objects["Deployment"]
        self.pod = self.workload["spec"]["template"]["spec"]
        (self.container,) = self.pod["containers"]

    def require(self, condition, message):
        if not condition:
            sys.exit(f"{self.path.name}: {message}")

    def check_schema(self):
        for version in VERSIONS:
            done = run(TOOLS / "bin/kubernetes-validate", "--strict", "--kubernetes-version", version, self.path)
            self.require(done.returncode == 0, done.stdout + done.stderr)

    def check_names(self, version):
        labels = self.workload["spec"]["template"]["metadata"]["labels"]
        selectors = [self.objects["Service"]["spec"]["selector"], self.workload["spec"]["selector"]["matchLabels"]]
        selectors += [one["labelSelector"]["matchLabels"] for one in self.pod.get("topologySpreadConstraints", [])]
        if budget := self.objects.get("PodDisruptionBudget"):
            selectors.append(budget["spec"]["selector"]["matchLabels"])
            self.require(
                budget["spec"]["minAvailable"] < self.workload["spec"]["replicas"],
                "The budget forbids every eviction.",
            )
        self.require(all(one == labels for one in selectors), "A selector isn't the pod's labels.")
        ports = {one["name"]: one["containerPort"] for one in self.container["ports"]}
        (service,) = self.objects["Service"]["spec"]["ports"]
        self.require(service["targetPort"] in ports, "The Service has an unknown port.")
        for name in ("startupProbe", "livenessProbe", "readinessProbe"):
            self.require(self.container[name]["httpGet"]["port"] in ports, f"{name} has an unknown port.")
        mounts = {one["name"]: one["mountPath"] for one in self.container["volumeMounts"]}
        claims = {one["metadata"]["name"] for one in self.workload["spec"].get("volumeClaimTemplates", [])}
        volumes = {one["name"]: one for one in self.pod["volumes"]}
        self.require(set(mounts) == set(volumes) | claims, "Volumes and mounts differ.")
        self.require(mounts["secrets"] == SECRETS, f"The secrets aren't in {SECRETS}.")
        keys = {item["key"]: item["path"] for item in volumes["secrets"]["secret"]["items"]}
        head = self.text.split("\napiVersion", 1)[0]
        created = set(re.findall(r"--from-(?:literal|file)=([\w.-]+)=", head))
        self.require(created == set(keys), f"The first lines create {created}, not {set(keys)}.")
        paths = {
            value for one in self.container["env"] for value in re.findall(rf"{SECRETS}/([\w.-]+)", one["value"])
        }
        self.require(paths == set(keys.values()), f"The settings name {paths}, not {set(keys.values())}.")
        tag = self.container["image"].split(":")[1]
        self.require(tag.removesuffix("-postgres") == version, f"The image is {tag}, but the program is {version}.")
        if "StatefulSet" in self.objects:
            self.require(self.workload["spec"]["replicas"] == 1, "Several servers with a database of their own.")

    def check_privileges(self):
        pod, container = self.pod["securityContext"], self.container["securityContext"]
        user = re.search(r"^USER (\d+):(\d+)$", (ROOT / "deploy/Dockerfile").read_text(), re.M)
        self.require(
            [str(pod["runAsUser"]), str(pod["runAsGroup"])] == list(user.groups()), "The user isn't the image's."
        )
        self.require(pod["runAsNonRoot"] and not container["allowPrivilegeEscalation"], "The server may become root.")
        self.require(container["readOnlyRootFilesystem"], "The server may write to its image.")
        self.require(container["capabilities"] == {"drop": ["ALL"]}, "The server has capabilities.")
        self.require(self.pod["automountServiceAccountToken"] is False, "The server can use Kubernetes' API.")
        self.require("limits" in self.container["resources"], "The memory has no limit.")

    def settings(self, folder):
        """The settings of the image and of the file, with files and a database of this machine."""
        (line,) = re.findall(r"^ENV ((?:.*\\\n)*.*)$", (ROOT / "deploy/Dockerfile").read_text(), re.M)
        values = dict(pair.split("=", 1) for pair in line.replace("\\\n", " ").split())
        values |= {one["name"]: one["value"] for one in self.container["env"]}
        self.require(
            values["APPRECEIPT_PORT"] == str(self.container["ports"][0]["containerPort"]),
            "The port isn't the image's.",
        )
        for name in ("token", "shared-secret", "database-password", "database-authority.pem"):
            (folder / name).write_text("test-password" if name == "database-password" else name * 8)
        values = {
            name: value.replace(SECRETS, str(folder)).replace(STATE, str(folder)) for name, value in values.items()
        }
        if values["APPRECEIPT_DATABASE"].startswith("postgres:"):
            values["APPRECEIPT_DATABASE"] = os.environ["POSTGRES_TEST_ADDRESS"]
        # The log's line with the port is text here.
        return values | {"APPRECEIPT_HOST": "127.0.0.1", "APPRECEIPT_LOG_FORMAT": "text"}

    def check_server(self, program):
        sys.path.insert(0, str(ROOT / "Tests/Server"))
        sys.dont_write_bytecode = True
        from running import Command, RunningServer

        with tempfile.TemporaryDirectory() as name:
            environment = self.settings(pathlib.Path(name))
            checked = Command(program).run("serve", "--check", environment=environment)
            self.require(checked.returncode == 0 and "Unknown setting" not in checked.stderr, checked.stderr)
            server = RunningServer(Command(program), environment=environment)
            try:
                for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
                    path = self.container[probe]["httpGet"]["path"]
                    answer = server.request(
                        "GET", path, headers={"Host": "10.0.0.7:8080", "User-Agent": "kube-probe/1.34"}
                    )
                    self.require(answer.status == 200, f"{probe}: {path} is {answer.status}.")
                self.require(server.post("/v1/receipts/validate", {}).status == 401, "The token isn't required.")
            finally:
                server.kill()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    action = parser.add_mutually_exclusive_group(required=True)
    action.add_argument("--program", type=lambda path: pathlib.Path(path).resolve())
    action.add_argument("--prepare", action="store_true")
    options = parser.parse_args()
    prepare()
    if options.prepare:
        return
    if "POSTGRES_TEST_ADDRESS" not in os.environ:
        sys.exit("Run it with scripts/with-postgres.sh.")
    if pathlib.Path(sys.prefix).resolve() != TOOLS.resolve():
        os.execv(PYTHON, [PYTHON, *sys.argv])
    version = run(options.program, "--version").stdout.strip()
    paths = sorted(FOLDER.glob("*.yaml"))
    for path in paths:
        manifest = Manifest(path)
        manifest.check_schema()
        manifest.check_names(version)
        manifest.check_privileges()
        manifest.check_server(options.program)
        print(f"ok: {path.name} is valid for Kubernetes {' and '.join(VERSIONS)}; names, settings and probes work")
    if len(paths) != 2:
        sys.exit(f"Expected two files in {FOLDER}.")


main()
