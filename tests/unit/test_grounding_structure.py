"""How plans fit together: dependencies, waves, shared files, requirements, tasks and open points."""

from pathlib import Path

import pytest

from msd_review.grounding.examine import examine
from msd_review.grounding.index import open_tree
from msd_review.grounding.model import Fault
from msd_review.grounding.plan import read_plan

TASK = '<task type="auto">\n<name>Task 1: Do</name>\n<action>Do it.</action>\n<done>Done</done>\n</task>\n'


def _front(number: str, **fields: str) -> str:
    lines = "".join(f"{key}: {value}\n" for key, value in fields.items())
    return f"---\nphase: 03-work\nplan: {number}\n{lines}---\n{TASK}"


def _write(root: Path, path: str, text: str) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text, encoding="utf-8")


def _faults(root: Path, *named: str, **plans: str) -> list[Fault]:
    """The faults of the plans in `named` (all when none), with every one on disk in phase 3's folder."""
    for name, text in plans.items():
        _write(root, f".planning/phases/03-work/03-{name[1:]}-PLAN.md", text)
    chosen = [name for name in plans if not named or name in named]
    read = [
        read_plan(
            f"03-{name[1:]}-PLAN.md", plans[name], path=f".planning/phases/03-work/03-{name[1:]}-PLAN.md"
        )
        for name in chosen
    ]
    return list(examine(root, open_tree(root), read).faults)


def _titles(faults: list[Fault]) -> list[str]:
    return [fault.title for fault in faults]


def test_a_dependency_on_a_plan_that_is_not_there_is_named_with_its_line(tmp_path: Path) -> None:
    faults = _faults(tmp_path, p01=_front("01"), p02=_front("02", depends_on='["03-01", "03-07"]'))
    assert _titles(faults) == ["`depends_on` names `03-07`, and there is no such plan"]
    assert faults[0].spots == (("03-02-PLAN.md", 4),)
    assert faults[0].truth == "the plans there are: 03-01, 03-02"


@pytest.mark.parametrize(
    "name",
    ["03-01", "3-1", "01", "1", "03-01-PLAN.md", "02-01", "phase-2", "none", "the other plan", "03-work-01"],
)
def test_a_dependency_that_may_be_meant_otherwise_is_no_fault(tmp_path: Path, name: str) -> None:
    _write(tmp_path, ".planning/phases/02-before/02-01-PLAN.md", "x")
    assert _titles(_faults(tmp_path, p01=_front("01"), p02=_front("02", depends_on=f'["{name}"]'))) == []


def test_a_dependency_on_an_unknown_plan_of_another_known_phase_is_a_fault(tmp_path: Path) -> None:
    _write(tmp_path, ".planning/phases/02-before/02-01-PLAN.md", "x")
    faults = _faults(tmp_path, p01=_front("01", depends_on="[02-09]"))
    assert _titles(faults) == ["`depends_on` names `02-09`, and there is no such plan"]


def test_plans_that_wait_for_each_other_are_one_cycle(tmp_path: Path) -> None:
    plans = {f"p0{n}": _front(f"0{n}", depends_on=f"[03-0{n % 3 + 1}]") for n in (1, 2, 3)}
    assert _titles(_faults(tmp_path, **plans)) == [
        "plans wait for each other: 03-01-PLAN.md → 03-02-PLAN.md → 03-03-PLAN.md → 03-01-PLAN.md"
    ]


def test_a_dependency_in_the_same_or_a_later_wave_is_a_fault(tmp_path: Path) -> None:
    faults = _faults(tmp_path, p01=_front("01", wave="2"), p02=_front("02", wave="2", depends_on="[03-01]"))
    assert _titles(faults) == ["wave 2 depends on `03-01`, which is in wave 2"]


