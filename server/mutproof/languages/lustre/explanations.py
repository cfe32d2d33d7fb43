"""What `mutproof explain CODE` prints for the diagnostics of the Lustre front end."""

from __future__ import annotations

CODES: dict[str, str] = {
    "unterminated-comment": (
        "A comment that begins with `(*` ends with the next `*)`, one that begins with `/*` with"
        " the next `*/`; comments do not nest. Without its end, the rest of the file is comment."
    ),
    "contract-not-checked": (
        "`(*@contract ... *)` is how Kind 2 writes assumptions and guarantees. To JKind, and to"
        " mutproof, it is a comment: nothing in it is assumed and nothing in it is proved. State"
        " guarantees as Boolean variables with `--%PROPERTY`, and assumptions as `assert` in the"
        " main node."
    ),
    "unknown-pragma": (
        "JKind knows four pragmas, in capitals and without spaces inside: `--%PROPERTY`, `--%MAIN`,"
        " `--%REALIZABLE` and `--%IVC`. Of a line that resembles one of them nothing is read, so"
        " a property in it would never be proved. JKind refuses files with other words after"
        " `--%`."
    ),
    "glued-pragma": (
        "A pragma ends with its word: `--%PROPERTYp;` states the property `p`, as in JKind."
    ),
    "syntax": (
        "The text does not follow the grammar of Lustre at this place. Only the statement or"
        " declaration it stands in is lost; the rest of the file is read."
    ),
    "stray-text": (
        "Between declarations there is text that begins none. A file holds declarations that"
        " begin with `type`, `const`, `function` or `node`."
    ),
    "missing-tel": "The body of a node begins with `let` and ends with `tel`.",
    "missing-let": (
        "A node has a body: `let`, equations, `tel`. Something without a body, whose value is"
        " only known to depend on its arguments, is a `function`."
    ),
    "nesting-too-deep": (
        "The expression is nested so deeply that no one reads it and few tools survive it. Give"
        " names to parts of it with local variables; the meaning stays the same."
    ),
    "number-too-long": "Numbers have at most 4000 digits.",
    "too-many-errors": (
        "So much of the file is not Lustre that further messages would not help. The rest of the"
        " file is not read."
    ),
    "unsupported-dialect": (
        "Lustre has dialects: JKind, Kind 2, Lustre V4 and V6, SCADE. mutproof reads the one of"
        " JKind 4.6. The message names the construct and where it comes from; often there is a"
        " way to write the same in the common subset."
    ),
    "no-main": (
        "The main node is the one with `--%MAIN`, else the last node of the file. This file has"
        " no node."
    ),
    "several-mains": (
        "At most one node is marked with `--%MAIN`; a second mark of the same node changes nothing."
    ),
    "duplicate-name": (
        "Types are unique among types; nodes among nodes and functions; constants and values of"
        " enumerations among themselves and against every variable; variables in their node."
    ),
    "undefined-variable": "No variable, constant or value of an enumeration has this name.",
    "undefined-type": "No `type` declaration has this name.",
    "undefined-node": "No node and no function has this name.",
    "undefined-field": "The type of the record does not declare this field.",
    "cyclic-type": "A type cannot contain itself: its values would have no end.",
    "cyclic-constant": "The value of a constant cannot depend on itself.",
    "recursive-node": (
        "Calls are inlined into the main node. A node that calls itself, on its own or through"
        " others, would be inlined without end."
    ),
    "too-many-instances": (
        "Every call is a copy of the node it calls, so calls of nodes that call nodes multiply."
        " Call a node once, and use its outputs where its result is needed."
    ),
    "type-mismatch": (
        "The value has another type than its place. Integers and reals do not mix: `real(i)`"
        " converts, `floor(r)` rounds down. Arithmetic on subranges gives an int, and an int fits"
        " a subrange only where its range is known: literals, variables of a narrower subrange,"
        " and `if` between such values."
    ),
    "missing-field": "A record literal gives every field of its type a value.",
    "wrong-count": (
        "The number of arguments, of defaults of a condact, or of values on the right of an"
        " equation is not what the declaration asks for."
    ),
    "condact-target": (
        "`condact(clock, call, defaults)` runs a node only when its clock is true. Its second"
        " argument is the call of a node; functions have no state and need no clock."
    ),
    "type-too-large": (
        "Records and arrays are taken apart into their scalar parts. A value of this type would"
        " have more than sixty-five thousand of them, or would be nested more than a hundred deep."
    ),
    "empty-subrange": "The lower bound of a subrange is not above its upper bound.",
    "empty-array": "The size of an array is at least one.",
    "constrained-output": (
        "An uninterpreted function may have any value of its output type, and solvers know no"
        " functions into subranges or enumerations."
    ),
    "not-constant": (
        "A constant is made of literals, other constants, and operators without memory; it calls"
        " no node."
    ),
    "division-by-zero": (
        "Division by the constant zero has no value. As in JKind, a constant may have such a"
        " divisor in a branch that is not taken, if the divisor is declared after it."
    ),
    "index-out-of-bounds": "Arrays are indexed from 0; this index is a constant outside the size.",
    "unassigned-variable": (
        "Every output and every local variable has exactly one equation. What may have any value"
        " is an input."
    ),
    "reassigned-variable": "Every output and every local variable has exactly one equation.",
    "not-assignable": "Equations define outputs and local variables of their node.",
    "property-not-boolean": "A property is a Boolean variable.",
    "duplicate-pragma": "The pragma names the same variable twice.",
    "core-candidate": (
        "`--%IVC` lists the equations among which a core is searched, by the local variables and"
        " outputs they define."
    ),
    "realizable-input": (
        "`--%REALIZABLE` lists inputs of the node for another tool; proofs do not depend on it."
    ),
    "instantaneous-loop": (
        "In every step, the values of a step are computed one after the other. Here no order"
        " exists: a variable depends on itself without a `pre` in between. A call counts as"
        " depending on those arguments that the called node really reads for that output, and a"
        " part of an array or record only on the parts that it reads. As in JKind, the equations"
        " of a loop are taken as constraints: its variables may have all values of their types"
        " for which the equations hold. Where no values do, there is no execution, and every"
        " property holds of nothing; where several do, provers choose the worst one."
    ),
    "name-with-parts": (
        "Where a program is one node without types, constants and arrays, variables may have names"
        " such as `p.q[2]`, as translators to JKind write them. Elsewhere `p.q` is a field of a"
        " record and `p[2]` an element of an array."
    ),
    "unguarded-pre": (
        "`pre x` has no defined value at the first step; provers choose the worst one. Write"
        " `first -> pre x` unless that is what you want."
    ),
    "assert-in-called-node": (
        "JKind takes assertions of the main node only; those of called nodes are ignored, and so"
        " they are here. Kind 2 obeys them: verdicts may differ."
    ),
}
