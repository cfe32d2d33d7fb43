"""Outcomes of checks: collected from scripts that print one JSON object per check."""

import json
from dataclasses import dataclass, field


@dataclass(slots=True)
class Outcomes:
    """Counts checks and prints each as it is known; this object is mutated."""

    passed: int = 0
    failed: list[str] = field(default_factory=list)

    def note(self, name: str, ok: bool, detail: str = "") -> None:
        """Count one check."""
        if ok:
            self.passed += 1
        else:
            self.failed.append(name)
        suffix = f": {detail}" if detail and not ok else ""
        print(f"{'PASSED' if ok else 'FAILED'} {name}{suffix}", flush=True)

    def read(self, editor: str, output: str, exit_code: int | None) -> None:
        """Count the checks in the output of an editor script, and whether it came to its end."""
        for line in output.splitlines():
            if line.startswith("{"):
                check = json.loads(line)
                self.note(f"{editor}: {check['name']}", check["ok"], check.get("detail", ""))
        last = "\n".join(output.splitlines()[-20:])
        self.note(f"{editor}: the script came to its end", exit_code == 0, f"{exit_code}\n{last}")

    def summary(self) -> str:
        """Return the closing line."""
        return f"{self.passed} passed, {len(self.failed)} failed"
