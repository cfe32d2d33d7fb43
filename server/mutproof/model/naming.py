"""Declarations and uses of names: the view of a text that editors need, in any language."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import Enum
from typing import Final

from mutproof.base.record import dataclass
from mutproof.base.span import Span


class NameKind(Enum):
    """Say what a name names."""

    COMPONENT = "component"
    FUNCTION = "function"
    TYPE = "type"
    FIELD = "field"
    ENUM_VALUE = "enumeration value"
    CONSTANT = "constant"
    INPUT = "input"
    OUTPUT = "output"
    LOCAL = "local"
    MODULE = "module"
    PARAMETER = "parameter"
    STATE = "state variable"
    FROZEN = "frozen variable"
    INSTANCE = "instance"
    DEFINE = "macro"
    PROPERTY = "property"

    @property
    def is_variable(self) -> bool:
        """Tell whether it is visible in its component only and may stand in an expression."""
        return self in _VARIABLES


_VARIABLES: Final = frozenset(
    {
        NameKind.INPUT,
        NameKind.OUTPUT,
        NameKind.LOCAL,
        NameKind.PARAMETER,
        NameKind.STATE,
        NameKind.FROZEN,
        NameKind.INSTANCE,
        NameKind.DEFINE,
    }
)


@dataclass(frozen=True, slots=True)
class Declared:
    """Hold a declaration: `name` is the declaring occurrence, `whole` the declaring text.

    `container` is the component or type it belongs to, empty for what the whole file sees;
    `detail` is its type, its signature, its body or what it is bound to, as it is written;
    `value` is that of a constant.
    """

    text: str
    kind: NameKind
    name: Span
    whole: Span
    container: str = ""
    detail: str = ""
    value: str = ""

    @property
    def described(self) -> str:
        """Return the detail and the value in one line, as lists of names show them."""
        return f"{self.detail} = {self.value}".strip() if self.value else self.detail


@dataclass(frozen=True, slots=True)
class NameUse:
    """Hold an occurrence of a name other than its declaration; `is_write` where it is defined."""

    span: Span
    declared: Declared
    is_write: bool = False


@dataclass(frozen=True, slots=True)
class ResolvedNames:
    """Hold the names that a tree declares, and in the order of the text the resolved uses.

    `members` are the components of which a name can be an instance, `paths` some instances of
    each component by their full names (empty for the main one), `included` the components
    whose text a component includes; all empty in a language without instances. `bodies` are the
    declarations of the components, by name.
    """

    declared: tuple[Declared, ...]
    uses: tuple[NameUse, ...]
    members: Mapping[Declared, tuple[str, ...]] = field(default_factory=dict)
    paths: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    included: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    bodies: Mapping[str, Span] = field(default_factory=dict)
