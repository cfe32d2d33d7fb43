"""Files for services: their scripts run here as the services run them, on a repository's models."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from process import EXAMPLES, ROOT, Ended, environment, mutproof

ACTION = ROOT / "ci" / "github" / "action.yml"
HOOKS = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
GITLAB = yaml.safe_load((ROOT / "ci" / "gitlab.yml").read_text(encoding="utf-8"))
DOCKERFILE = (ROOT / "ci" / "Dockerfile").read_text(encoding="utf-8")
SETTINGS = 'level = "paper"\nno-timings = true\n[mutate]\nbaseline = "accepted.json"\n'
NEW_GAP = ("d = (a1 > 0);", "d = (a1 > 0) or (a1 < -9);")
FEW = "--operators=g2ge,or2xor"


@pytest.fixture(name="repository")
def _repository(tmp_path: Path) -> Path:
    """Return a repository with a model whose gaps are all accepted."""
    folder = tmp_path / "repository"
    folder.mkdir()
    shutil.copy(EXAMPLES / "demo2.lus", folder)
    (folder / "mutproof.toml").write_text(SETTINGS)
    accepted = mutproof("mutate", ".", "--update-baseline", "--reason", "seen", cwd=folder)
    assert 0 == accepted.code, accepted.err
    subprocess.run(["git", "init", "--quiet", str(folder)], check=True)
    subprocess.run(["git", "-C", str(folder), "add", "."], check=True)
    return folder


def edit(repository: Path, old: str, new: str) -> None:
    path = repository / "demo2.lus"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def shell(script: str, cwd: Path, **changes: str) -> Ended:
    """Run a script as services do: it ends with its first failure."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
        cwd=cwd,
        env={**environment(PATH=path), **changes},
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )
    assert "Traceback" not in done.stderr, done.stderr
    return Ended(done.returncode, done.stdout, done.stderr)


@dataclass(frozen=True)
class Runner:
    """Stand for a machine of GitHub's: a folder of its own, which ends with the job."""

    temp: Path

    def step(self, name: str, **inputs: str) -> tuple[str, dict[str, str]]:
        """Return the script of a step of the action, and its environment."""
        action = yaml.safe_load(ACTION.read_text(encoding="utf-8"))
        (found,) = [one for one in action["runs"]["steps"] if one.get("name") == name]
        known = {f"inputs.{key}": str(one["default"]) for key, one in action["inputs"].items()}
        assert inputs.keys() <= action["inputs"].keys()
        known |= {f"inputs.{key}": value for key, value in inputs.items()}
        known |= {"runner.temp": str(self.temp), "github.action_path": str(ACTION.parent)}
        variables = {
            key: re.sub(r"\$\{\{ ([\w.-]+) \}\}", lambda match: known[match[1]], value)
            for key, value in found["env"].items()
        }
        assert "${{" not in found["run"]  # what others write reaches no script but by variables
        return found["run"], variables

    def mutate(self, repository: Path, **inputs: str) -> Ended:
        script, variables = self.step("Mutate the models", **inputs)
        return shell(script, repository, GITHUB_WORKSPACE=str(repository), **variables)


def gitlab(repository: Path, **variables: str) -> Ended:
    """Run the job of GitLab's template."""
    defaults = {**GITLAB["variables"], **GITLAB["mutproof"]["variables"]}
    known = {
        key: value.replace("$CI_PROJECT_DIR", str(repository)) for key, value in defaults.items()
    }
    script = "\n".join(GITLAB["mutproof"]["script"])
    return shell(script, repository, **{**known, **variables}, CI_PROJECT_DIR=str(repository))


def hook(name: str, repository: Path) -> Ended:
    """Run a hook on the files of a repository that it is for."""
    (found,) = [one for one in HOOKS if one["id"] == name]
    files = [
        one.name for one in sorted(repository.iterdir()) if re.search(found["files"], one.name)
    ]
    assert files == ["demo2.lus"]
    return shell(shlex.join([*shlex.split(found["entry"]), *files]), repository)


