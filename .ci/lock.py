"""Print the constraints file for the report of `pip install --dry-run --report`."""

import json
import sys
from pathlib import Path

report = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
packages = {
    item["metadata"]["name"].lower(): item["metadata"]["version"] for item in report["install"]
}
del packages["mutproof"]
print("# Made by `make lock`: the versions with which mutproof is built and tested.")
for name in sorted(packages):
    print(f"{name}=={packages[name]}")
