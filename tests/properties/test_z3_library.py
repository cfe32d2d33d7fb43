"""The part of z3's C interface that is declared here is declared as z3's own package has it."""

from __future__ import annotations

import ctypes
import threading
from typing import Any

import pytest
from z3 import z3consts, z3core

from mutproof.solving.z3_context import Z3Context
from mutproof.solving.z3_library import FUNCTIONS, Z3Exception, _note, api
from mutproof.solving.z3_solver import Z3Solver

KINDS = {
    "u": (ctypes.c_uint,),
    "i": (ctypes.c_int,),
    "b": (ctypes.c_bool,),
    "s": (ctypes.c_char_p,),
    "p": (ctypes.c_void_p,),
}


def kind(declared: Any) -> str:
    """Return the letter of a type of z3's package; what it points to does not matter."""
    if hasattr(declared, "contents"):
        return "p"
    return next(letter for letter, types in KINDS.items() if issubclass(declared, types))


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_a_function_takes_and_returns_what_z3_says(name: str) -> None:
    (checked,) = getattr(z3core, f"Z3_{name}").__defaults__
    declared = checked.f
    key, has_context = FUNCTIONS[name]
    whole = f"{key[0]}p{key[1:]}" if has_context else key

    assert "".join(map(kind, declared.argtypes)) == whole[1:]
    if whole[0] != "v":  # the package does not say which functions return nothing
        assert kind(declared.restype) == whole[0]


def test_a_call_without_a_result_raises_what_z3_says() -> None:
    context = Z3Context()
    other = Z3Context()
    with pytest.raises(Z3Exception, match="wrong sort"):
        context.call("bvadd", context.true, context.int_(1))

    assert "true" == context.text(context.true)
    assert "true" == other.text(other.true)


def test_an_interrupt_leaves_an_error_to_the_call_it_ends() -> None:
    context = Z3Context()
    _note(context.raw, z3consts.Z3_INVALID_ARG)  # as z3 does in a call, before that returns
    context.interrupt()

    with pytest.raises(Z3Exception, match="invalid argument"):
        context.call("not", context.true)


def test_no_other_function_is_there() -> None:
    with pytest.raises(AttributeError):
        _ = api.Z3_mk_nothing


def test_a_solver_collected_in_another_thread_is_released_in_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    threads, release = [], api.Z3_solver_dec_ref

    def noting(context: int, solver: int) -> None:
        threads.append(threading.get_ident())
        release(context, solver)

    monkeypatch.setattr(api, "Z3_solver_dec_ref", noting)
    context = Z3Context()
    solvers = [Z3Solver(context)]
    collector = threading.Thread(target=solvers.clear)
    collector.start()
    collector.join()
    assert not threads

    last = Z3Solver(context)
    del last
    assert threads == [threading.get_ident()] * 2