def as_github(repository: Path) -> Ended:
    return Runner(repository.parent / "runner").mutate(repository)


def as_push(repository: Path) -> Ended:
    return hook("mutproof-mutate", repository)


JOBS = {"github": as_github, "gitlab": gitlab, "pre-commit": as_push}


@pytest.mark.parametrize("job", JOBS.values(), ids=JOBS)
def test_a_job_is_red_for_a_new_gap_only(repository: Path, job: Any) -> None:
    accepted = job(repository)
    edit(repository, "node", "\n-- moved\nnode")
    moved = job(repository)
    edit(repository, *NEW_GAP)
    new = job(repository)

    assert [0, 0, 2] == [accepted.code, moved.code, new.code], new.err
    assert "a1 < -9" not in accepted.out + moved.out
    assert "`or` → `xor`" in new.out


@pytest.mark.parametrize("job", JOBS.values(), ids=JOBS)
def test_a_job_is_red_for_a_property_that_fails(repository: Path, job: Any) -> None:
    edit(repository, "b = if d or (a2 < 0) then a1 else a2;", "b = a1 + 1;")

    assert 4 == job(repository).code


@pytest.mark.parametrize("job", ["github", "gitlab"])
def test_a_job_may_be_about_what_changed_since_a_revision(repository: Path, job: str) -> None:
    named = ["-c", "user.name=somebody", "-c", "user.email=somebody@example.com"]
    commit = ["git", *named, "commit", "--quiet", "--no-gpg-sign", "--message", "models"]
    subprocess.run(commit, cwd=repository, check=True)
    (repository / "accepted.json").write_text('{"version": 1, "accepted": []}')
    if job == "github":
        ended = Runner(repository.parent / "runner").mutate(repository, since="HEAD")
    else:
        ended = gitlab(repository, MUTPROOF_SINCE="HEAD")

    assert 0 == ended.code, ended.err
    assert "22 mutants left out that the change since HEAD does not concern" in ended.out


def test_a_commit_hook_asks_for_proofs_only(repository: Path) -> None:
    assert 0 == hook("mutproof-prove", repository).code
    edit(repository, *NEW_GAP)
    assert 0 == hook("mutproof-prove", repository).code
    edit(repository, "then a1 else", "then a1 + 1 else")
    assert 40 == hook("mutproof-prove", repository).code


def test_hooks_have_the_keys_of_the_format() -> None:
    known = {"id", "name", "description", "entry", "language", "files", "require_serial", "stages",
             "minimum_pre_commit_version"}  # fmt: skip
    assert [known] * len(HOOKS) == [set(one) for one in HOOKS]


def decided(out: str) -> dict[str, int]:
    """Return how verdicts were reached, by `--stats`."""
    return {key: int(n) for key, n in re.findall(r"^(kept|re-proved|decided) +(\d+)", out, re.M)}


def test_evidence_lasts_from_job_to_job_of_github(repository: Path, tmp_path: Path) -> None:
    action = yaml.safe_load(ACTION.read_text(encoding="utf-8"))
    (cache,) = [one for one in action["runs"]["steps"] if "cache" in one.get("uses", "")]
    places = re.findall(r"^\$\{\{ runner\.temp \}\}/(.+)$", cache["with"]["path"], re.M)
    assert 2 == len(places)
    found = []
    for name in ("first", "second"):
        runner = Runner(tmp_path / name)
        if name == "second":
            for place in places:
                shutil.copytree(tmp_path / "first" / place, runner.temp / place)
        script, variables = runner.step("Mutate the models", arguments=f"{FEW} --stats")
        text = script.replace("--format github", "--format text")
        found.append(decided(shell(text, repository, **variables).out))
    assert found[0]["decided"] > 0 == found[1]["decided"]
    assert found[1]["kept"] + found[1]["re-proved"] > 0


