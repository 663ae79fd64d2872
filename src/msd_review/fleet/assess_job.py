"""On a worker: the report of one item, made of what its lanes answered wherever they ran, as every report is made."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from msd_review.app import assessing, choosing
from msd_review.app.code_review import ChangeSetting, conclude_change
from msd_review.app.code_review_scope import find_scope
from msd_review.app.events import RunEvent
from msd_review.app.lane_run import write_text
from msd_review.app.places import paths_at, report_paths
from msd_review.app.preparing import Prepared
from msd_review.app.request import ReviewRequest
from msd_review.app.review import Setting, choose_subject, conclude, subject_key
from msd_review.app.running import Ran
from msd_review.app.world import World, load_world
from msd_review.edges import files
from msd_review.fleet import wire
from msd_review.fleet.asking import change_request, plan_request
from msd_review.fleet.model import ItemReason
from msd_review.fleet.wire import Job, skipped_from_json
from msd_review.report.model import ReviewReport, Skipped
from msd_review.run import result_json, store
from msd_review.run.result import LaneResult
from msd_review.run.store import RunInfo
from msd_review.selection import Selection

REPORT_FORMATS = ("md", "json")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Came:
    """What came of an item's lanes, with their texts on this machine's disk."""

    results: tuple[LaneResult, ...]
    skipped: tuple[Skipped, ...]
    trims: dict[str, str]
    warnings: tuple[str, ...]
    infos: tuple[str, ...]


def assess(job: Job, tree: Path, *, folder: Path) -> dict[str, Any]:
    """The report's answer. Raises MsdError where the item cannot be reviewed."""
    world = load_world(tree)
    output = files.make_private(folder / "report")
    run = _assess_change if job.item.kind == "change" else _assess_plan
    code, report = run(job, world, folder=folder, output=output)
    return _answer(code, report, output)


def _assess_plan(job: Job, world: World, *, folder: Path, output: Path) -> tuple[int, ReviewReport]:
    request = plan_request(job, world.root.required(), output=output)
    subject = choose_subject(world, request)
    paths = report_paths(subject, REPORT_FORMATS, request.output)
    history = assessing.load_history(report_paths(subject, ("json",), None)["json"])
    info = _new_run(folder, subject_key(subject), subject.title, subject.root)
    came = _came(job, info)
    setting = Setting(
        world=world,
        request=_unnamed(request),
        subject=subject,
        paths=paths,
        history=history,
        info=info,
        choice=_choice(job, came),
    )
    ended = conclude(setting, _prepared(came), _ran(came), _unwatched)
    return ended.exit_code, ended.report


def _assess_change(job: Job, world: World, *, folder: Path, output: Path) -> tuple[int, ReviewReport]:
    scope = find_scope(world, change_request(job, world.root.required(), output=output))
    paths = paths_at(scope.folder, scope.stem, REPORT_FORMATS, scope.request.review.output)
    info = _new_run(folder, f"{scope.subject.root}::change", scope.subject.title, scope.subject.root)
    came = _came(job, info)
    setting = ChangeSetting(scope=scope, paths=paths, info=info, choice=_choice(job, came))
    ended = conclude_change(setting, _prepared(came), _ran(came), _unwatched)
    return ended.exit_code, ended.report


def _unnamed(request: ReviewRequest) -> ReviewRequest:
    return replace(request, named=())


def _new_run(folder: Path, subject: str, title: str, root: Path) -> RunInfo:
    runs = files.make_private(folder / "runs")
    return store.new_run(runs, subject=subject, title=title, command="fleet", root=root)


def _came(job: Job, info: RunInfo) -> _Came:
    """Reads every lane's answer. Raises BadRecord and BadValue for one that is none."""
    results: list[LaneResult] = []
    rows: list[Skipped] = list(job.skipped)
    trims: dict[str, str] = {}
    told: list[str] = []
    infos: list[str] = []
    for slug, answer in sorted((job.answers or {}).items()):
        told += _texts(answer, "warnings")
        infos += _texts(answer, "infos")
        if answer.get("result") is None:
            rows.append(replace(skipped_from_json(answer.get("skipped")), named=slug in job.item.lanes))
            continue
        results.append(_result(job, slug, answer, info))
        if isinstance(answer.get("trim"), str):
            trims[slug] = answer["trim"]
    return _Came(
        results=tuple(results), skipped=tuple(rows), trims=trims, warnings=tuple(told), infos=tuple(infos)
    )


def _texts(answer: Any, name: str) -> Iterator[str]:
    listed = answer.get(name)
    yield from (one for one in listed if isinstance(one, str)) if isinstance(listed, list) else ()


def _result(job: Job, slug: str, answer: Any, info: RunInfo) -> LaneResult:
    result = result_json.decode(answer["result"], info.folder)
    if result.identity != slug or result.slug != slug:
        raise result_json.BadRecord(f"the answer for {slug} is that of {result.identity!r:.60}")
    text = answer.get("text")
    path = None
    if isinstance(text, str) and result.text_path is not None:
        path = write_text(info.folder / "lanes" / slug, text)
    return replace(result, text_path=path, named=slug in job.item.lanes)


def _choice(job: Job, came: _Came) -> choosing.Choice:
    source = "explicit" if job.item.lanes else "detected"
    selection = Selection(source="explicit" if source == "explicit" else "detected", reviewers=())
    return choosing.Choice(selection=selection, skipped=came.skipped, config_origin="")


def _prepared(came: _Came) -> Prepared:
    return Prepared(
        approved=(), skipped=(), prompts={}, trims=came.trims, workplaces={}, marks={}, warnings=came.warnings
    )


def _ran(came: _Came) -> Ran:
    return Ran(results=came.results, infos=came.infos)


def _unwatched(_: RunEvent) -> None:
    return None


def _answer(code: int, report: ReviewReport, output: Path) -> dict[str, Any]:
    names = {"md": "REVIEWS.md", "json": "REVIEWS.json"}
    written: dict[str, str] = {}
    for form, name in names.items():
        path = report.files.get(form)
        if path is None or not Path(path).is_file():
            continue
        written[name] = files.read_bounded(Path(path), wire.MAX_REPORT_BYTES).decode("utf-8", "replace")
    if sum(len(text) for text in written.values()) > wire.MAX_REPORT_BYTES:
        return wire.refusal(ItemReason.INTERNAL, "its report is larger than is taken")
    return {
        "v": wire.VERSION,
        "state": "report",
        "exit_code": code,
        "files": written,
        "lanes": {
            one.result.identity: {
                "outcome": one.result.outcome.value,
                "reason": one.result.reason.value if one.result.reason is not None else None,
            }
            for one in report.reviewers
        },
    }
