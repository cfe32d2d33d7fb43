"""What is wrong in a file, as values; rendering is left to reporters and editors."""

from __future__ import annotations

from enum import Enum

from mutproof.base.record import dataclass
from mutproof.base.span import Span


class Severity(Enum):
    """Rank a diagnostic as editors do."""

    ERROR = "error"
    WARNING = "warning"
    INFORMATION = "information"
    HINT = "hint"


@dataclass(frozen=True, slots=True)
class Related:
    """Point at another place of the same file that explains a diagnostic."""

    message: str
    span: Span


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """Hold a problem: what is wrong, where, its kebab-case code, and how to fix it."""

    code: str
    severity: Severity
    message: str
    span: Span
    help: str = ""
    related: tuple[Related, ...] = ()

    def shifted(self, offset: int) -> Diagnostic:
        """Return the diagnostic for a text in which everything lies `offset` further right."""
        if offset == 0:
            return self
        related = tuple(Related(r.message, r.span.shifted(offset)) for r in self.related)
        return Diagnostic(
            self.code, self.severity, self.message, self.span.shifted(offset), self.help, related
        )


def has_errors(diagnostics: tuple[Diagnostic, ...] | list[Diagnostic]) -> bool:
    """Tell whether any of the diagnostics is an error."""
    return any(diagnostic.severity is Severity.ERROR for diagnostic in diagnostics)
