#!/usr/bin/env python3
"""Writes the manual page of a built appreceipt to standard output.

    scripts/make-manual.py PROGRAM > appreceipt.1

The text is that of --help. swift-argument-parser's plugin generate-manual builds every product, drops lines that begin with an
apostrophe, fills lists and JSON as running text, and has neither the examples nor the exit statuses in their sections.
"""

import datetime
import json
import os
import re
import subprocess
import sys
import textwrap


def escaped(text, is_literal=False):
    """A line of text without requests, with the characters that roff would replace."""
    text = text.replace("\\", "\\e").replace("'", "\\(aq").replace("`", "\\(ga")
    # A program that is copied from the page needs hyphens, not dashes.
    text = text.replace("-", "\\-") if is_literal else re.sub(r"(?<!\w)--?(?=\w)", lambda match: "\\-" * len(match[0]), text)
    if not is_literal:
        # Identifiers aren't hyphenated.
        text = re.sub(r"\w*[a-z][A-Z]\w*", r"\\%\g<0>", text)
    text = "".join(character if ord(character) < 128 else f"\\[u{ord(character):04X}]" for character in text)
    return "\\&" + text if text.startswith(".") else text


def filled(text):
    """The lines of running text: each sentence begins a line, as mdoc requires."""
    sentences = re.split(r"(?<=[.!?]) (?=[A-Z'\"(])", text)
    return [escaped(line) for one in sentences for line in textwrap.wrap(one, 72, break_long_words=False, break_on_hyphens=False)]


def blocks(discussion):
    """The paragraphs and indented blocks of a discussion, in order: (is_literal, lines)."""
    result = []
    for line in (discussion or "").split("\n"):
        if not line:
            result.append(None)
            continue
        is_literal = line.startswith("  ")
        if result and result[-1] and result[-1][0] == is_literal:
            result[-1][1].append(line)
        else:
            result.append((is_literal, [line]))
    return [block for block in result if block]


class Command:
    def __init__(self, info, parents=()):
        self.name = info["commandName"]
        self.path = [*parents, self.name]
        self.abstract = info.get("abstract", "")
        self.arguments = [one for one in info.get("arguments", []) if one["shouldDisplay"]]
        self.subcommands = [
            Command(one, self.path) for one in info.get("subcommands", []) if one["shouldDisplay"] and one["commandName"] != "help"
        ]
        self.description, self.examples, self.exit_status = [], [], None
        follows_examples = False
        for is_literal, lines in blocks(info.get("discussion")):
            text = " ".join(lines)
            if is_literal and follows_examples:
                # Until the next running text: a description and its command may be separated by empty lines.
                self.examples += [*([""] if self.examples else []), *(line[2:] for line in lines)]
                continue
            elif lines[-1] == "Examples:":
                follows_examples = True
                continue
            elif text.startswith("Exit status: "):
                self.exit_status = text.removeprefix("Exit status: ")
            else:
                self.description.append((is_literal, lines))
            follows_examples = False

    def all(self):
        """The command and its subcommands, in order."""
        yield self
        for subcommand in self.subcommands:
            yield from subcommand.all()


def usage(command):
    """The macros of a command's usage: required options and arguments by name."""
    lines = [".Nm", ".Cm " + " ".join(command.path[1:])]
    required = [one for one in command.arguments if not one["isOptional"]]
    if len(required) < len(command.arguments):
        lines.append(".Op Ar options")
    for one in sorted(required, key=lambda one: one["kind"] == "positional"):
        name = "" if one["kind"] == "positional" else f"Fl \\-{one['preferredName']['name']} "
        lines.append(f".{name}Ar {one['valueName']}{' ...' if one['isRepeating'] else ''}")
    lines += [f".Op Ar {one['valueName']}" for one in command.arguments if one["kind"] == "positional" and one["isOptional"]]
    return lines


def paragraphs(items):
    lines = []
    for is_literal, text in items:
        if is_literal:
            lines += [".Bd -literal -offset indent", *(escaped(line[2:], True) for line in text), ".Ed"]
        else:
            lines += [".Pp", *filled(" ".join(text))]
    return lines


