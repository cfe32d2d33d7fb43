"""What `mutproof explain CODE` prints for the diagnostics of the NuSMV front end."""

from __future__ import annotations

CODES: dict[str, str] = {
    "illegal-character": "This character does not start a NuSMV token. `~`, `@`, `%`, `^` and "
    "`\\` are not used by NuSMV 2.6; outside comments only ASCII is allowed (manual §2.1).",
    "unterminated-comment": "A multi-line comment `/-- … --/` is not closed, so it runs to the "
    "end of the file.",
    "preprocessor-directive": "A line starts with `#`. Only the line markers that cpp leaves "
    "(`# 12 …`) are read.",
    "bad-literal": "A number or word constant that NuSMV cannot read: integers fit in "
    "0..2147483647, a word constant fits its width, and a decimal word names its width.",
    "real-constant": "Real constants (`1.5`, `1e3`, `f'1/2`) belong to nuXmv: they are read only "
    "in a model that declares `integer` or `real` variables.",
    "syntax-error": "A token that fits no rule of the grammar. Every declaration in VAR, DEFINE "
    "and ASSIGN ends with `;`, every branch of a case too, and sets bind looser than `+`.",
    "reserved-word": "A word of the language stands where a name should. Where it is declared, "
    "this is said once; that it is used again is not told.",
    "nesting-too-deep": "Parentheses, brackets and cases are nested more deeply than this tool "
    "reads.",
    "too-many-errors": "The file has more syntax errors; only the first ones are listed.",
    "unexpected-operator": "`next` and the temporal operators are allowed in some expressions "
    "only: INIT, INVAR, FAIRNESS, init() and `:=` take neither; TRANS, next(), DEFINE and "
    "INVARSPEC take `next`; CTLSPEC takes CTL operators, LTLSPEC takes LTL operators and `next` "
    "(manual §2.3).",
    "unsupported-construct": "The construct is read but no finite model can be built from it.",
    "undefined-name": "Nothing in this instance declares the name and it is no symbolic constant. "
    "Identifiers may contain `-`, so `x-1` is one name.",
    "undefined-module": "An instance names a module that the file does not contain.",
    "no-main-module": "The model is the module `main`, and the file has no module of that name.",
    "main-with-parameters": "`main` is not instantiated, so it cannot have parameters.",
    "declared-twice": "Variables, DEFINEs, parameters and instances of a module share one name "
    "space; modules have their own.",
    "ambiguous-name": "Symbolic constants are global, so a variable cannot have the name of one.",
    "recursive-module": "An instance is a copy of its module, so a module cannot contain itself.",
    "too-many-instances": "Each instance is a copy; nested instances multiply.",
    "wrong-arity": "The number of actual parameters differs from the number of formal ones.",
    "recursive-definition": "A value depends on itself within one step. The check looks only at "
    "the text of the assignments, as in the manual §2.3.8: next() assignments of different "
    "processes that read each other's next values are refused too, though one runs at a time.",
    "assigned-twice": "Each variable is defined by `:=` alone, or by at most one init() and at "
    "most one next(); only different processes may share a next().",
    "bad-assignment-target": "The left-hand side of an assignment names a variable, an element "
    "with a constant index, or a parameter bound to one of these.",
    "variable-kind": "Input variables stand in TRANS, next(), DEFINE, LTLSPEC, INVARSPEC and "
    "FAIRNESS only, never inside `next`, never assigned; frozen ones only have an init().",
    "nested-next": "`next(next(x))`, possibly through a DEFINE or a parameter.",
    "type-error": "The operator has no meaning for operands of these types: there is no implicit "
    "conversion between Booleans, integers and words (manual §2.2).",
    "not-constant": "Bounds, widths and shift counts in types are fixed when the model is built.",
    "bad-type": "The type has no values, repeats one, or a word is wider than 64 bits.",
    "case-not-exhaustive": "Some values of the variables involved satisfy no condition. NuSMV "
    "looks at all values, not at reachable ones, and not at INVAR.",
    "value-out-of-range": "For some values of the variables involved the assigned value is not in "
    "the type of the variable. NuSMV looks at all values, not at reachable ones.",
    "division-by-zero": "For some values of the variables involved the divisor is zero and no "
    "guard decides the expression without the quotient.",
    "index-out-of-bounds": "For some values of the variables involved the index is outside the "
    "array.",
    "shift-out-of-range": "A shift amount lies between 0 and the width of the word.",
    "psl-not-checkable": "NuSMV checks the CTL part of PSL and the part that has an LTL "
    "translation: no weak suffix implication. Of that part, mutproof reads no `|` and no `:` "
    "of sequences, only `e[*n]` of repetitions, and sequences only in a suffix implication or "
    "after `never`.",
    "compassion-ignored": "NuSMV 2.6 heeds COMPASSION where diagrams check LTL, not in CTL "
    "(it warns: *results of CTL model checking may be wrong*), and so do verdicts here. JUSTICE "
    "and FAIRNESS count for both: only paths that satisfy them infinitely often are considered.",
    "duplicate-property": "Two properties have the same NAME.",
}
"""What `mutproof explain CODE` prints for each code of this module."""