def test_two_plans_of_one_wave_that_change_one_file_are_a_fault(tmp_path: Path) -> None:
    faults = _faults(
        tmp_path,
        p01=_front("01", wave="1", files_modified="[a.py, b.py]"),
        p02=_front("02", wave="1", files_modified="[b.py]"),
        p03=_front("03", wave="2", files_modified="[b.py]"),
    )
    assert _titles(faults) == ["`b.py` is changed by two plans of wave 1"]
    assert faults[0].spots == (("03-01-PLAN.md", 5), ("03-02-PLAN.md", 5))


def test_a_sibling_that_is_not_reviewed_still_counts_for_waves_and_coverage(tmp_path: Path) -> None:
    _write(
        tmp_path, ".planning/REQUIREMENTS.md", "- [ ] **IO-01**: a\n- [ ] **IO-02**: b\n- [ ] **IO-03**: c\n"
    )
    _write(tmp_path, ".planning/ROADMAP.md", "### Phase 3: Work\n**Requirements**: IO-01..03\n")
    faults = _faults(
        tmp_path,
        "p01",
        p01=_front("01", wave="1", files_modified="[b.py]", requirements="[IO-01]"),
        p02=_front("02", wave="1", files_modified="[b.py]", requirements="[IO-02]"),
    )
    assert _titles(faults) == [
        "`b.py` is changed by two plans of wave 1",
        "requirement `IO-03` is covered by no plan",
    ]


def test_plans_that_were_carried_out_are_no_longer_in_the_way(tmp_path: Path) -> None:
    _write(tmp_path, ".planning/phases/03-work/03-01-SUMMARY.md", "done")
    _write(tmp_path, "new.py", "")
    plans = {
        "p01": _front("01", wave="1", files_modified="[b.py]").replace("Do it.", "Create `new.py`."),
        "p02": _front("02", wave="1", files_modified="[b.py]"),
    }
    assert _titles(_faults(tmp_path, **plans)) == []


def test_a_requirement_that_nobody_defined_is_a_fault_on_every_line_that_names_it(tmp_path: Path) -> None:
    _write(tmp_path, ".planning/REQUIREMENTS.md", "- [ ] **IO-01**: a\n- [ ] **IO-02**: b\n")
    text = "---\nphase: 3\nplan: 01\nrequirements:\n  - IO-01\n  - IO-77\n  - IO-77\n---\n" + TASK.replace(
        "Do it.", "UTF-8 and RFC-2119 and D-04."
    )
    faults = _faults(tmp_path, p01=text)
    assert _titles(faults) == ["requirement `IO-77` is defined nowhere"]
    assert faults[0].spots == (("03-01-PLAN.md", 6), ("03-01-PLAN.md", 7))


@pytest.mark.parametrize(
    ("task", "titles"),
    [
        ("<name>Task 1: A</name>\n<action>x</action>", ["“Task 1: A” has no way to be verified"]),
        (
            "<name>Task 1: A</name>\n<action>x</action>\n<done></done>",
            ["“Task 1: A” has no way to be verified"],
        ),
        (
            "<name>Task 1: A</name>\n<action>x</action>\n<acceptance_criteria>\n- y\n</acceptance_criteria>",
            [],
        ),
        ("<name>Task 1: A</name>\n<verify>look</verify>", []),
        ("<verify><automated>pytest -q || true</automated></verify>", ["`pytest -q || true` cannot fail"]),
    ],
)
def test_a_task_needs_a_way_to_be_verified_that_can_fail(
    tmp_path: Path, task: str, titles: list[str]
) -> None:
    plan = f'<tasks>\n<task type="auto">\n{task}\n</task>\n</tasks>\n'
    assert (
        _titles(list(examine(tmp_path, open_tree(tmp_path), [read_plan("PLAN.md", plan)]).faults)) == titles
    )


