"""Receipts and signed data made with the test kit, and the roots that a server must trust for them."""

import base64
import concurrent.futures
import os
from dataclasses import dataclass

#: The original transaction of the first subscription in every receipt that `make receipt` makes.
ORIGINAL = "550000000000001"
RENEWAL = "550000000000009"


@dataclass
class Customer:
    """A customer of a separate app, so that customers share no purchases."""

    app: str
    receipt: str
    notification: str
    transaction: str
    account: str


def base64_of(path):
    return base64.b64encode(path.read_bytes()).decode()


def receipt(command, folder, app="com.example.app", environment="production", options=("--subscription", "monthly:2")):
    """A receipt in base64."""
    name = f"{app}.receipt"
    command.make("receipt", folder, "--name", name, "--bundle-id", app, "--environment", environment, *options)
    return base64_of(folder / name)


def notification(command, folder, app="com.example.app", number=1, environment="production"):
    """A notification of the renewal of the receipt's subscription."""
    name = f"{app}.notification"
    command.make(
        "notification", folder, "--name", name, "--bundle-id", app, "--environment", environment,
        "--type", "DID_RENEW", "--uuid", f"00000000-0000-4000-9000-{number:012}", "--product", "monthly",
        "--transaction-id", RENEWAL, "--original-id", ORIGINAL, "--purchased", "2024-07-22T15:04:05Z",
        "--expires", "2024-08-21T15:04:05Z", "--signed", "2024-07-22T15:04:06Z",
    )  # fmt: skip
    return (folder / name).read_text().strip()


def transaction(command, folder, app="com.example.app", number=1, environment="production"):
    """A signed transaction of a separate purchase."""
    name = f"{app}.transaction"
    command.make(
        "transaction", folder, "--name", name, "--bundle-id", app, "--environment", environment,
        "--product", "lifetime", "--transaction-id", str(7_000_000_000 + number),
    )  # fmt: skip
    return (folder / name).read_text().strip()


def roots(command, folder):
    """Flags that trust both roots of the test kit. The folder must already contain data with them."""
    return ["--root", folder / "root.pem", "--root", folder / "signed-data-root.pem"]


def customers(command, folder, count):
    """Makes `count` customers, with one process per core at a time."""

    def customer(number):
        app = f"com.example.app{number}"
        return Customer(
            app=app,
            receipt=receipt(command, folder, app),
            notification=notification(command, folder, app, number),
            transaction=transaction(command, folder, app, number),
            account=f"customer-{number}",
        )

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 2) as pool:
        return list(pool.map(customer, range(1, count + 1)))
