"""Run random models on the product and on a second evaluator, and say where they differ.

    python tests/differential.py --language lustre --count 10000 --seed 1 --jobs 2

Model number N is made of seed + N: a difference is repeated with its seed and a count of 1.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

RECURSION = 20_000
CHUNK = 20


def lustre(seed: int) -> list[str]:
    """Return the differences on the Lustre model of a seed, as texts."""
    from support import lustre_difference

    return [str(found) for found in lustre_difference.differences(seed)]


def nusmv(seed: int) -> list[str]:
    """Return the differences on the NuSMV model of a seed, as texts."""
    from support import nusmv_difference

    return nusmv_difference.differences(seed)


LANGUAGES: Mapping[str, Callable[[int], list[str]]] = {
    "lustre": lustre,
    "nusmv": nusmv,
}
"""What compares one random model, by language: from a seed to the differences."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Return 1 if there are differences, 0 otherwise."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--language", choices=[*LANGUAGES], action="append")
    parser.add_argument("--count", type=int, default=100, help="models of each language")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--quiet", action="store_true", help="print no models")
    chosen = parser.parse_args(arguments)
    total = 0
    for language in chosen.language or [*LANGUAGES]:
        total += report(language, chosen)
    return 1 if total else 0


def report(language: str, chosen: argparse.Namespace) -> int:
    """Compare many models of a language; return how many differ."""
    seeds = range(chosen.seed, chosen.seed + chosen.count)
    counted: Counter[str] = Counter()
    differing, done, started = 0, 0, time.monotonic()
    for seed, found in results(language, seeds, chosen.jobs):
        done += 1
        if found:
            differing += 1
            counted.update(text.partition(":")[0] for text in found)
            shown = [text.partition("\n")[0] if chosen.quiet else text for text in found]
            print(f"\n=== {language} seed {seed}", *shown, sep="\n", flush=True)
        if done % 100 == 0:
            seconds = time.monotonic() - started
            print(f"{language}: {done} models, {differing} differ, {seconds:.0f} s", flush=True)
    kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(counted.items()))
    print(f"{language}: {done} models, {differing} differ{': ' if kinds else ''}{kinds}")
    return differing


def results(language: str, seeds: range, jobs: int) -> Iterator[tuple[int, list[str]]]:
    """Yield each seed with its differences, in order."""
    if jobs <= 1:
        yield from ((seed, one((language, seed))) for seed in seeds)
        return
    with ProcessPoolExecutor(jobs) as pool:
        work = [(language, seed) for seed in seeds]
        yield from zip(seeds, pool.map(one, work, chunksize=CHUNK), strict=True)


def one(work: tuple[str, int]) -> list[str]:
    """Compare one model; an exception is a difference too."""
    language, seed = work
    sys.setrecursionlimit(RECURSION)
    try:
        return LANGUAGES[language](seed)
    except Exception as error:
        return [f"crash: {type(error).__name__}: {error}"]


if __name__ == "__main__":
    sys.exit(main())
