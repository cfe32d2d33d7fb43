"""z3's C interface, from the shared library beside its own files: only the functions used here.

z3's Python package declares all functions when it is imported, which takes as long as a small
proof; it looks for the library in the current folder first, and would run what is there; and it
asks after every call whether there was an error. Here a function is declared when it is first
called, and z3 tells of errors by itself.
"""

from __future__ import annotations

import builtins
import ctypes
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec, module_from_spec
from typing import Any, Final

__all__ = ["FUNCTIONS", "Ast", "Z3Exception", "api", "raw_array", "without_classes"]

Ast: Final = ctypes.c_void_p
"""The address of a formula; other objects of z3 have addresses too."""


class Z3Exception(Exception):  # noqa: N818 - z3's name
    """Say that a call had no result, in z3's words."""


@contextmanager
def without_classes() -> Iterator[None]:
    """Have imports of z3's modules, inside, not import what the package imports by itself.

    Whoever imports the package afterwards gets all of it.
    """
    found = find_spec("z3") if "z3" not in sys.modules else None
    if found is not None:
        sys.modules["z3"] = module_from_spec(found)
    try:
        yield
    finally:
        if found is not None:
            del sys.modules["z3"]


def raw_array(items: Sequence[Any]) -> Any:
    """Return addresses as an array of the C interface."""
    return (Ast * len(items))(*items)


_WITHOUT_CONTEXT: Final = {"p": "mk_config", "vp": "del_config", "pp": "mk_context"}

_IN_CONTEXT: Final = {
    "p": "mk_bool_sort mk_int_sort mk_real_sort mk_true mk_false mk_params mk_simple_solver"
    " mk_solver mk_fixedpoint",
    "pp": "mk_not mk_unary_minus mk_bvnot mk_bvneg mk_int2real mk_real2int mk_solver_for_logic"
    " solver_get_assertions solver_get_model solver_get_statistics solver_get_unsat_core"
    " fixedpoint_get_answer func_interp_get_else func_entry_get_value get_app_decl get_sort"
    " get_quantifier_body",
    "ppp": "mk_eq mk_implies mk_iff mk_xor mk_lt mk_le mk_gt mk_ge mk_div mk_mod mk_const mk_concat"
    " mk_bvslt mk_bvsle mk_bvsgt mk_bvsge mk_bvult mk_bvule mk_bvugt mk_bvuge mk_bvadd mk_bvsub"
    " mk_bvmul mk_bvand mk_bvor mk_bvxor mk_bvxnor mk_bvudiv mk_bvurem mk_bvsdiv mk_bvsrem mk_bvshl"
    " mk_bvashr mk_bvlshr model_get_func_interp",
    "pppp": "mk_ite",
    "pup": "mk_and mk_or mk_add mk_sub mk_mul mk_sign_ext mk_zero_ext mk_int2bv",
    "pupu": "mk_atmost",
    "puup": "mk_extract",
    "ppb": "mk_bv2int",
    "pu": "mk_bv_sort",
    "psp": "mk_numeral",
    "ps": "mk_string_symbol",
    "ppup": "mk_app",
    "ppupp": "mk_func_decl substitute",
    "puupupp": "mk_forall_const",
    "ppu": "ast_vector_get func_interp_get_entry func_entry_get_arg get_app_arg",
    "v": "del_context interrupt",
    "vp": "ast_vector_inc_ref ast_vector_dec_ref fixedpoint_inc_ref fixedpoint_dec_ref"
    " func_entry_inc_ref func_entry_dec_ref func_interp_inc_ref func_interp_dec_ref model_inc_ref"
    " model_dec_ref params_inc_ref params_dec_ref solver_inc_ref solver_dec_ref solver_push"
    " solver_interrupt stats_inc_ref stats_dec_ref",
    "vpp": "solver_assert solver_set_params fixedpoint_set_params fixedpoint_register_relation",
    "vppb": "params_set_bool",
    "vppp": "params_set_symbol fixedpoint_add_rule",
    "vppu": "params_set_uint",
    "vpu": "solver_pop",
    "vu": "set_ast_print_mode",
    "ip": "get_bool_value",
    "ipup": "solver_check_assumptions fixedpoint_query_relations",
    "up": "ast_vector_size func_interp_get_num_entries get_app_num_args get_ast_id get_ast_kind"
    " get_decl_kind get_index_value get_sort_kind stats_size",
    "upu": "stats_get_uint_value",
    "bpp": "is_eq_func_decl model_has_interp",
    "bppbp": "model_eval",
    "sp": "ast_to_string get_numeral_string solver_get_reason_unknown"
    " fixedpoint_get_reason_unknown",
    "spu": "stats_get_key",
    "ss": "eval_smtlib2_string",
}
"""Functions by what they return and take after the context: (p)ointer, (u)nsigned, (i)nteger,
(b)ool, (s)tring, (v)oid. Source: z3_api.h of Z3 4.13."""

