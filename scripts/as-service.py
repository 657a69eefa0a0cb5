#!/usr/bin/env python3
"""Runs the commands of a systemd unit under its restrictions, without systemd, as far as a process can restrict itself.

    scripts/as-service.py UNIT --state DIR start | reload PID

    start        becomes the unit's ExecStart
    reload PID   runs each ExecReload, with $MAINPID; fails if one fails, or if there is none

Applies the unit's SystemCallFilter with SystemCallErrorNumber, SystemCallArchitectures, RestrictAddressFamilies,
MemoryDenyWriteExecute, RestrictNamespaces, RestrictSUIDSGID and LockPersonality (with libseccomp, from the sets that
`systemd-analyze syscall-filter` prints), ProtectSystem=strict (everything except DIR is read-only) and NoExecPaths=/
with ExecPaths in a mount namespace, NoNewPrivileges, LimitNOFILE, LimitCORE and UMask, and runs the command with the
unit's Environment, without capabilities, as an unnamed user. The prefixes of a command, such as `+`, have systemd's
meaning.
Doesn't apply settings that need systemd or a control group, such as LoadCredential, MemoryMax, TasksMax, IPAddressDeny,
ProtectProc and PrivateUsers, and doesn't replace specifiers (%d).

Must be started as root. The exit status of `start` is the command's, or 203 if it can't be executed.
"""

import ctypes
import errno
import os
import pathlib
import re
import resource
import shlex
import subprocess
import sys

ALLOW, EQUAL, MASKED, NOT_EQUAL = 0x7FFF0000, 4, 7, 1
NOBODY = 64_321
CLONE_NEWNS, MS_RDONLY, MS_NOEXEC, MS_REMOUNT, MS_BIND, MS_REC, MS_PRIVATE = 0x20000, 1, 8, 32, 4096, 16384, 1 << 18
PROT_WRITE, PROT_EXEC, CLONE_NAMESPACES = 2, 4, 0x7E020080
FAMILIES = {"AF_UNIX": 1, "AF_INET": 2, "AF_INET6": 10, "AF_NETLINK": 16, "AF_PACKET": 17}
libc = ctypes.CDLL(None, use_errno=True)
seccomp = ctypes.CDLL("libseccomp.so.2", use_errno=True)


class Comparison(ctypes.Structure):
    _fields_ = [("arg", ctypes.c_uint), ("op", ctypes.c_int), ("a", ctypes.c_uint64), ("b", ctypes.c_uint64)]


def settings(unit):
    """The settings of the unit: each name with its values."""
    found = {}
    for line in pathlib.Path(unit).read_text().splitlines():
        name, separator, value = line.partition("=")
        if separator and not line.startswith(("#", "[")):
            found.setdefault(name.strip(), []).append(value.strip())
    return found


