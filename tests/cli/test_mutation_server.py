"""The mutation server protocol, message by message; `mutationServer.test.ts` has npm's client."""

from __future__ import annotations

import json
import re
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import IO, Any

import psutil
import pytest
from process import EXAMPLES, command, environment, mutproof

DEMO = "demo2.lus"


class Client:
    """Ask a mutation server, and keep what it tells meanwhile."""

    def __init__(self, read: IO[bytes], written: IO[bytes]) -> None:
        self._read = read
        self._written = written
        self._number = 0
        self.told: list[dict[str, Any]] = []

    def send(self, message: object) -> None:
        body = json.dumps(message).encode()
        self._written.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        self._written.flush()

    def begin(self, method: str, **parameters: object) -> int:
        self._number += 1
        self.send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": parameters})
        return self._number

    def receive(self) -> dict[str, Any]:
        length = 0
        while line := self._read.readline().strip():
            length = int(line.removeprefix(b"Content-Length: "))
        message: dict[str, Any] = json.loads(self._read.read(length))
        assert message["jsonrpc"] == "2.0"
        return message

    def answer(self, number: int | None) -> dict[str, Any]:
        while "method" in (message := self.receive()):
            assert message["method"] == "reportMutationTestProgress"
            self.told.append(message["params"])
        assert message["id"] == number
        return message

    def ask(self, method: str, **parameters: object) -> dict[str, Any]:
        result: dict[str, Any] = self.answer(self.begin(method, **parameters))["result"]
        return result


@contextmanager
def served(folder: Path, *words: str, code: int = 0) -> Iterator[Client]:
    """Serve the models of a folder to a client; at the end nothing runs any more."""
    process = subprocess.Popen(
        command("serve", "stdio", *words),
        cwd=folder,
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        yield Client(process.stdout, process.stdin)
        children = psutil.Process(process.pid).children(recursive=True)
        process.stdin.close()
        assert code == process.wait(60)
        _, alive = psutil.wait_procs(children, timeout=10)
        assert alive == []
    finally:
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout):
            stream.close()


@pytest.fixture
def models(tmp_path: Path) -> Path:
    """Return a folder with two models and a file that cannot be mutated."""
    (tmp_path / "lower").mkdir()
    shutil.copy(EXAMPLES / DEMO, tmp_path / DEMO)
    shutil.copy(EXAMPLES / "mutex.smv", tmp_path / "lower" / "mutex.smv")
    (tmp_path / "broken.lus").write_text("node main(")
    return tmp_path


def by_id(files: dict[str, Any], name: str) -> dict[str, Any]:
    return {mutant["id"]: mutant for mutant in files["files"][name]["mutants"]}


def test_mutants_are_listed_decided_and_told_as_the_command_does(models: Path) -> None:
    reported = json.loads(mutproof("mutate", DEMO, "--format", "json", cwd=models).out)
    expected = {mutant["id"]: mutant for mutant in reported["files"][DEMO]["mutants"]}
    with served(models) as client:
        assert {"version": "0.4.0"} == client.ask("configure")
        listed = client.ask("discover")
        assert {DEMO, "lower/mutex.smv"} == listed["files"].keys()
        assert expected.keys() == by_id(listed, DEMO).keys()
        result = client.ask("mutationTest", files=[{"path": DEMO}])

    keys = ("location", "mutatorName", "replacement", "status", "statusReason", "killedBy")
    found = by_id(result, DEMO)
    assert {m: [expected[m][key] for key in keys] for m in expected} == {
        m: [found[m][key] for key in keys] for m in found
    }
    told = {mutant: each for part in client.told for mutant, each in by_id(part, DEMO).items()}
    assert {mutant: each["status"] for mutant, each in found.items()} == {
        mutant: each["status"] for mutant, each in told.items()
    }


def test_some_mutants_are_those_that_were_listed_or_lie_in_a_range(models: Path) -> None:
    with served(models) as client:
        everything = by_id(client.ask("discover"), DEMO)
        place = next(iter(everything.values()))["location"]
        there = {"path": DEMO, "range": place}
        listed = client.ask("discover", files=[there])
        of_folder = client.ask("discover", files=[{"path": str(models / "lower") + "/"}])
        none = client.ask("discover", files=[{"path": "gone.lus"}, {"path": "broken.lus"}])
        tested = client.ask("mutationTest", mutants=listed["files"], files=[{"path": "lower/"}])

    inside = by_id(listed, DEMO)
    assert 0 < len(inside) < len(everything)
    assert inside.keys() == by_id(tested, DEMO).keys()
    assert {DEMO} == tested["files"].keys()
    assert {"lower/mutex.smv"} == of_folder["files"].keys()
    assert {"files": {}} == none


