"""All verdicts of a file in tables: properties, nodes, elements, and the mutants of each."""

from __future__ import annotations

from clients import ROOT, started
from test_traces import ask

URI = "file:///work/model.lus"
DEMO2 = (ROOT / "examples" / "demo2.lus").read_text()


async def test_the_tables_agree_with_the_counts_of_the_run():
    async with started() as client:
        client.open(URI, DEMO2)
        await client.done(URI)
        found = await ask(client, "mutproof/overview", URI)
        (prop,) = found["properties"]
        assert ("Prop1", "proved", 5, "") == (
            prop["name"], prop["verdict"], prop["kills"], prop["traced"],
        )  # fmt: skip
        assert "done" == found["phase"]
        (node,) = found["components"]
        assert (5, 17, 22) == tuple(node["counts"][n] for n in ("killed", "survived", "total"))
        d, b = node["elements"]
        assert ["d", "b"] == [d["label"], b["label"]]
        assert [] == d["cells"]
        assert [{"property": 0, "mark": "MUST", "kills": 5}] == b["cells"]
        assert {"line": 5, "character": 2} == d["range"]["start"]
        assert {"line": 5, "character": 3} == d["head"]["end"]

        own = await ask(client, "mutproof/mutants", URI, element=d["key"])
        assert 8 == len(own)
        assert {"gap"} == {mutant["status"] for mutant in own}
        (wider,) = [mutant for mutant in own if mutant["operator"] == "g2ge"]
        assert "first differs at step 0" == wider["said"]
        assert wider["traced"]
        behaviours = {mutant["behaviour"] for mutant in own}
        assert "" not in behaviours

        everything = await ask(client, "mutproof/mutants", URI)
        assert 22 == len(everything)
        killed = [mutant for mutant in everything if mutant["status"] == "killed"]
        assert [("Prop1", "", True)] * 5 == [
            (mutant["said"], mutant["behaviour"], mutant["traced"]) for mutant in killed
        ]
        trace = await ask(client, "mutproof/trace", URI, kind="mutant", name=wider["mutant"])
        assert "d: `>` → `>=`" == trace["title"]

        client.replace(URI, DEMO2.replace("a1 > 0", "a1 > 1"))
        found = await ask(client, "mutproof/overview", URI)
        assert found["components"][0]["elements"][0]["stale"]


async def test_a_text_without_a_meaning_and_a_file_that_is_not_open_have_none():
    async with started() as client:
        client.open(URI, "node main(")
        assert await ask(client, "mutproof/overview", URI) is None
        assert [] == await ask(client, "mutproof/mutants", URI)
        assert await ask(client, "mutproof/overview", "file:///closed.lus") is None
