#!/usr/bin/env bash
# Makes fixtures that swift-crypto can't make: a receipt signed over MD5, and an intermediate certified with MD5, both with
# correct signatures, so a verifier that accepts MD5 accepts them. Writes
# Sources/AppReceiptTesting/Attacks/WeakFixtures.swift, or compares it with --check. Needs OpenSSL and Python 3.
set -euo pipefail
cd "$(dirname "$0")/.."
target=Sources/AppReceiptTesting/Attacks/WeakFixtures.swift
if ! command -v openssl >/dev/null; then
    echo "SKIPPED: the openssl command is missing, so the MD5 fixtures are neither made nor checked." >&2
    [ "${1:-}" = --check ] && exit 0 || exit 1
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The test PKI's keys, as PEM.
python3 - "$work" <<'PYTHON'
import re, sys
source = open("Sources/AppReceiptTesting/PKI/TestKey+Keys.swift").read()
for name in ("root", "signer"):
    text = re.search(r'static let %s = TestKey\(.*?"""(.*?)"""' % name, source, re.S).group(1)
    body = re.sub(r"[\\\s]", "", text)
    lines = "\n".join(body[i:i + 64] for i in range(0, len(body), 64))
    open(f"{sys.argv[1]}/{name}.key", "w").write(
        f"-----BEGIN RSA PRIVATE KEY-----\n{lines}\n-----END RSA PRIVATE KEY-----\n")
PYTHON

# A receipt of the standard PKI, its content, and its certificates.
# Builds the program, unless APPRECEIPT_PROGRAM names one.
appreceipt=${APPRECEIPT_PROGRAM:-}
if [ -z "$appreceipt" ]; then
    swift build --product appreceipt >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
    appreceipt="$(swift build --show-bin-path)/appreceipt"
fi
"$appreceipt" make --bundle-id com.example.app --environment sandbox --out "$work/made" >/dev/null 2>&1
openssl cms -verify -noverify -inform DER -in "$work/made/receipt" -binary -out "$work/content" 2>/dev/null
openssl pkcs7 -inform DER -in "$work/made/receipt" -print_certs -out "$work/all.pem"
python3 - "$work" <<'PYTHON'
import re, sys
text = open(f"{sys.argv[1]}/all.pem").read()
blocks = re.findall(r"-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----\n", text, re.S)
for name, block in zip(("signer", "intermediate", "root"), blocks):
    open(f"{sys.argv[1]}/{name}.pem", "w").write(block)
PYTHON

# The same content, signed over MD5 with the signer's own key.
openssl cms -sign -md md5 -noattr -nodetach -binary -outform DER -in "$work/content" -signer "$work/signer.pem" \
    -inkey "$work/signer.key" -certfile <(cat "$work/intermediate.pem" "$work/root.pem") -out "$work/md5.receipt"
openssl cms -verify -noverify -inform DER -in "$work/md5.receipt" -out /dev/null 2>/dev/null

# The same intermediate, certified by the root with MD5: the algorithm is replaced in both fields, and signed again.
openssl x509 -in "$work/intermediate.pem" -outform DER -out "$work/intermediate.cer"
python3 - "$work" <<'PYTHON'
import subprocess, sys
work = sys.argv[1]
def element(data, start):
    """The tag's position, the content's start and the end of the element there."""
    length, content = data[start + 1], start + 2
    if length & 0x80:
        content += length & 0x7F
        length = int.from_bytes(data[start + 2:content], "big")
    return start, content, content + length
sha256, md5 = bytes.fromhex("2a864886f70d01010b"), bytes.fromhex("2a864886f70d010104")
data = open(f"{work}/intermediate.cer", "rb").read().replace(sha256, md5)
_, inside, _ = element(data, 0)
start, _, end = element(data, inside)
open(f"{work}/signed", "wb").write(data[start:end])
subprocess.run(["openssl", "dgst", "-md5", "-sign", f"{work}/root.key", "-out", f"{work}/signature", f"{work}/signed"],
               check=True)
open(f"{work}/md5.cer", "wb").write(data[:-256] + open(f"{work}/signature", "rb").read())
PYTHON
openssl x509 -in "$work/root.pem" -noout -pubkey -out "$work/root.pub"
openssl dgst -md5 -verify "$work/root.pub" -signature "$work/signature" "$work/signed" >/dev/null
[ "$(openssl x509 -inform DER -in "$work/md5.cer" -noout -text | grep -c md5WithRSAEncryption)" = 2 ]

python3 - "$work" >"$work/fixtures.swift" <<'PYTHON'
import base64, sys
def literal(path):
    text = base64.b64encode(open(path, "rb").read()).decode()
    lines = [text[i:i + 100] for i in range(0, len(text), 100)]
    return "\\\n        ".join(lines)
print('''// Made by scripts/make-weak-fixtures.sh; swift-crypto does not sign over MD5.

enum WeakFixtures {
    /// A receipt of the standard PKI that is right in everything, but signed over MD5.
    static let receiptOverMD5 = """
        %s
        """

    /// The intermediate of the standard PKI, certified by its root with MD5.
    static let intermediateWithMD5 = """
        %s
        """
}''' % (literal(f"{sys.argv[1]}/md5.receipt"), literal(f"{sys.argv[1]}/md5.cer")))
PYTHON

if [ "${1:-}" = --check ]; then
    cmp "$work/fixtures.swift" "$target" || { echo "$target differs from the output of this script." >&2; exit 1; }
    echo "The MD5 fixtures are up to date, and OpenSSL verifies them."
else
    cp "$work/fixtures.swift" "$target"
    echo "Wrote $target."
fi
