"""Say why a model has no mutants, so that a score over none is not taken for a success."""

from __future__ import annotations

from mutproof.analyses.claims.finding import ModelFault, ModelFinding
from mutproof.model.program import Program, Role
from mutproof.model.roles import roles


def nothing_to_mutate(program: Program, operators: int) -> ModelFinding:
    """Return what is to be said of a program on which none of some operators makes a mutant."""
    design = sum(role is Role.DESIGN for role in roles(program).values())
    if not design:
        why = "all equations state properties or are read by these only"
        if not any(program.elements()):
            why = "nothing is defined or constrained"
    elif not operators:
        why = "no mutation operator was chosen that its language has"
    else:
        of = f"none of {operators} operators fits" if operators > 1 else "the operator does not fit"
        what = f"any of the {design} elements" if design > 1 else "the only element"
        why = f"{of} {what} of the design"
    return ModelFinding(ModelFault.NOTHING_TO_MUTATE, f"there is nothing to mutate: {why}")