@pytest.mark.parametrize(
    ("text", "titles"),
    [
        ("The mode is kept. TBD: which one.", ["left open: TBD: which one"]),
        ("2. TODO: test it.", ["left open: TODO: test it"]),
        ("The name is to be decided.", ["left open: to be decided"]),
        ("Remove the TODO: comment from the file.", []),
        ("Make sure that there are no TBD left.", []),
        ("A `TODO:` marker is kept.", []),
        ("The todo list app stores each todo.", []),
        ("```\n# TODO: inside a sample\n```", []),
    ],
)
def test_what_is_left_open_is_found_and_talk_about_it_is_not(
    tmp_path: Path, text: str, titles: list[str]
) -> None:
    faults = examine(tmp_path, open_tree(tmp_path), [read_plan("PLAN.md", f"# Plan\n\n{text}\n")]).faults
    assert _titles(list(faults)) == titles


def test_files_that_plans_make_in_their_order_are_not_missing(tmp_path: Path) -> None:
    _write(tmp_path, "src/a.py", "def go(): ...\n")
    first = _front("01", files_modified="[src/store.py]")
    second = _front("02", files_modified="[src/a.py]").replace(
        "Do it.",
        "Update `src/store.py` and read `.planning/phases/03-work/03-01-SUMMARY.md`. Then extend `src/stores.py`.",
    )
    assert _titles(_faults(tmp_path, p01=first, p02=second)) == ["`src/stores.py` does not exist"]


@pytest.mark.parametrize(
    ("text", "titles"),
    [
        ("Create `src/a.py` with a class.", ["`src/a.py` is to be created, and exists"]),
        ("Create or update `src/a.py`.", []),
        ("Create a helper in `src/a.py`.", []),
        ("Create `src/b.py` with `go()` of `src/a.py`.", []),
        ("Run `make lint`.", ["`make lint` cannot run: there is no target `lint`"]),
        ("Run `npm run build`.", ["`npm run build` cannot run: there is no script `build`"]),
        ("Add a `make lint` target.", []),
        ("Add one of these:\n- `src/b.py`\n- `src/c.py`", []),
        ("Update `src/b.py`:\n- the loop", ["`src/b.py` does not exist"]),
        ("<verify>\nmake sure that it works\n</verify>", []),
        (
            "<verify>\n- `make test` passes\n- `make frob` passes\n</verify>",
            ["`make frob` cannot run: there is no target `frob`"],
        ),
        (
            "<verify>\nmake frob && true\n</verify>",
            ["`make frob && true` cannot run: there is no target `frob`"],
        ),
        ("Update `CLAUDE.md` and `.claude/settings.json`.", []),
        ("Update `path/to/file.py` and `src/**/*.py`.", []),
        ("Delete `dist/app.js` and `node_modules/x/index.js`.", []),
    ],
)
def test_wording_decides_what_is_a_fault(tmp_path: Path, text: str, titles: list[str]) -> None:
    _write(tmp_path, "src/a.py", "def go(): ...\n")
    _write(tmp_path, "package.json", '{"scripts": {"test": "true"}}')
    _write(tmp_path, "Makefile", "test:\n\ttrue\n")
    faults = examine(tmp_path, open_tree(tmp_path), [read_plan("PLAN.md", f"# Plan\n\n{text}\n")]).faults
    assert _titles(list(faults)) == titles


@pytest.mark.parametrize(
    ("must_have", "titles"),
    [
        ("artifacts:\n    - {path: src/a.py, contains: 'def go'}", []),
        ("artifacts:\n    - {path: src/a.py, contains: 'class Gone'}", ["`src/a.py` does not contain `class Gone`, and no plan changes it"]),
        ("artifacts:\n    - {path: src/listed.py, contains: 'class Later'}", []),
        ("artifacts:\n    - {path: src/new.py, contains: 'class Later'}", []),
        ("key_links:\n    - {from: src/a.py, to: src/listed.py, pattern: 'import\\s+x'}", ["`import\\s+x` matches nothing in `src/a.py`, and no plan changes that file"]),
        ("key_links:\n    - {from: src/a.py, to: src/gone.py, pattern: 'def go'}", ["`src/gone.py` does not exist"]),
        ("key_links:\n    - {from: the CLI, to: the store, pattern: 'x'}", []),
        ("key_links:\n    - {from: src/a.py, pattern: '(a+)+$'}", []),
    ],
)  # fmt: skip
def test_promises_are_faults_only_where_no_plan_brings_them_about(
    tmp_path: Path, must_have: str, titles: list[str]
) -> None:
    _write(tmp_path, "src/a.py", "def go(): ...\n")
    _write(tmp_path, "src/listed.py", "x = 1\n")
    plan = f"---\nfiles_modified: [src/listed.py]\nmust_haves:\n  {must_have}\n---\n# Plan\n"
    assert (
        _titles(list(examine(tmp_path, open_tree(tmp_path), [read_plan("PLAN.md", plan)]).faults)) == titles
    )