def test_what_is_not_decided_is_pending_neither_survived_nor_an_error(models: Path) -> None:
    shutil.copy(EXAMPLES / "demo.lus", models / "demo.lus")
    with served(models, "--", "--rlimit", "1", "--no-cache") as client:
        result = client.ask("mutationTest", files=[{"path": "demo.lus"}])

    found = by_id(result, "demo.lus").values()
    undecided = [mutant for mutant in found if mutant["statusReason"].startswith("unknown")]
    assert undecided
    assert {"Pending"} == {mutant["status"] for mutant in undecided}


def test_options_come_from_the_command_line_and_from_settings_as_they_are_now(
    models: Path,
) -> None:
    with served(models, "--", "--operators", "g2ge,g2l") as client:
        some = by_id(client.ask("discover"), DEMO)
    with served(models) as client:
        (models / "mutproof.toml").write_text('operators = "g2ge"\n')
        one = by_id(client.ask("discover"), DEMO)
        (models / "other.toml").write_text('operators = "g2l"\n')
        client.ask("configure", configFilePath="other.toml")
        other = by_id(client.ask("discover"), DEMO)
        refused = client.answer(client.begin("configure", configFilePath="none.toml"))

    assert [{"g2ge", "g2l"}, {"g2ge"}, {"g2l"}] == [
        {mutant["mutatorName"] for mutant in found.values()} for found in (some, one, other)
    ]
    assert "none.toml" in refused["error"]["message"]


def test_a_cancelled_run_ends_with_the_code_for_it_and_the_next_one_begins(models: Path) -> None:
    with served(models, "--", "--no-cache") as client:
        client.ask("configure")
        number = client.begin("mutationTest")
        client.send({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": number}})
        assert -32800 == client.answer(number)["error"]["code"]
        assert {DEMO} == client.ask("mutationTest", files=[{"path": DEMO}])["files"].keys()


def test_what_is_no_request_is_refused_and_nothing_else_is_lost(models: Path) -> None:
    with served(models) as client:
        for message, code in (
            ([], -32600),
            ({"jsonrpc": "2.0", "id": None}, -32600),
            ({"jsonrpc": "2.0", "id": None, "method": "no"}, -32601),
            ({"jsonrpc": "2.0", "id": None, "method": "discover", "params": []}, -32602),
            ({"jsonrpc": "2.0", "id": None, "method": "discover", "params": {"files": 1}}, -32602),
            (
                {
                    "id": None,
                    "method": "discover",
                    "params": {"files": [{"path": "a", "range": 1}]},
                },
                -32602,
            ),
        ):
            client.send(message)
            assert code == client.answer(None)["error"]["code"], message
        assert {"version": "0.4.0"} == client.ask("configure")


def test_a_client_that_leaves_in_a_run_leaves_nothing_behind(models: Path) -> None:
    with served(models, "--", "--no-cache") as client:
        client.ask("configure")
        client.begin("mutationTest")


def test_a_socket_serves_whoever_connects_until_the_last_has_left(models: Path) -> None:
    with closing(socket.socket()) as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    words = command("serve", "--protocol", "msp", "socket", "--port", str(port))
    server = subprocess.Popen(words, cwd=models, env=environment(), stderr=subprocess.PIPE)
    try:
        first = _connected(port)
        with closing(first), closing(_connected(port)) as second:
            streams = [each.makefile("rwb") for each in (first, second)]
            clients = [Client(stream, stream) for stream in streams]
            assert [{"version": "0.4.0"}] * 2 == [each.ask("configure") for each in clients]
            taken = mutproof("serve", "socket", "--port", str(port))
            with closing(_connected(port)) as page:
                page.sendall(b"POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}")
                assert b"" == page.recv(1)
            for stream in streams:
                stream.close()
        assert 0 == server.wait(60)
    finally:
        server.kill()
        server.communicate()
    assert 1 == taken.code
    assert "cannot listen" in taken.err


def _connected(port: int) -> socket.socket:
    until_s = time.monotonic() + 60
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port), timeout=60)
        except OSError:
            assert time.monotonic() < until_s
            time.sleep(0.05)


@pytest.mark.parametrize(
    "words",
    [
        "socket",
        "stdio --port 1",
        "stdio --tcp 127.0.0.1:1",
        "stdio --protocol lsp",
        "--port 1",
        "-- --level all",
        "stdio -- --format json",
        "stdio -- model.lus",
    ],
)
def test_words_that_do_not_go_together_are_refused(words: str) -> None:
    refused = mutproof("serve", *words.split())
    assert 1 == refused.code
    assert re.search(r"error\[usage\]", refused.err)