def environment(unit):
    """The variables of the unit's Environment, and systemd's PATH."""
    pairs = [pair for value in unit["Environment"] for pair in shlex.split(value)]
    return {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin", **dict(pair.split("=", 1) for pair in pairs)}


def commands(unit, name, variables):
    """The prefixes and the words of each command of a setting."""

    def expanded(word):
        # A variable that is a word of its own is split into words.
        if re.fullmatch(r"\$\w+", word):
            return variables.get(word[1:], "").split()
        return [re.sub(r"\$\{(\w+)\}", lambda found: variables.get(found[1], ""), word)]

    for value in unit.get(name, []):
        line = value.lstrip("@-:+!")
        prefixes, words = value[: len(value) - len(line)], shlex.split(line)
        yield prefixes, words if ":" in prefixes else sum(map(expanded, words), [])


def members(name):
    """The system calls of a set."""
    if not name.startswith("@"):
        return {name}
    printed = subprocess.run(
        ["systemd-analyze", "syscall-filter", name], capture_output=True, text=True, check=True
    ).stdout
    calls = set()
    for line in printed.splitlines()[1:]:
        line = line.strip()
        if line and not line.startswith("#"):
            calls |= members(line)
    return calls


def allowed_calls(unit):
    calls = set()
    for value in unit["SystemCallFilter"]:
        names = set().union(*(members(name) for name in value.removeprefix("~").split()))
        calls = calls - names if value.startswith("~") else calls | names
    # systemd always allows these.
    return calls | members("@default") | {"execve"}


def filter_calls(unit, calls):
    """Builds the filter and applies it to this process."""
    seccomp.seccomp_init.restype = ctypes.c_void_p
    seccomp.seccomp_init.argtypes = [ctypes.c_uint32]
    seccomp.seccomp_rule_add_array.argtypes = [
        ctypes.c_void_p, ctypes.c_uint32, ctypes.c_int, ctypes.c_uint, ctypes.POINTER(Comparison),
    ]  # fmt: skip
    seccomp.seccomp_load.argtypes = [ctypes.c_void_p]
    reject = 0x00050000 | getattr(errno, unit["SystemCallErrorNumber"][0])

    def load(default, rules):
        context = seccomp.seccomp_init(default)
        for action, call, comparisons in rules:
            number = seccomp.seccomp_syscall_resolve_name(call.encode())
            if number < 0:  # doesn't exist on this processor
                continue
            array = (Comparison * max(1, len(comparisons)))(*(Comparison(*one) for one in comparisons))
            done = seccomp.seccomp_rule_add_array(context, action, number, len(comparisons), array)
            if done < 0:
                raise OSError(-done, f"seccomp rejects the rule for {call}")
        done = seccomp.seccomp_load(context)
        if done < 0:
            raise OSError(-done, "The seccomp filter can't be loaded")

    denied = 0x00050000 | errno.EPERM
    if unit["MemoryDenyWriteExecute"] == ["yes"]:
        both = PROT_WRITE | PROT_EXEC
        load(ALLOW, [
            (denied, "mmap", [(2, MASKED, both, both)]),
            (denied, "mprotect", [(2, MASKED, PROT_EXEC, PROT_EXEC)]),
            (denied, "pkey_mprotect", [(2, MASKED, PROT_EXEC, PROT_EXEC)]),
        ])  # fmt: skip
    families = {FAMILIES[name] for value in unit["RestrictAddressFamilies"] for name in value.split()}
    unknown = 0x00050000 | errno.EAFNOSUPPORT
    load(ALLOW, [(unknown, "socket", [(0, EQUAL, other, 0)]) for other in set(range(64)) - families])
    load(ALLOW, [
        (denied, "unshare", []), (denied, "setns", []),
        *((denied, "clone", [(0, MASKED, 1 << bit, 1 << bit)]) for bit in range(32) if CLONE_NAMESPACES >> bit & 1),
        (denied, "personality", [(0, NOT_EQUAL, 0, 0)]),
        *((denied, call, [(place, MASKED, bit, bit)]) for bit in (0o2000, 0o4000)
          for call, place in (("chmod", 1), ("fchmod", 1), ("fchmodat", 2), ("mkdir", 1), ("mkdirat", 2))),
    ])  # fmt: skip
    load(reject, [(ALLOW, call, []) for call in sorted(calls)])


def check(result, what):
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def protect_system(unit, state):
    """Makes everything except the state's folder read-only, and only ExecPaths executable."""
    assert unit["NoExecPaths"] == ["/"]
    executable = {pathlib.Path(path).resolve() for value in unit["ExecPaths"] for path in value.split()}
    check(libc.unshare(CLONE_NEWNS), "unshare")
    check(libc.mount(None, b"/", None, MS_REC | MS_PRIVATE, None), "mount")
    for path in (state, *executable):
        check(libc.mount(os.fsencode(path), os.fsencode(path), None, MS_BIND | MS_REC, None), "mount")
    mounts = {pathlib.Path(line.split()[4]) for line in pathlib.Path("/proc/self/mountinfo").read_text().splitlines()}
    for mount in mounts:
        if mount.parts[1:2] in (("proc",), ("sys",), ("dev",)):
            continue
        flags = 0 if mount == state else MS_RDONLY
        if not any(mount.is_relative_to(path) for path in executable):
            flags |= MS_NOEXEC
        libc.mount(None, os.fsencode(mount), None, MS_REMOUNT | MS_BIND | flags, None)
    if os.access("/", os.W_OK) or not os.access(state, os.W_OK):
        raise RuntimeError("The folders couldn't be made read-only.")
    if {path for path in ("/", state, *executable) if os.statvfs(path).f_flag & os.ST_NOEXEC} != {"/", state}:
        raise RuntimeError("The folders couldn't be made not executable.")


def restrict(unit, state, user):
    """Applies the unit's restrictions to this process, without those of its user if `user` is false."""
    calls = allowed_calls(unit)
    assert "mount" not in calls and "read" in calls and "ptrace" not in calls
    protect_system(unit, state)
    limit = int(unit["LimitNOFILE"][0])
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.umask(int(unit["UMask"][0], 8))
    for capability in range(64):
        if libc.prctl(24, capability, 0, 0, 0) != 0:  # PR_CAPBSET_DROP
            break
    if user:
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
    check(libc.prctl(38, 1, 0, 0, 0), "prctl")  # PR_SET_NO_NEW_PRIVS
    # The filter also restricts Python until the command is executed.
    filter_calls(unit, calls)


def execute(unit, state, prefixes, words, variables):
    """Replaces this process by a command."""
    if "+" not in prefixes:
        # "!!" has a meaning only for kernels without ambient capabilities.
        restrict(unit, state, user=prefixes.count("!") != 1)
    try:
        os.execvpe(words[0], words[1:] if "@" in prefixes else words, variables)
    except OSError as error:
        print(f"{words[0]}: {error.strerror}", file=sys.stderr, flush=True)
        os._exit(203)


def reload(unit, state, process):
    variables = {**environment(unit), "MAINPID": process}
    reloads = list(commands(unit, "ExecReload", variables))
    if not reloads:
        sys.exit("The unit has no ExecReload.")
    for prefixes, words in reloads:
        child = os.fork()
        if child == 0:
            execute(unit, state, prefixes, words, variables)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if status != 0 and "-" not in prefixes:
            sys.exit(f"ExecReload={prefixes}{shlex.join(words)}: status {status}")


def main():
    match sys.argv[1:]:
        case [file, "--state", folder, "start"]:
            process = None
        case [file, "--state", folder, "reload", process]:
            pass
        case _:
            sys.exit(__doc__)
    unit, state = settings(file), pathlib.Path(folder).resolve()
    os.chown(state, NOBODY, NOBODY)
    if process:
        return reload(unit, state, process)
    variables = environment(unit)
    ((prefixes, words),) = commands(unit, "ExecStart", variables)
    execute(unit, state, prefixes, words, variables)


if __name__ == "__main__":
    main()
