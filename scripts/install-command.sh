#!/usr/bin/env bash
# Installs the command appreceipt with its manual page, the list of error codes, and the completions for bash, zsh and fish.
#
#   scripts/install-command.sh [--prefix DIR] [--program FILE] [--traits Server]
#
#   --prefix DIR      the folder to install into (default: /usr/local)
#   --program FILE    a built appreceipt to install (default: built for release in .build)
#   --traits Server   builds it with the server
#
# DESTDIR, if it is set, precedes the prefix, as packages expect. Needs Python 3 for the manual page. A build takes minutes, and on Linux needs
# clang and the headers of zlib (zlib1g-dev); with the server, also those of SQLite (libsqlite3-dev).
set -euo pipefail
script=$(realpath "$0")
root=$(cd "$(dirname "$0")/.." && pwd)

prefix=/usr/local
program=
traits=
while [ $# -gt 0 ]; do
    case "$1" in
    --*=*) set -- "${1%%=*}" "${1#*=}" "${@:2}" ;;
    esac
    case "$1" in
    -h | --help) sed -n '2,11s/^# \{0,1\}//p' "$script"; exit 0 ;;
    --prefix | --program | --traits)
        [ -n "${2:-}" ] || { echo "$1 needs a value." >&2; exit 64; }
        case "$1" in
        --prefix) prefix=$2 ;;
        --program) program=$2 ;;
        --traits) traits=$2 ;;
        esac
        shift 2
        ;;
    *) echo "Unknown argument: $1" >&2; exit 64 ;;
    esac
done
if [ -n "$program" ] && [ -n "$traits" ]; then
    echo "--traits is for a build, and --program needs none." >&2
    exit 64
fi

# Before the build, which takes minutes.
command -v python3 >/dev/null || { echo "Python 3 isn't installed. It writes the manual page." >&2; exit 69; }
folder=${DESTDIR:-}$prefix/bin
while [ ! -e "$folder" ]; do folder=$(dirname "$folder"); done
[ -w "$folder" ] || { echo "$folder isn't writable. Choose another --prefix, or run this as root." >&2; exit 73; }
if [ -n "$program" ] && { [ ! -f "$program" ] || [ ! -x "$program" ]; }; then
    echo "$program isn't an executable file." >&2
    exit 66
fi
[ -z "$program" ] || program=$(realpath "$program")

if [ -z "$program" ]; then
    cd "$root"
    source scripts/release-options.sh
    build=(--product appreceipt "${program_options[@]}")
    [ -z "$traits" ] || build+=(--traits "$traits")
    [ "$(uname)" = Darwin ] || build+=(-Xlinker -s)
    swift build "${build[@]}"
    program=$(swift build "${build[@]}" --show-bin-path)/appreceipt
    cd - >/dev/null
fi

# Everything is written before anything is installed, so that a failure leaves nothing behind.
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
for shell in bash zsh fish; do
    "$program" --generate-completion-script "$shell" >"$made/$shell.generated"
done

# The first argument may also be the INPUT of the default subcommand, which the generated completions don't know.
cat "$made/bash.generated" - >"$made/bash" <<'END'

_appreceipt_or_file() {
    local file
    _appreceipt "$@"
    if ((COMP_CWORD == 1)); then
        while IFS= read -r file; do COMPREPLY+=("${file}"); done < <(compgen -f -- "$2")
    fi
}

complete -o filenames -F _appreceipt_or_file appreceipt
END
cat "$made/fish.generated" - >"$made/fish" <<'END'
complete -c 'appreceipt' -n '__appreceipt_should_offer_completions_for_positional "appreceipt" -eq 1' -F
END
awk '{ print } !found && /_describe -V subcommand subcommands/ { print "        _files && ret=0"; found = 1 } END { exit !found }' \
    "$made/zsh.generated" >"$made/zsh"

python3 "$root/scripts/make-manual.py" "$program" >"$made/manual"

# place MODE FILE PATH: installs a file below the prefix.
place() {
    local path=${DESTDIR:-}$prefix/$3
    mkdir -p "$(dirname "$path")"
    install -m "$1" "$2" "$path"
    echo "$path"
}
place 755 "$program" bin/appreceipt
place 644 "$made/manual" share/man/man1/appreceipt.1
place 644 "$root/docs/errors.md" share/doc/appreceipt/errors.md
place 644 "$made/bash" share/bash-completion/completions/appreceipt
place 644 "$made/zsh" share/zsh/site-functions/_appreceipt
place 644 "$made/fish" share/fish/vendor_completions.d/appreceipt.fish
