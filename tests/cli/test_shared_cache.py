"""What one machine has found out, others need not find out again, and nobody else can say it."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from process import EXAMPLES, Ended, mutproof

MODEL = EXAMPLES / "demo2.lus"
COUNT = 14  # of its mutants
SECRET = "a secret of the team"
USER = "Basic dGVhbTpwYXNz"  # team:pass


class Shelf(ThreadingHTTPServer):
    """Keep what is put, and count requests."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.kept: dict[str, bytes] = {}
        self.asked: list[tuple[str, str | None]] = []
        self.moved = ""

    @property
    def address(self) -> str:
        """Return where it is, with a user."""
        return f"http://team:pass@127.0.0.1:{self.server_port}/ac"


class Handler(BaseHTTPRequestHandler):
    """Answer as a server of WebDAV does."""

    server: Shelf

    def do_GET(self) -> None:
        """Return what was put."""
        self._note()
        if self.server.moved:
            self.send_response(302)
            self.send_header("Location", self.server.moved + self.path)
            self.end_headers()
            return
        data = self.server.kept.get(self.path)
        self.send_response(404 if data is None else 200)
        self.end_headers()
        self.wfile.write(data or b"")

    def do_PUT(self) -> None:
        """Keep what comes."""
        self._note()
        self.server.kept[self.path] = self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(201)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def _note(self) -> None:
        self.server.asked.append((self.command, self.headers["Authorization"]))


@pytest.fixture
def shelf() -> Iterator[Shelf]:
    """Return a server that keeps nothing yet."""
    with Shelf() as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def run(machine: Path, place: str, secret: str = SECRET, *, writes: bool = False) -> Ended:
    """Run on a machine, which is a folder that keeps what its runs find out."""
    named = {"MUTPROOF_SHARED_CACHE": place, "MUTPROOF_SHARED_KEY": secret}
    more = {"MUTPROOF_SHARED_WRITE": "1"} if writes else {}
    asked = ("mutate", MODEL, "--format", "json", "--stats", "--no-timings", "--jobs", "1")
    return mutproof(*asked, "--equivalence", MUTPROOF_CACHE_DIR=str(machine), **named, **more)


def decided(ended: Ended) -> tuple[int, int]:
    """Return how many mutants were decided anew, and of how many it was known."""
    assert 2 == ended.code, ended.err
    (counted,) = json.loads(ended.out)["mutproof"]["statistics"].values()
    return counted["decided"], counted["kept"] + counted["replayed"] + counted["reproved"]


def verdicts(ended: Ended) -> list[tuple[str, str]]:
    (file,) = json.loads(ended.out)["files"].values()
    return [(mutant["id"], mutant["status"]) for mutant in file["mutants"]]


@pytest.mark.parametrize("kind", ["server", "folder"])
def test_what_one_machine_shares_others_need_not_decide(
    kind: str, shelf: Shelf, tmp_path: Path
) -> None:
    place = shelf.address if kind == "server" else str(tmp_path / "shared")
    first = run(tmp_path / "one", place, writes=True)
    second = run(tmp_path / "two", place)
    assert decided(first)[0] == COUNT
    assert decided(second) == (0, COUNT)
    assert verdicts(first) == verdicts(second)
    assert {USER} >= {user for _, user in shelf.asked}
    asked = len(shelf.asked)
    assert decided(run(tmp_path / "two", place)) == (0, COUNT)
    assert asked == len(shelf.asked)  # it is kept here by now


def test_only_who_may_write_adds_anything(shelf: Shelf, tmp_path: Path) -> None:
    run(tmp_path / "one", shelf.address)
    assert {} == shelf.kept
    assert {"GET"} == {command for command, _ in shelf.asked}


def test_what_does_not_bear_the_seal_counts_for_nothing(shelf: Shelf, tmp_path: Path) -> None:
    run(tmp_path / "one", shelf.address, "another secret of others", writes=True)
    assert shelf.kept
    before = dict(shelf.kept)
    assert decided(run(tmp_path / "two", shelf.address))[0] == COUNT
    run(tmp_path / "three", shelf.address, writes=True)
    assert before != shelf.kept
    for name, data in shelf.kept.items():
        shelf.kept[name] = data[:40] + bytes([data[40] ^ 1]) + data[41:]
    assert decided(run(tmp_path / "four", shelf.address))[0] == COUNT


def test_without_a_secret_nothing_is_shared(shelf: Shelf, tmp_path: Path) -> None:
    ended = run(tmp_path / "one", shelf.address, "short", writes=True)
    assert "nothing is shared: MUTPROOF_SHARED_KEY" in ended.err
    assert [] == shelf.asked


def test_a_server_that_is_not_there_costs_no_verdict(tmp_path: Path) -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as gone:
        port = gone.server_port
    ended = run(tmp_path / "one", f"http://127.0.0.1:{port}", writes=True)
    assert decided(ended)[0] == COUNT


def test_an_address_that_is_none_is_said_without_its_password(tmp_path: Path) -> None:
    ended = run(tmp_path / "one", "http://user:hidden@[::1/ac", writes=True)
    assert decided(ended)[0] == COUNT
    assert "nothing is shared: MUTPROOF_SHARED_CACHE is no address" in ended.err
    assert "hidden" not in ended.err


def test_a_password_does_not_go_to_another_host(shelf: Shelf, tmp_path: Path) -> None:
    with Shelf() as other:
        thread = threading.Thread(target=other.serve_forever)
        thread.start()
        shelf.moved = f"http://127.0.0.1:{other.server_port}"
        assert decided(run(tmp_path / "one", shelf.address))[0] == COUNT
        other.shutdown()
        thread.join()
    assert {USER} == {user for _, user in shelf.asked}
    assert {None} == {user for _, user in other.asked}
