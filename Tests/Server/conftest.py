"""What the tests of the built server share: the command, a folder, and servers that are gone when a test is."""

import pytest

from running import Command, RunningServer


@pytest.fixture(scope="session")
def command():
    """The built `appreceipt`, which the environment variable APPRECEIPT names."""
    return Command.of_environment()


@pytest.fixture
def serve(command):
    """Starts servers; what still runs when the test is over is killed."""
    running = []

    def start(*flags, **options):
        server = RunningServer(command, *flags, **options)
        running.append(server)
        return server

    yield start
    for server in running:
        server.kill()
