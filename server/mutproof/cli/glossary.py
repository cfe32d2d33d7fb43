"""The words that `mutproof explain` explains, in the order of its list."""

from __future__ import annotations

from collections.abc import Mapping

_VACUOUS = (
    "A property is proved and could not have failed: what it speaks of never occurs, or it holds"
    " whatever the model does."
)

GLOSSARY: Mapping[str, str] = {
    "element": (
        "One thing of the model that can be removed or mutated on its own: a Lustre equation or"
        " `assert`; a NuSMV `init(x)`, `next(x)` or `x :=` assignment, a `DEFINE`, or an `INIT`,"
        " `TRANS` or `INVAR` constraint."
    ),
    "design": (
        "The elements that describe the system. Only the design is mutated. What states"
        " properties is the specification: property equations, and equations without memory or"
        " calls that nothing but properties reads. Memory and calls describe the system even if"
        " only a property reads them. Where nothing else is left, only property equations are"
        " specification. In NuSMV it is the DEFINEs that nothing but properties reads."
    ),
    "specification": "The elements that state properties, as opposed to the design.",
    "baseline": (
        "The unmutated model. A property takes part in mutation proof only once it is proved on"
        " the baseline."
    ),
    "mutant": (
        "The model with one small syntactic change: an operator, an element, and a place in the"
        " element. Reports name its line and column and the text that would make the change."
        " In NuSMV models, the operands of `abs`, `min` and `max` are not changed (the language"
        " copies them), and `advise` does not look at conditionals in them."
    ),
    "pair": (
        "Two mutants made at once, at places of which neither is inside the other: `mutate --order"
        " 2`. Chosen are pairs of gaps, and pairs of which both parts are killed by the same one"
        " property: in one element, in two of which one reads the other, in two that something"
        " reads together, and then in others that some property depends on together. Where none"
        " does, what kills the pair kills a part. Pairs are decided and checked as mutants are."
        " Telling are those whose verdict does not follow from the parts: see pair-killed and"
        " pair-masked. Pairs count in no score or gate, and have no baseline or certificate."
    ),
    "pair-killed": (
        "Of two mutants each survives, and the properties kill both at once: they notice the"
        " combination only. Each of the two is still a gap."
    ),
    "pair-masked": (
        "Of two mutants each is killed, by the same property alone, and both at once survive: the"
        " second undoes or hides what the first does. If the pair is equivalent, the two changes"
        " together are another way to write the model; if it is a gap, a property is missing."
    ),
    "killed": (
        "Some property that is proved on the baseline is violated by the mutant. The report names"
        " all such properties; the violation was replayed by an evaluator of the language."
    ),
    "survived": (
        "Every property proved on the baseline is proved on the mutant too: no property notices"
        " the change. Either the change makes no difference, or a property is missing."
    ),
    "unknown": (
        "Neither proved nor violated within the budget. The report gives the reason and the"
        " number of steps without a violation. An unknown is never counted as anything else;"
        " raise --rlimit or --timeout to decide more."
    ),
    "equivalent": (
        "Said of a survivor that is proved to be indistinguishable from the model in what is"
        " compared: the outputs of the main component, or all variables. No property of these"
        " can ever kill it."
    ),
    "gap": (
        "A survivor that is not equivalent: an execution exists on which model and mutant differ,"
        " and no property looks. A property is missing there. Where the mutant changes what an"
        " assertion says, an execution that only one of the two allows is a difference. In Lustre"
        " both start from the same values before the first step, arbitrary ones: a property may"
        " read them too, as in `(y = pre x) -> true`."
    ),
    "restriction": (
        "A gap that only excludes executions: it is shown that each execution of the mutant is one"
        " of the model, as where an assertion says more. What is proved of all executions holds on"
        " fewer, too, so no such property can notice; in NuSMV one that says what is possible (EF)"
        " may. Review what is assumed there: is as much of the environment allowed as should be? A"
        " gap without that label may also allow more, or it was not shown that it does not."
    ),
    "behaviour": (
        "A class of gaps of an element that are proved to be the same model: their changed parts"
        " have one canonical form. A behaviour follows from another one if every test that shows"
        " that one shows it too; this rests on some random executions (steps of states, where"
        " constraints relate states) and is only a reason to look at the other one first. Scores"
        " and exit codes count gaps, not behaviours."
    ),
    "fact": (
        "An invariant of the model that the engines found and that was checked again. It notices a"
        " mutant if an execution of the mutant, run by the evaluator, reaches a state in which it"
        " is false; that none does is said of the executions that were tried. A mutant that facts"
        " alone notice lacks a property that is known already."
    ),
    "undetermined": (
        "A survivor that is neither proved equivalent nor shown to differ within the budget. It"
        " counts as a survivor in the score."
    ),
    "stillborn": (
        "A mutant that is no model: ill-typed, circular, without an initial state, deadlocked, or"
        " contradicting its assumptions. So is one without a fair path where a temporal property is"
        " asked and no invariant, which ignores fairness, fails. It is not counted in the score."
    ),
    "ignored": "A mutant that a comment in the model suppresses, with a reason.",
    "score": (
        "killed / (killed + survived + unknown); survivors known to be equivalent (mutate"
        " --equivalence) are left out. The raw ratio killed / all, which the first"
        " paper uses, is printed next to it."
    ),
    "ivc": (
        "Inductive validity core: a minimal set of elements that proves a property. MUST: in"
        " every core. MAY: in some core. The property does not need the other elements."
        " `mutproof core` shows one core, with --minimum a smallest one, with --all every one. A"
        " search that is incomplete says what is open: MUST is then what is known to be needed."
    ),
    "minimal": (
        "Said of a core: no element of it can be left out. `prove` looks for that for a part of the"
        " proof's effort, and says of other cores `not known to be minimal`; `--minimal-core` goes"
        " on until it is known, as `mutproof core` always does."
    ),
    "must": "Said of an element that is in every inductive validity core of a property; see ivc.",
    "may": "Said of an element that is in some core of a property, but not in all; see ivc.",
    "k-induction": (
        "A proof that a property holds for the first k steps, and that k steps without a violation"
        " are followed by a further one. k is the depth that reports name."
    ),
    "k": (
        "Behind a proof: the depth of its k-induction (see there). Behind a kill: how many steps"
        " its execution has; `shortest` tells that none of fewer steps shows a violation."
    ),
    "shortest": "Of a kill: no execution of fewer steps shows that a property fails; see k.",
    "alone": "How many mutants a property kills that no other property kills.",
    "backward": (
        "A proof by all states from which a property of a finite system can come to fail: they are"
        " computed as decision diagrams, one step after the other, and none is initial. A solver"
        " checks that no step enters them."
    ),
    "reachability": (
        "A proof by all reachable states of a system that has finitely many: they are computed as"
        " decision diagrams, written as one invariant, and that is checked by a solver."
    ),
    "exploration": (
        "A mutant was decided by visiting all reachable states, because the model has few and its"
        " inputs have few values. Violations found so are shortest; what holds is proved by the"
        " reachable states as an invariant, which a solver checks. In NuSMV violations are short,"
        " and what holds is decided a second time: by the evaluator, which finds no step that"
        " differs from those of the model, or by diagrams."
    ),
    "certificate": (
        "What makes a proof checkable by others: lemmas that together with the property are"
        " k-inductive. `--certify DIR` writes each as an SMT-LIB script, all of whose checks"
        " must answer unsat: the claim holds in the first k states, and k states in which it"
        " holds are followed by another one. Survivors that no proof rests on share the"
        " script of the model. cvc5 confirms a script, refutes it, or leaves it open (not"
        " confirmed)."
    ),
    "proved": (
        "A property holds in every execution of the model that its assumptions allow: there is a"
        " certificate, and a solver of its own checked it again."
    ),
    "falsified": (
        "A property does not hold: the report shows an execution that violates it, as the"
        " evaluator of the language ran it. Such a property kills no mutant."
    ),
    "counterexample": (
        "The execution that falsifies a property, step by step from 0. Where a property fails only"
        " if an execution goes on for ever, a last line says from which step it does so again."
    ),
    "witness": (
        "Of a proved property that asks for an execution (NuSMV's `EF`, `EG`, `E [p U q]` …): one"
        " that shows it, where a single one does."
    ),
    "computed": (
        "The answer to a NuSMV COMPUTE: the fewest (MIN) or most (MAX) steps from one state to"
        " another one."
    ),
    "core": (
        "Of a property: its inductive validity core, see ivc. Of a survivor: the mutant changes an"
        " element that the proofs of all properties do without, so the proofs stand as they are."
        " A property whose core is empty holds whatever the elements say, by types or fairness"
        " alone, or in any model, so it can kill no mutant."
    ),
    "unneeded": (
        "An element that is in no core of any property: whatever it says, the properties stay"
        " proved. Either it is not observed, or a property is missing."
    ),
    "simulation": "A mutant was killed, or a property falsified, by an execution on random inputs.",
    "replay": "A mutant was killed by an execution that killed another one, or it before.",
    "lasso": (
        "A property of CTL or LTL is violated by an execution that ends in a loop, which the"
        " evaluator has followed: it repeats the loop for ever."
    ),
    "bdd": (
        "Found with binary decision diagrams of all states, of many mutants at once where that"
        " pays. Executions that are found so are run by the evaluator; other verdicts are"
        " computed a second time, in another way, before they count."
    ),
    "same-steps": (
        "A mutant has all properties of the model, for it takes the same steps from the states"
        " that the model reaches: decision diagrams say so twice, with two orders of bits."
    ),
    "diagrams": "The same as bdd, of findings of `mutproof advise`.",
    "vacuous": _VACUOUS,
    "nobody-notices": (
        "A hint in editors: every change of the element survives, and none of the invariants that"
        " are known was false in the executions of these mutants that were tried."
    ),
    "unused-suppression": (
        "A comment suppresses mutants, and there is none at its place that it names. Take it away,"
        " or mend what it names."
    ),
    "suppression-without-reason": (
        "A comment that suppresses mutants has to say why, after a colon; without a reason it"
        " suppresses nothing: `-- mutproof disable next-line g2ge: the bound is checked elsewhere`."
    ),
    "unknown-operator": (
        "A comment that suppresses mutants names what no mutation operator is called;"
        " `mutproof explain` lists them."
    ),
    "more-findings": "Editors list only some findings of a file; `mutproof mutate` lists all.",
    "kept": "A verdict of an earlier run that stands: it rests on nothing that has changed since.",
    "replayed": "A verdict of an earlier run: its execution was run again, and shows it still.",
    "re-proved": "A verdict of an earlier run: its certificate was checked again on this model.",
    "same-constraints": (
        "Said of a survivor that is equivalent: the mutant says the same in other words, so it is"
        " the same model."
    ),
    "property-falsified": "See falsified. The place is the one at which the property is stated.",
    "property-unknown": "See unknown. More time (--rlimit, --timeout) may decide the property.",
    "property-core": (
        "A property is proved, and the elements named suffice for the proof: its cores. What is in"
        " every core cannot go. See core."
    ),
    "element-in-no-core": (
        "No core that was found of a proved property has this element: these properties hold"
        " without it. Where not all cores were asked for (core --all), another one may have it."
    ),
    "property-vacuous": _VACUOUS,
    "nothing-to-measure": (
        "No property of the model takes part: none is proved on the unmutated model, or those that"
        " are could not have failed. No mutant is decided then, as nothing could notice it."
    ),
    "chance": (
        "Of a mutant in `mutproof tests`: the collected tests seem to kill it, but what no input"
        " determines (a first value, an equation that was removed) decides whether outputs differ."
    ),
    "assumes": (
        "Of a mutant in `mutproof tests`: it computes what the model computes and only assumes"
        " something else of its inputs, so no test can show it."
    ),
    "integer": (
        "Integers are unbounded, in both languages. Those of NuSMV have 32 bits and wrap silently:"
        " `2147483647 + 1 > 0` is false to NuSMV, and proved here. Where sums or products may leave"
        " -2147483648..2147483647, verdicts may differ; `word[32]` wraps in both."
    ),
    "level": (
        "A choice of mutation operators. default: those of the first paper's Table 2; paper: with"
        " equal_V and init_V, as in its Figure 5; all: every operator there is."
    ),
}
