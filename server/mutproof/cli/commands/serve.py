"""`mutproof serve`: a server for an editor, of the language server or mutation server protocol."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import Final

from mutproof.cli.command import Command
from mutproof.cli.exit_codes import ExitCode
from mutproof.cli.failure import UserError
from mutproof.cli.parser import PASSED_ON

_CHANNELS: Final = ("stdio", "socket")
_LANGUAGE: Final = "lsp"
_MUTATION: Final = "msp"


def configure(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "channel",
        nargs="?",
        choices=_CHANNELS,
        help="serve the mutation server protocol on standard streams, or on a socket with --port"
        " and --address; options of `mutproof mutate` may follow behind --",
    )
    parser.add_argument(
        "--protocol",
        choices=(_LANGUAGE, _MUTATION),
        default=None,
        help=f"{_LANGUAGE}: the language server protocol (the default); {_MUTATION}: the mutation"
        " server protocol (the default for stdio and socket)",
    )
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
    parser.add_argument("--port", type=_port, metavar="N", help="the port for socket")
    parser.add_argument(
        "--address", default=None, metavar="HOST", help="the address for socket (default localhost)"
    )
    parser.set_defaults(**{PASSED_ON: []})
    # Editors pass this by convention, and also send the process id with `initialize`.
    parser.add_argument("--clientProcessId", type=int, metavar="PID", help=_PROCESS_HELP)


_PROCESS_HELP = "end when the process with this id ends"


def run(arguments: Namespace) -> ExitCode:
    """Serve until the editor leaves.

    Raises:
        UserError: an address is invalid or cannot be used, or options exclude each other.
    """
    if arguments.channel is not None or arguments.protocol == _MUTATION:
        return _serve_mutants(arguments)
    if arguments.port is not None or arguments.address is not None or arguments.passed_on:
        way_out = "name a channel, stdio or socket; or --tcp HOST:PORT for an editor"
        message = "--port, --address and options behind -- are for the mutation server protocol"
        raise UserError("usage", message, way_out=way_out)
    addresses = {"tcp": arguments.tcp, "ws": arguments.ws}
    chosen = {kind: address for kind, address in addresses.items() if address is not None}
    client = arguments.clientProcessId
    from mutproof.cli.editor_settings import of_model

    if not chosen:
        from mutproof.lsp import launch

        launch.launch(client, of_model)
    for kind, address in chosen.items():
        host, port = _address(address)
        from mutproof.lsp import server

        transport = server.Transport(kind, host, port, tuple(arguments.origin))
        server.serve(transport, lambda: server.make(project=of_model), client=client)
    return ExitCode.OK


def _serve_mutants(arguments: Namespace) -> ExitCode:
    """Serve the mutation server protocol until the client disconnects."""
    socket = arguments.channel == "socket"
    wrong = ""
    if arguments.protocol == _LANGUAGE or any((arguments.tcp, arguments.ws, arguments.origin)):
        wrong = "a channel is for the mutation server protocol"
    elif socket != (arguments.port is not None) or (arguments.address and not socket):
        wrong = "socket needs --port; stdio takes no port and no address"
    if wrong:
        raise UserError("usage", wrong, way_out="see `mutproof serve --help`")
    from mutproof.cli import launch, mutation_server

    options = mutation_server.arguments(arguments.passed_on, None)
    with launch.launched(options) as worker:
        address = (arguments.address or "localhost", arguments.port) if socket else None
        mutation_server.serve(arguments.passed_on, options, worker, address)
    return ExitCode.OK


def _port(text: str) -> int:
    return _address(f":{text}")[1]


def _address(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    if not port.isdigit() or int(port) > 65535:
        message = f"{text!r} is no address"
        raise UserError("no-address", message, way_out="write HOST:PORT, such as 127.0.0.1:9257")
    return host or "127.0.0.1", int(port)


COMMAND = Command(
    "serve",
    "serve an editor: as a language server, or as a mutation server",
    configure,
    run,
    (
        ("mutproof serve", "what an editor starts"),
        ("mutproof serve --tcp 127.0.0.1:9257", "for a client that connects to a port"),
        ("mutproof serve stdio -- --level paper", "for clients of the mutation server protocol"),
    ),
)