def options(command):
    """The arguments and options in their sections, each a tagged list."""
    lines, title = [], None
    arguments = [one for one in command.arguments if one.get("preferredName", {}).get("name") not in ("help", "version")]
    # Options without a section first, as in the help.
    for one in sorted(arguments, key=lambda one: (one["kind"] != "positional", one.get("sectionTitle") is not None)):
        section = one.get("sectionTitle")
        if lines and section != title:
            lines.append(".El")
        if not lines or section != title:
            lines += [".Pp", *([f"{escaped(section)}:"] if section else []), ".Bl -tag -width Ds -compact"]
            title = section
        dots = " ..." if one["isRepeating"] and one["kind"] == "positional" else ""
        value = f" Ar {one['valueName']}{dots}" if one["kind"] != "flag" else ""
        dashes = {"long": "\\-", "longWithSingleDash": "", "short": ""}
        names = " , ".join(f"Fl {dashes[name['kind']]}{name['name']}" for name in one.get("names", []))
        lines.append(f".It {names}{value}" if names else f".It{value}")
        lines += filled(one.get("abstract", ""))
        if one.get("defaultValue"):
            lines.append(f"(default: {escaped(one['defaultValue'])})")
    return lines + [".El"] if lines else []


def statuses(text):
    """The list of a sentence such as "0 valid; 1 otherwise, 64 wrong usage"."""
    parts = re.split(r"[;,] (?=\d)", text.rstrip("."))
    lines = [".Bl -tag -width Ds -compact"]
    for part in parts:
        number, meaning = re.fullmatch(r"(\d+(?: or \d+)?) (.*)", part).groups()
        lines += [f".It {number}", escaped(f"{meaning[0].upper()}{meaning[1:]}.")]
    return lines + [".El"]


def page(root, date):
    everything = list(root.all())
    runnable = [one for one in everything[1:] if not one.subcommands]
    lines = [
        f".Dd {date:%B} {date.day}, {date.year}", ".Dt APPRECEIPT 1", ".Os",
        ".Sh NAME", ".Nm appreceipt", ".Nd read, validate and make App Store receipts and signed data",
        ".Sh SYNOPSIS", ".Nm", ".Op Ar options", ".Ar input",
    ]
    for command in runnable:
        lines += usage(command)
    lines += [".Nm", ".Cm help", ".Op Ar subcommand"]
    lines += [".Sh DESCRIPTION", *filled(root.abstract), *paragraphs(root.description)]
    lines += [".Pp", "Every subcommand has the flag", ".Fl \\-help ,", "and", ".Nm", "has", ".Fl \\-version ."]
    lines.append(".Sh SUBCOMMANDS")
    for command in everything[1:]:
        lines += [f".Ss {' '.join(command.path[1:])}", *filled(command.abstract), *paragraphs(command.description)]
        lines += options(command) if not command.subcommands else []
        if command.exit_status:
            lines += [".Pp", *filled(f"Exit status: {command.exit_status}")]
    lines += [
        ".Sh ENVIRONMENT", ".Bl -tag -width Ds", ".It Ev NO_COLOR", "If it isn\\(aqt empty, the output has no colors.",
        ".It Ev APPRECEIPT_CONFIG , APPRECEIPT_*",
        "Settings of", ".Cm serve ,", "named after its options, such as", ".Ev APPRECEIPT_BUNDLE_ID .", ".El",
    ]
    lines += [
        ".Sh FILES", ".Bl -tag -width Ds", ".It Pa PREFIX/share/doc/appreceipt/errors.md",
        "The cause and remedy of each error code, to which messages refer as docs/errors.md.", ".El",
    ]
    lines += [".Sh EXIT STATUS", *statuses(root.exit_status)]
    lines.append(".Sh EXAMPLES")
    for command in everything[1:]:
        if command.examples:
            lines += [f".Ss {' '.join(command.path[1:])}", ".Bd -literal -offset indent"]
            lines += [*(escaped(line, True) for line in command.examples), ".Ed"]
    lines += [
        ".Sh SEE ALSO", "docs/errors.md in the repository of AppReceiptKit explains each error code.",
        "docs/server.md describes the server, docs/app\\-store.md describes", ".Cm store ,", "and docs/scale\\-out.md describes", ".Cm batch .",
    ]
    return "\n".join(lines) + "\n"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    help = subprocess.run([sys.argv[1], "--experimental-dump-help"], check=True, capture_output=True).stdout
    # Packages are built reproducibly with this variable.
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    date = datetime.datetime.fromtimestamp(int(epoch), datetime.timezone.utc) if epoch else datetime.datetime.now()
    sys.stdout.write(page(Command(json.loads(help)["command"]), date))


main()
