"""Start processes of this package with only the installed modules, bound to a parent.

The user's current folder is not trusted, nor are variables that something in it may have set: a
`queue.py` there must not be run. So Python is started without both, and told where this package is.
Imports next to nothing, as any import here might find such a file.
"""

from __future__ import annotations

import os
import sys
import time

import mutproof

_ROOT = os.path.dirname(os.path.abspath(mutproof.__path__[0]))  # a folder, or an archive
COLD = "cold"
"""The argument of a worker that prepares nothing in advance."""

_PR_SET_PDEATHSIG = 1
_SIGKILL = 9
_POLL_S = 0.25

# This package comes from its own place, others from Python's default places.
_ENTRY = (
    "import sys; sys.path.insert(0, sys.argv[1]); "
    "from mutproof.base import bootstrap; bootstrap.enter()"
)


def command(module: str) -> tuple[str, ...]:
    """Return the words that run `main` of a module of this package in a Python of its own.

    Arguments are appended, the last of which is the process id of the parent.
    """
    # -E: ignore PYTHONPATH, PYTHONSTARTUP and so on; -P: not the current folder.
    flags = ["-E", "-P"]
    if sys.flags.no_user_site:
        flags.append("-s")
    if sys.flags.dont_write_bytecode:
        flags.append("-B")
    if sys.flags.utf8_mode:
        flags += ["-X", "utf8"]
    return (sys.executable, *flags, "-c", _ENTRY, _ROOT, os.pathsep.join(_added()), module)


def enter() -> None:
    """Run the module that the arguments name, in a process that `command` started."""
    _, root, added, module, *arguments = sys.argv
    sys.path.remove(root)
    places = [root, *filter(None, added.split(os.pathsep))]
    sys.path += [place for place in places if place not in sys.path]
    sys.argv[:] = [module, *arguments]
    bind_to(int(arguments[-1]))

    from importlib import import_module

    from mutproof.base.collection import collect_rarely

    collect_rarely()
    import_module(module).main(arguments)


def bind_to(parent: int) -> None:
    """Have this process end when its parent (a process id) ends; at once if it has ended.

    Call it on the main thread, before anything that takes time: the kernel compares with the
    thread that started this process.
    """
    if os.name != "posix":
        return
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, _SIGKILL, 0, 0, 0)
    else:
        import threading

        threading.Thread(target=_watch, args=(parent,), daemon=True).start()
    if os.getppid() != parent:
        os._exit(1)


def keep_installed_modules() -> None:
    """Have this process import nothing from the current folder or from `PYTHONPATH` any more.

    Modules that Python itself imported before are not affected.
    """
    if not sys.flags.safe_path and sys.path:
        del sys.path[0]  # the current folder, or the script's
    if not sys.flags.ignore_environment:
        named = os.environ.get("PYTHONPATH")
        others = {os.path.abspath(place) for place in named.split(os.pathsep)} if named else set()
        others -= _standard()
        sys.path[:] = [place for place in sys.path if os.path.abspath(place) not in others]
    if _ROOT not in sys.path:
        sys.path.append(_ROOT)


def _standard() -> set[str]:
    """Return the folders in which Python looks by default."""
    import site  # imported at the start of Python already

    folders = {os.path.dirname(os.__file__), *site.getsitepackages()}
    if site.ENABLE_USER_SITE:
        folders.add(site.getusersitepackages())
    return {os.path.abspath(folder) for folder in folders}


def _added() -> list[str]:
    """Return the other folders on the path of this process, which makers of archives may add."""
    own = _standard()
    library = os.path.dirname(os.__file__)
    others = {os.getcwd(), _ROOT, os.path.dirname(os.path.abspath(sys.argv[0]))}
    if not sys.flags.ignore_environment:
        named = os.environ.get("PYTHONPATH", "")
        others.update(os.path.abspath(place) for place in named.split(os.pathsep))
    return [
        place
        for place in sys.path
        if os.path.isabs(place)
        and os.pathsep not in place[2:]
        and place not in own | others
        and not place.startswith((library, os.path.dirname(library) + os.sep + "python3"))
    ]


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_POLL_S)
    os._exit(1)
