#!/usr/bin/env python3
"""Sends the same requests to two verifyReceipt endpoints and reports differences, for a migration from one to the other.

    scripts/compare-answers.py ONE OTHER REQUESTS

ONE and OTHER are base addresses, such as https://buy.itunes.apple.com and http://127.0.0.1:8080. REQUESTS is a file with the
body of one request per line, as your back end sends them. A request with the response 21007 is sent to the sandbox of the
same endpoint, as clients do: sandbox.itunes.apple.com for Apple, otherwise the path /sandbox/verifyReceipt.

Compares the fields that grant access: the status, the app, each transaction in both responses (product, end, refund), the
end of each subscription, and its renewal in pending_renewal_info. Counts transactions and renewals that only one of the
endpoints knows. Prints no data from the receipts, only the number of the line in the file. Exit status: 0 no differences,
1 differences, 64 wrong usage, 66 unreadable file, 69 unreachable endpoint.
"""

import collections
import json
import sys
import urllib.error
import urllib.request

# The status for a sandbox receipt at the production endpoint.
SANDBOX_RECEIPT = 21007


def ask(base, body):
    """The response of an endpoint, or of its sandbox if the endpoint refers to it."""
    # The address may include the path.
    base = base.rstrip("/").removesuffix("/verifyReceipt")
    answer = post(base, body)
    if answer.get("status") != SANDBOX_RECEIPT:
        return answer
    apple = "//buy.itunes.apple.com"
    return post(base.replace(apple, "//sandbox.itunes.apple.com") if apple in base else base + "/sandbox", body)


def post(base, body):
    request = urllib.request.Request(base + "/verifyReceipt", body, {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        return {"status": f"HTTP {error.code}"}
    except (OSError, ValueError) as error:
        print(f"compare-answers: {base}: No response: {error}", file=sys.stderr)
        sys.exit(69)


def transactions(answer):
    """The transactions of an answer by identifier, with the fields that are compared."""
    listed = list((answer.get("receipt") or {}).get("in_app") or [])
    latest = answer.get("latest_receipt_info") or []
    listed += latest if isinstance(latest, list) else [latest]
    counts = ("product_id", "original_transaction_id", "expires_date_ms", "cancellation_date_ms")
    return {one.get("transaction_id"): tuple(one.get(name) for name in counts) for one in listed}


def subscription_ends(answer):
    """The end of the last period of each subscription, by original transaction; 0 for one-time purchases."""
    ends = {}
    for product, original, end, refund in transactions(answer).values():
        if not refund:
            ends[original] = max(ends.get(original, 0), int(end or 0))
    return ends


def renewals(answer):
    """The renewals by original transaction, with the fields that are compared."""
    names = ("auto_renew_status", "auto_renew_product_id", "expiration_intent", "is_in_billing_retry_period")
    dates = ("grace_period_expires_date_ms",)
    listed = answer.get("pending_renewal_info") or []
    return {one.get("original_transaction_id"): tuple(one.get(name) for name in names + dates) for one in listed}


def differences(one, other):
    """The differences, described without identifiers."""
    if one.get("status") != other.get("status"):
        return [f"status {one.get('status')} and {other.get('status')}"]
    found = []
    if one.get("environment") != other.get("environment"):
        found.append("environment")
    for name in ("bundle_id", "application_version", "original_application_version", "receipt_creation_date_ms"):
        if (one.get("receipt") or {}).get(name) != (other.get("receipt") or {}).get(name):
            found.append(name)
    left, right = transactions(one), transactions(other)
    changed = sum(left[number] != right[number] for number in left.keys() & right.keys())
    found += [f"{changed} transactions that both know"] if changed else []
    for name, more, less in (("one", left, right), ("other", right, left)):
        missing = len(more.keys() - less.keys())
        found += [f"{missing} transactions that only the {name} knows"] if missing else []
    ends, others = subscription_ends(one), subscription_ends(other)
    count = sum(ends[original] != others[original] for original in ends.keys() & others.keys())
    found += [f"the end of {count} subscriptions"] if count else []
    left, right = renewals(one), renewals(other)
    changed = sum(left[original] != right[original] for original in left.keys() & right.keys())
    found += [f"{changed} renewals that both know"] if changed else []
    for name, more, less in (("one", left, right), ("other", right, left)):
        missing = len(more.keys() - less.keys())
        found += [f"{missing} renewals that only the {name} knows"] if missing else []
    return found


def main():
    if len(sys.argv) != 4:
        print(__doc__, file=sys.stderr)
        return 64
    one, other, file = sys.argv[1:]
    asked = different = 0
    kinds = collections.Counter()
    try:
        requests = open(file, "rb")
    except OSError as error:
        print(f"compare-answers: {file}: {error.strerror}", file=sys.stderr)
        return 66
    with requests:
        for number, body in enumerate(requests, 1):
            if not body.strip():
                continue
            asked += 1
            found = differences(ask(one, body), ask(other, body))
            if found:
                different += 1
                kinds.update(found)
                print(f"line {number}: {'; '.join(found)}")
    print(f"{asked} requests, {different} answered differently")
    for kind, count in kinds.most_common():
        print(f"{count:6}  {kind}")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
