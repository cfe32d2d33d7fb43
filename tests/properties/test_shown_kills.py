"""What is shown of an execution that kills a mutant is an execution of the mutant."""

from __future__ import annotations

from mutproof.workspace.options import Options
from support.reading import accepted_in, analysed

FOLLOWERS = """\
MODULE follower(go, limit)
VAR k : 0..3;
ASSIGN
  init(k) := limit;
  next(k) := case go & k < 3 : k + 1; k = limit : 0; TRUE : {k, limit}; esac;
DEFINE top := k >= limit;
FAIRNESS top;
MODULE main
VAR go : boolean;
VAR first : follower(go, 3);
VAR second : follower(go, 2);
VAR seen : 0..3;
ASSIGN
  next(seen) := case 2 <= second.k : 3; TRUE : seen; esac;
INVARSPEC NAME later := !next(second.top);
LTLSPEC NAME ends := X ((second.k <= second.k U go & second.top) U !first.top);
"""


def test_what_does_not_go_on_as_the_loop_says_is_not_shown() -> None:
    options = Options(operators=("SA1",), level="all", cores=False)
    found = analysed(accepted_in("nusmv", FOLLOWERS), options)

    traces = [one.trace for one in found.mutants if one.trace is not None]
    # After two steps `seen` stays 3: no loop leads back to another value.
    loops = [trace.steps[trace.loop :] for trace in traces if trace.loop is not None]
    assert loops
    assert all(len({step.get("seen") for step in loop}) == 1 for loop in loops)