INTERFACES = """\
<context>
@src/a.py
<interfaces>
From `src/a.py`:
```python
{declared}
```
</interfaces>
</context>
"""


@pytest.mark.parametrize(
    ("declared", "titles"),
    [
        ("def go(): ...", []),
        ("class Box:\n    def put(self, item: str, *, at: int = 0) -> None: ...", []),
        (
            "class Box:\n    def put(self, item: str) -> None: ...",
            ["`Box.put(self, item: str)` is not the signature in the source"],
        ),
        ("def went(): ...", ["`went` is not in `src/a.py`"]),
    ],
)
def test_declarations_shown_as_existing_are_compared_with_the_source(
    tmp_path: Path, declared: str, titles: list[str]
) -> None:
    _write(
        tmp_path,
        "src/a.py",
        "def go(): ...\n\n\nclass Box:\n    def put(self, item: str, *, at: int = 0) -> None: ...\n",
    )
    plan = read_plan("PLAN.md", INTERFACES.format(declared=declared))
    assert _titles(list(examine(tmp_path, open_tree(tmp_path), [plan]).faults)) == titles


@pytest.mark.parametrize(
    ("text", "titles"),
    [
        ("`requests` is already a dependency.", []),
        ("`Flask_Login` is already installed.", []),
        ("`httpx` is already a dependency.", ["`httpx` is no dependency of the project"]),
        ("Uses the existing dependency `rich`.", ["`rich` is no dependency of the project"]),
        ("Add `rich` as a dependency.", []),
        ("`rich` is not yet a dependency.", []),
    ],
)
def test_a_dependency_that_is_said_to_be_there_has_to_be_in_a_manifest(
    tmp_path: Path, text: str, titles: list[str]
) -> None:
    _write(
        tmp_path, "pyproject.toml", '[project]\nname = "x"\ndependencies = ["requests>=2", "flask-login"]\n'
    )
    plan = read_plan("PLAN.md", f"# Plan\n\n{text}\n")
    assert _titles(list(examine(tmp_path, open_tree(tmp_path), [plan]).faults)) == titles


@pytest.mark.parametrize(
    ("command", "passes"),
    [
        ("grep -q 'def go' src/a.py", True),
        ("test -f src/a.py && grep -qF 'go()' src/a.py", True),
        ("grep -q 'def stop' src/a.py", False),
        ("! grep -q 'def go' src/a.py", False),
        ("grep -c 'def go' src/a.py | grep -q 2", False),
        ("grep -q 'def go' src/a.py && python -m pytest", False),
        ("test -f src/b.py", False),
    ],
)
def test_a_task_whose_only_checks_pass_already_is_told(tmp_path: Path, command: str, passes: bool) -> None:
    _write(tmp_path, "src/a.py", "def go(): ...\n")
    plan = read_plan(
        "PLAN.md",
        f"<task>\n<name>Task 1</name>\n<verify><automated>{command}</automated></verify>\n</task>\n",
    )
    faults = examine(tmp_path, open_tree(tmp_path), [plan]).faults
    assert _titles(list(faults)) == ([f"`{command}` passes before anything is done"] if passes else [])
