"""`mutproof serve`: the language server for an editor."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from mutproof.cli.command import Command
from mutproof.cli.exit_codes import ExitCode
from mutproof.cli.failure import UserError


def configure(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    group = parser.add_mutually_exclusive_group()
    group.add_argument(
        "--stdio", action="store_true", help="speak on standard input and output (the default)"
    )
    group.add_argument("--tcp", metavar="HOST:PORT", help="wait for one editor on a TCP port")
    group.add_argument("--ws", metavar="HOST:PORT", help="wait for one editor on a websocket")
    parser.add_argument(
        "--origin",
        action="append",
        default=[],
        metavar="URL",
        help="with --ws: pages of this origin may connect, such as https://editor.example;"
        " no other page may, only programs that are no browsers (may be repeated)",
    )
    # Editors pass this by convention; the process id also comes with `initialize`.
    parser.add_argument("--clientProcessId", type=int, metavar="PID", help=_PROCESS_HELP)


_PROCESS_HELP = "end when the process with this id ends"


def run(arguments: Namespace) -> ExitCode:
    """Serve until the editor leaves.

    Raises:
        UserError: an address is none.
    """
    addresses = {"tcp": arguments.tcp, "ws": arguments.ws}
    chosen = {kind: address for kind, address in addresses.items() if address is not None}
    client = arguments.clientProcessId
    if not chosen:
        from mutproof.lsp import launch

        launch.launch(client)
    for kind, address in chosen.items():
        host, port = _address(address)
        from mutproof.lsp import server

        server.serve(server.Transport(kind, host, port, tuple(arguments.origin)), client=client)
    return ExitCode.OK


def _address(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    if not port.isdigit() or int(port) > 65535:
        message = f"{text!r} is no address"
        raise UserError("no-address", message, way_out="write HOST:PORT, such as 127.0.0.1:9257")
    return host or "127.0.0.1", int(port)


COMMAND = Command(
    "serve",
    "run the language server for an editor",
    configure,
    run,
    (
        ("mutproof serve", "what an editor starts"),
        ("mutproof serve --tcp 127.0.0.1:9257", "for a client that connects to a port"),
    ),
)
