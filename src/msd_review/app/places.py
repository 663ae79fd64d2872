"""Where a review's files go."""

from pathlib import Path

from msd_review.edges import files
from msd_review.errors import InputError
from msd_review.prompt.model import ReviewSubject
from msd_review.run.leftovers import remove_dead_temporaries

_EXTENSIONS = {
    "md": "md",
    "json": "json",
    "sarif": "sarif",
    "html": "html",
    "codequality": "codequality.json",
    "rdjson": "rdjson.json",
    "annotations": "annotations.txt",
}


def beside(subject: ReviewSubject) -> tuple[Path, str]:
    """The folder and the stem of the default files: `NN-REVIEWS` in a phase, `<plan>.REVIEWS` beside a plan."""
    if subject.phase_folder is not None and subject.phase is not None:
        prefix = subject.phase_folder.name.removeprefix("phase-").split("-")[0]
        return subject.phase_folder, f"{prefix}-REVIEWS"
    first = subject.plans[0].path
    return first.parent, f"{first.stem}.REVIEWS"


def report_paths(subject: ReviewSubject, formats: tuple[str, ...], output: str | None) -> dict[str, Path]:
    """format → absolute path of a plan review's files."""
    return paths_at(*beside(subject), formats, output)


def paths_at(folder: Path, stem: str, formats: tuple[str, ...], output: str | None) -> dict[str, Path]:
    """format → absolute path. `output` is a folder, a file for one format, or a stem for several."""
    if output is None:
        return {name: folder / f"{stem}.{_EXTENSIONS[name]}" for name in formats}
    target = Path(output).absolute()
    if target.is_dir() or output.endswith("/"):
        return {name: target / f"{stem}.{_EXTENSIONS[name]}" for name in formats}
    if len(formats) == 1:
        return {formats[0]: target}
    base = target.with_suffix("") if target.suffix.removeprefix(".") in _EXTENSIONS.values() else target
    return {name: base.with_name(f"{base.name}.{_EXTENSIONS[name]}") for name in formats}


def check_writable(paths: dict[str, Path]) -> None:
    """Raises InputError for a place that cannot be written, before any reviewer is paid for.

    What a review that was killed began to write there is removed.
    """
    for path in paths.values():
        folder = path.parent
        remove_dead_temporaries(folder, frozenset({files.cut_name(path)}))
        try:
            folder.mkdir(parents=True, exist_ok=True)
            probe = folder / f".{path.name}.msd-probe"
            probe.touch()
            probe.unlink(missing_ok=True)  # another review of the same plan may have removed it
        except OSError as problem:
            raise InputError(
                f"{path} cannot be written: {problem.strerror or problem}",
                hint="name another place with --output",
            ) from None
        if path.is_dir():
            raise InputError(f"{path} is a folder", hint="name a file with --output")