FUNCTIONS: Final = {
    name: (key, has_context)
    for known, has_context in ((_WITHOUT_CONTEXT, False), (_IN_CONTEXT, True))
    for key, names in known.items()
    for name in names.split()
}
"""Types of each function, and whether a context comes before what it takes."""

_INTERRUPTS: Final = frozenset({"interrupt", "solver_interrupt"})

_TYPES: Final = {
    "p": ctypes.c_void_p,
    "u": ctypes.c_uint,
    "i": ctypes.c_int,
    "b": ctypes.c_bool,
    "s": ctypes.c_char_p,
    "v": None,
}

_FAILED: Final[dict[int, int]] = {}
"""The error codes of contexts in which a call had no result, until that call returns."""


def _note(context: int, code: int) -> None:
    """Leave an error to the call that it ends; by default z3 would end the process."""
    _FAILED[context] = code


_HANDLER: Final = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint)(_note)


class _Interface:
    """Hold the functions of the C interface, each declared when it is first asked for.

    All raise `Z3Exception` where z3 has no result. Texts are Python's.
    """

    def __init__(self) -> None:
        self._library = _library()

    def __getattr__(self, name: str) -> Any:
        short = name.removeprefix("Z3_")
        if short not in FUNCTIONS:
            raise AttributeError(name)
        key, has_context = FUNCTIONS[short]
        found = self._declared(name, f"{key[0]}p{key[1:]}" if has_context else key)
        # Interrupts come from other threads, which must not take the error of the call they end.
        if has_context and short not in _INTERRUPTS:
            found = self._checked(found, texts="s" in key)
        setattr(self, name, found)
        return found

    def handle_errors(self, context: int) -> None:
        """Have the calls in a context raise their errors."""
        function = self._library["Z3_set_error_handler"]
        function.restype, function.argtypes = None, (ctypes.c_void_p, type(_HANDLER))
        function(context, _HANDLER)

    def version(self) -> str:
        """Return z3's name and version."""
        return str(self._declared("Z3_get_full_version", "s")().decode())

    def _declared(self, name: str, key: str) -> Any:
        function = self._library[name]  # not kept by the library, unlike an attribute
        result, *arguments = (_TYPES[letter] for letter in key)
        function.restype, function.argtypes = result, tuple(filter(None, arguments))
        return function

    def _checked(self, function: Any, *, texts: bool) -> Callable[..., Any]:
        failed = _FAILED

        def call(context: int, *arguments: Any) -> Any:
            found = function(context, *arguments)
            if failed and context in failed:
                raise self._error(context)
            return found

        def call_with_texts(context: int, *arguments: Any) -> Any:
            encoded = [a.encode() if isinstance(a, str) else a for a in arguments]
            found = call(context, *encoded)
            return found.decode(errors="replace") if isinstance(found, bytes) else found

        return call_with_texts if texts else call

    def _error(self, context: int) -> Z3Exception:
        message = self._declared("Z3_get_error_msg", "spu")(context, _FAILED.pop(context))
        return Z3Exception(message.decode(errors="replace"))


def _library() -> ctypes.CDLL:
    """Return z3's shared library: the one in its package, else the one that the system finds."""
    ending = {"win32": "dll", "darwin": "dylib"}.get(sys.platform, "so")
    for folder in _FOLDERS:
        names = os.listdir(folder) if os.path.isdir(folder) else ()
        for name in sorted(names, reverse=True):
            if name.startswith("libz3.") and ending in name.split("."):
                return ctypes.CDLL(os.path.join(folder, name))
    return ctypes.CDLL(f"libz3.{ending}")


def _folders() -> list[str]:
    """Return the folders in which z3 looks for its library, without the current folder."""
    found = find_spec("z3")
    places = list(found.submodule_search_locations or ()) if found is not None else []
    inner = [os.path.join(place, "lib") for place in places]
    named = os.environ.get("Z3_LIBRARY_PATH", "")
    return [*inner, *places, os.path.join(sys.prefix, "lib"), *named.split(os.pathsep)]


_FOLDERS: Final = [folder for folder in _folders() if os.path.isabs(folder)]
builtins.Z3_LIB_DIRS = _FOLDERS  # type: ignore[attr-defined] # for those who import z3 later

api: Final = _Interface()