def test_evidence_lasts_from_job_to_job_of_gitlab(repository: Path, tmp_path: Path) -> None:
    assert [".mutproof/"] == GITLAB["mutproof"]["cache"]["paths"]
    first, second = (
        gitlab(repository, MUTPROOF_ARGUMENTS=f"{FEW} --stats") for _ in ("first", "second")
    )
    assert 0 == first.code == second.code == decided(second.out)["decided"]
    assert (repository / ".mutproof").is_dir()


def test_no_evidence_of_a_commit_counts(repository: Path) -> None:
    (repository / ".mutproof").mkdir()
    (repository / ".mutproof" / "forged").write_text("")
    subprocess.run(["git", "-C", str(repository), "add", "--force", ".mutproof"], check=True)
    ended = gitlab(repository)

    assert (1, "") == (ended.code, ended.out)
    assert "not into a commit" in ended.err


def test_jobs_write_what_services_read(repository: Path, tmp_path: Path) -> None:
    runner = Runner(tmp_path / "runner")
    assert 0 == runner.mutate(repository, sarif="found.sarif", arguments=FEW).code
    assert '"version": "2.1.0"' in (repository / "found.sarif").read_text()
    assert 0 == gitlab(repository, MUTPROOF_ARGUMENTS=FEW).code
    for name in GITLAB["mutproof"]["artifacts"]["reports"].values():
        assert (repository / name).stat().st_size > 0


def installed(script: str, place: Path, **variables: str) -> Ended:
    """Run a script that installs, where everything but mutproof is installed already."""
    environment = place / "environment"
    venv.create(environment, symlinks=True)
    (site,) = environment.glob("lib/python*/site-packages")
    (here,) = Path(sys.prefix).glob("lib/python*/site-packages")
    (site / "installed-already.pth").write_text(f"{here}\n")
    path = f"{environment / 'bin'}{os.pathsep}{os.environ['PATH']}"
    offline = {"PIP_NO_INDEX": "1", "PIP_NO_BUILD_ISOLATION": "0", "PYTHONPATH": "", "PATH": path}
    ended = shell(script, place, **offline, **variables)
    assert 0 == ended.code, ended.err
    return shell(f"mutproof prove {EXAMPLES / 'demo.lus'}; command -v mutproof", place, **offline)


def check_installed(ended: Ended, place: Path) -> None:
    assert 0 == ended.code, ended.err
    assert str(place / "environment" / "bin" / "mutproof") == ended.out.splitlines()[-1]
    (package,) = place.glob("environment/lib/python*/site-packages/mutproof")
    assert (package / "grammars" / "lustre.lark").exists()
    assert (package / "grammars" / "lustre.tables").exists()


def test_the_action_installs_what_is_beside_it(tmp_path: Path) -> None:
    script, variables = Runner(tmp_path).step("Install mutproof")

    check_installed(installed(script, tmp_path, **variables), tmp_path)


def test_the_image_has_all_that_is_needed(tmp_path: Path) -> None:
    for line in re.findall(r"^COPY (.*)", DOCKERFILE, re.M):
        *sources, target = line.split()
        place = tmp_path / target.lstrip("/")
        for source in sources:
            if (ROOT / source).is_dir():
                shutil.copytree(ROOT / source, place)
            else:
                place.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / source, place)
    (script,) = re.findall(r"^RUN (.*pip.*)", DOCKERFILE, re.M)

    ended = installed(script.replace(" /source", f" {tmp_path / 'source'}"), tmp_path)
    check_installed(ended, tmp_path)


def test_what_is_computed_is_no_property_that_could_be_proved(tmp_path: Path) -> None:
    (tmp_path / "count.smv").write_text(
        "MODULE main\nVAR x : 0..3;\nASSIGN init(x) := 0; next(x) := x < 3 ? x + 1 : 0;\n"
        "INVARSPEC x <= 3\nCOMPUTE MIN [x = 0, x = 3]\n"
    )
    ended = mutproof("prove", "--no-cache", "--format", "github", "count.smv", cwd=tmp_path)
    assert ": 1 of 1 properties proved\n" in ended.out
