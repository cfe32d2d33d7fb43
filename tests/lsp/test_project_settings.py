"""What `mutproof.toml` says counts in an editor as it does for the command."""

from __future__ import annotations

from pathlib import Path

from clients import ROOT, Client, started
from lsprotocol import types

DEMO2 = (ROOT / "examples" / "demo2.lus").read_text()
PAPER, DEFAULT = 22, 14
"""How many mutants the model has at these levels."""


def mutants(client: Client) -> int:
    """Return how many mutants the last run decided."""
    return sum(client.counts[-1][name] for name in ("killed", "survived"))


def wrote(client: Client, path: Path, text: str) -> None:
    """Write a file of settings, and tell the server."""
    path.write_text(text)
    event = types.FileEvent(path.as_uri(), types.FileChangeType.Changed)
    client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([event]))


async def test_the_nearest_file_counts_before_settings_of_the_editor(tmp_path: Path) -> None:
    project, uri = tmp_path / "mutproof.toml", (tmp_path / "demo2.lus").as_uri()
    project.write_text('level = "paper"\n\n[mutate]\nmost-mutants = 9\n')
    async with started(level="default") as client:
        client.open(uri, DEMO2)
        await client.done(uri)
        assert 9 == mutants(client)

        wrote(client, project, 'level = "paper"\n')
        await client.until(lambda: mutants(client) == PAPER)

        wrote(client, project, 'level = "default"\n')
        await client.until(lambda: mutants(client) == DEFAULT)

        client.settings["level"] = "paper"
        client.workspace_did_change_configuration(types.DidChangeConfigurationParams(None))
        wrote(client, project, 'level = "default"\nmost-mutants = 5\n')
        await client.until(lambda: mutants(client) == 5)
        wrote(client, project, 'level = "default"\n')
        await client.until(lambda: mutants(client) == DEFAULT)
        client.settings["level"] = "default"
        client.workspace_did_change_configuration(types.DidChangeConfigurationParams(None))

        wrote(client, project, 'level = "paper"\n')
        await client.until(lambda: mutants(client) == PAPER)
        wrote(client, project, '[[files]]\npath = "other.lus"\nlevel = "paper"\n')
        await client.until(lambda: mutants(client) == DEFAULT)
        assert [] == client.messages


async def test_what_is_wrong_in_it_is_said_once_and_does_not_count(tmp_path: Path) -> None:
    project, uri = tmp_path / "mutproof.toml", (tmp_path / "demo2.lus").as_uri()
    project.write_text('levle = "paper"\n')
    async with started(level="default") as client:
        client.open(uri, DEMO2)
        await client.done(uri)
        client.save(uri)
        await client.done(uri)
        await client.until(lambda: client.messages)
        assert DEFAULT == mutants(client)
        (told,) = client.messages
        assert told.type == types.MessageType.Warning
        assert "levle" in told.message
        assert "level" in told.message.replace("levle", "")

        project.unlink()
        wrote(client, tmp_path / "pyproject.toml", '[tool.mutproof]\nlevel = "paper"\n')
        await client.until(lambda: mutants(client) == PAPER)
