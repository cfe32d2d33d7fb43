"""What `mutproof explain CODE` prints for the diagnostics of the Lustre front end."""

from __future__ import annotations

CODES: dict[str, str] = {
    "unterminated-comment": (
        "A comment that begins with `(*` ends with the next `*)`, one that begins with `/*` with"
        " the next `*/`; comments do not nest. A comment that is not closed runs to the end of"
        " the file."
    ),
    "contract-not-checked": (
        "`(*@contract ... *)` is how Kind 2 writes assumptions and guarantees. To JKind, and to"
        " mutproof, it is a comment: nothing in it is assumed and nothing in it is proved. State"
        " guarantees as Boolean variables with `--%PROPERTY`, and assumptions as `assert` in the"
        " main node."
    ),
    "unknown-pragma": (
        "JKind knows four pragmas, in capitals and without spaces inside: `--%PROPERTY`, `--%MAIN`,"
        " `--%REALIZABLE` and `--%IVC`. A line that only resembles one of them is a comment, so a"
        " property in it would never be proved. JKind rejects files with other words after `--%`."
    ),
    "glued-pragma": (
        "A pragma ends with its word: `--%PROPERTYp;` states the property `p`, as in JKind."
    ),
    "syntax": (
        "The text does not follow the grammar of Lustre here. Only the statement or declaration"
        " around it is skipped; the rest of the file is read."
    ),
    "reserved-word": (
        "A word of the language stands where a name should. Where it is declared, this is said"
        " once; that it is used again is not told."
    ),
    "stray-text": (
        "There is text between declarations that does not start one. A file consists of"
        " declarations that start with `type`, `const`, `function` or `node`."
    ),
    "missing-tel": "The body of a node begins with `let` and ends with `tel`.",
    "missing-let": (
        "A node has a body: `let`, equations, `tel`. To declare something without a body, of"
        " which only the types are known, write `function`."
    ),
    "nesting-too-deep": (
        "The expression is nested more deeply than this tool reads. Name parts of it with local"
        " variables; the meaning stays the same."
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
        "Two declarations that could be confused have one name: two types, two nodes or"
        " functions, two constants or enumeration values, two variables of a node, or a variable"
        " and a constant or enumeration value."
    ),
    "undefined-variable": "No variable, constant or value of an enumeration has this name.",
    "undefined-type": "No `type` declaration has this name.",
    "undefined-node": "No node and no function has this name.",
    "undefined-field": "The type of the record does not declare this field.",
    "cyclic-type": "A type cannot contain itself: its values would be infinite.",
    "cyclic-constant": "The value of a constant cannot depend on itself.",
    "recursive-node": (
        "Calls are inlined into the main node. A node that calls itself, on its own or through"
        " others, would be inlined without end."
    ),
    "too-many-instances": (
        "Every call makes a copy of the called node, so nested calls multiply. Call a node once,"
        " and use its outputs wherever its result is needed."
    ),
    "type-mismatch": (
        "The value does not have the type that is required here. Integers and reals do not mix:"
        " `real(i)` converts, `floor(r)` rounds down. Arithmetic on subranges gives an int, and"
        " an int fits a subrange only where its range is known: literals, variables of a narrower"
        " subrange, and `if` between such values."
    ),
    "missing-field": "A record literal must give a value to every field of its type.",
    "wrong-count": (
        "The number of arguments, of defaults of a condact, or of values on the right of an"
        " equation does not match the declaration."
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
        "An uninterpreted function may return any value of its output type, and solvers do not"
        " support functions whose results are subranges or enumerations."
    ),
    "not-constant": (
        "The value of a constant may use literals, other constants and operators without memory,"
        " but may not call a node."
    ),
    "division-by-zero": (
        "Division by the constant zero has no value. As in JKind, a constant may have such a"
        " divisor in a branch that is not taken, if the divisor is declared after it."
    ),
    "negative-divisor": (
        "Integer division is Euclidean: `x = y * (x div y) + x mod y`, where `x mod y` is at least"
        " 0 and less than the absolute value of `y`, as in SMT-LIB. JKind 4.6 refuses `div` and"
        " `mod` by negative constants, as not all of its solvers agree on them."
    ),
    "index-out-of-bounds": "Arrays are indexed from 0; this index is a constant out of bounds.",
    "unassigned-variable": (
        "Every output and every local variable must have exactly one equation. A variable that"
        " may have any value should be an input."
    ),
    "reassigned-variable": "Every output and every local variable must have exactly one equation.",
    "not-assignable": "Equations can define only outputs and local variables of their node.",
    "property-not-boolean": "A property must be a Boolean variable.",
    "duplicate-pragma": "The pragma names the same variable twice.",
    "core-candidate": (
        "`--%IVC` lists local variables and outputs. A core is searched for among the equations"
        " that define them. As in JKind, the lists of the main node and of the nodes it calls add"
        " up."
    ),
    "realizable-input": (
        "`--%REALIZABLE` lists inputs of the node for another tool; proofs do not depend on it."
    ),
    "instantaneous-loop": (
        "Within a step, values are computed one after another. Here no order exists: a variable"
        " depends on itself without a `pre` in between. An output of a call depends only on the"
        " arguments that the called node reads for that output, and a part of an array or record"
        " only on the parts that it reads. As in JKind, the equations of a loop are constraints:"
        " its variables may take any values of their types for which the equations hold. If there"
        " are no such values, there is no execution and every property holds vacuously; if there"
        " are several, provers choose the worst ones."
    ),
    "name-with-parts": (
        "If a program is a single node without types, constants and arrays, its variables may have"
        " names such as `p.q[2]`, as translators to JKind write them. In any other program `p.q`"
        " is a field of a record and `p[2]` an element of an array."
    ),
    "unguarded-pre": (
        "`pre x` has no defined value at the first step; provers choose the worst one. Unless you"
        " want that, write `first -> pre x`."
    ),
    "arrow-for-implication": (
        "In Lustre `p -> q` is p at the first step, and q at all others; whether q holds where p"
        " does is `p => q`. The warning is about properties and assertions in which p and q have no"
        " memory and no variable in common, which rarely means the former."
    ),
    "unreached-property": (
        "A property of a node that the main node does not call, directly or through others. As in"
        " JKind, only properties of the main node and of what it calls are proved. The main node is"
        " the one with `--%MAIN;`, or else the last of the file. Where one is marked, nothing is"
        " said of other nodes."
    ),
    "assert-in-called-node": (
        "JKind uses assertions of the main node only and ignores those of called nodes, and so does"
        " mutproof. Kind 2 uses them all, so its verdicts may differ."
    ),
}
