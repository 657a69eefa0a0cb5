"""Fixtures for the tests of the built server: the command, and servers that are killed at the end of a test."""

import pytest

from running import Command, RunningServer


@pytest.fixture(scope="session")
def command():
    """The built `appreceipt`, which the environment variable APPRECEIPT names."""
    return Command.of_environment()


@pytest.fixture
def serve(command):
    """Starts servers. Servers that still run at the end of the test are killed."""
    running = []

    def start(*flags, **options):
        server = RunningServer(command, *flags, **options)
        running.append(server)
        return server

    yield start
    for server in running:
        server.kill()
