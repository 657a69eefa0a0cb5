#!/usr/bin/env python3
"""Runs a command under the restrictions of a systemd unit, without systemd, as far as a process can restrict itself.

    scripts/as-service.py UNIT --state DIR COMMAND [ARGUMENT …]

Applies the unit's SystemCallFilter with SystemCallErrorNumber, SystemCallArchitectures, RestrictAddressFamilies,
MemoryDenyWriteExecute, RestrictNamespaces, RestrictSUIDSGID and LockPersonality (with libseccomp,
from the sets that `systemd-analyze syscall-filter` prints), ProtectSystem=strict (everything except DIR is read-only, in a mount
namespace), NoNewPrivileges, LimitNOFILE, LimitCORE and UMask, and runs the command without capabilities as an unnamed user.
Doesn't apply settings that need systemd or a control group, such as MemoryMax, TasksMax, IPAddressDeny, NoExecPaths,
ProtectProc and PrivateUsers.

Must be started as root. The exit status is the command's.
"""

import ctypes
import ctypes.util
import errno
import os
import pathlib
import resource
import subprocess
import sys

ALLOW, EQUAL, MASKED, NOT_EQUAL = 0x7FFF0000, 4, 7, 1
NOBODY = 64_321
CLONE_NEWNS, MS_RDONLY, MS_REMOUNT, MS_BIND, MS_REC, MS_PRIVATE = 0x20000, 1, 32, 4096, 16384, 1 << 18
PROT_WRITE, PROT_EXEC, CLONE_NAMESPACES = 2, 4, 0x7E020080
FAMILIES = {"AF_UNIX": 1, "AF_INET": 2, "AF_INET6": 10, "AF_NETLINK": 16, "AF_PACKET": 17}
libc = ctypes.CDLL(None, use_errno=True)


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


def filter_calls(unit):
    """Builds the filter and applies it to this process."""
    seccomp = ctypes.CDLL(ctypes.util.find_library("seccomp") or "libseccomp.so.2", use_errno=True)
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
    load(reject, [(ALLOW, call, []) for call in sorted(allowed_calls(unit))])


def check(result, what):
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def protect_system(state):
    """Makes everything except the state's folder read-only."""
    check(libc.unshare(CLONE_NEWNS), "unshare")
    check(libc.mount(None, b"/", None, MS_REC | MS_PRIVATE, None), "mount")
    check(libc.mount(os.fsencode(state), os.fsencode(state), None, MS_BIND, None), "mount")
    mounts = [line.split()[4] for line in pathlib.Path("/proc/self/mountinfo").read_text().splitlines()]
    for mount in sorted(set(mounts), key=len):
        if mount == str(state) or mount.startswith(("/proc", "/sys", "/dev")):
            continue
        libc.mount(None, os.fsencode(mount), None, MS_REMOUNT | MS_BIND | MS_RDONLY, None)
    if os.access("/", os.W_OK) or not os.access(state, os.W_OK):
        raise RuntimeError("The folders couldn't be made read-only.")


def main():
    unit, flag, state, *command = sys.argv[1:]
    if flag != "--state" or not command:
        sys.exit(__doc__)
    unit, state = settings(unit), pathlib.Path(state).resolve()
    os.chown(state, NOBODY, NOBODY)
    calls = allowed_calls(unit)
    assert "mount" not in calls and "read" in calls and "ptrace" not in calls
    protect_system(state)
    limit = int(unit["LimitNOFILE"][0])
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.umask(int(unit["UMask"][0], 8))
    for capability in range(64):
        if libc.prctl(24, capability, 0, 0, 0) != 0:  # PR_CAPBSET_DROP
            break
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)
    check(libc.prctl(38, 1, 0, 0, 0), "prctl")  # PR_SET_NO_NEW_PRIVS
    # The filter also restricts Python until the command is executed.
    filter_calls(unit)
    os.execv(command[0], command)


if __name__ == "__main__":
    main()
