"""This installation and this project, as every command meets them: loaded once, then only read."""

import importlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from msd_review.config.layers import Config, Layer, load_layer
from msd_review.config.roots import Root, find_root, home_folder, project_config, user_config, user_folder
from msd_review.config.schema import build_schema
from msd_review.registry import Registry, discover_overlays, first_party, load_registry
from msd_review.trust import store
from msd_review.trust.activity import overlay_decider
from msd_review.trust.consent import Consents, project_scope
from msd_review.trust.verified import open_memory


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """What exists here: the project's root, the user's folder, the registry, the configuration, the consents."""

    root: Root
    home: Path
    registry: Registry
    config: Config
    consents: Consents
    unfinished: tuple[str, ...] = ()  # changes of capabilities that were cut short and cannot be cleared

    def lane_flags(self) -> Iterable[tuple[tuple[str, ...], str, str]]:
        """Every lane's (flags, slug, one line of help), inactive ones last."""
        for entry in self.registry.lanes:
            yield entry.flags, entry.slug, f"Review with {entry.section}."
        taken = {flag for entry in self.registry.lanes for flag in entry.flags}
        for lane in self.registry.inactive_lanes:
            free = tuple(flag for flag in lane.flags if flag not in taken)
            taken.update(free)
            if free:
                yield free, lane.slug, f"Review with {lane.section} (inactive: {lane.detail})."

    def warnings(self) -> tuple[str, ...]:
        """What is wrong with the project's root, the consent store, installed capabilities and the config files."""
        refused = (
            ()
            if self.consents.problem is None
            else (f"the consent store is refused: {self.consents.problem}",)
        )
        return (
            *self.root.warnings,
            *self.unfinished,
            *refused,
            *self.consents.warnings,
            *self.config.warnings(),
        )

    def scope(self) -> str | None:
        """The scope of this project's consents, None without a project."""
        return None if self.root.path is None else project_scope(self.root.path, home=home_folder())


def _layers(home: Path, root: Path | None) -> tuple[Layer, ...]:
    user = load_layer("user", user_config(home))
    if root is None:
        return (user,)
    return user, load_layer("project", project_config(root))


def capability_folders(home: Path, root: Path | None) -> tuple[Path, Path | None]:
    """Where installed capabilities are: of the user, and of the project."""
    return home / "capabilities", (root / ".msd" / "capabilities" if root is not None else None)


def _recover(home: Path) -> tuple[str, ...]:
    """Ends what a killed change of capabilities left half done, and says what could not be.

    One look at one folder where there is nothing: only then is the code that changes capabilities loaded.
    """
    try:
        is_pending = any((home / "transactions").iterdir())
    except OSError:
        return ()
    if not is_pending:
        return ()
    problems: tuple[str, ...] = importlib.import_module("msd_review.lifecycle.transaction").recover(home)
    return problems


def load_world(folder: Path | None) -> World:
    """Loads everything for a command; `folder` is `-C DIR`. Raises ConfigError and UsageError."""
    root = find_root(folder)
    home = user_folder()
    unfinished = _recover(home)
    consents = store.load(home)
    scope = None if root.path is None else project_scope(root.path, home=home_folder())
    mine, theirs = capability_folders(home, root.path)
    overlays = discover_overlays(mine, theirs, cache_file=home / "cache" / "manifests.json")
    memory = open_memory(home / "cache" / "bundles.json")
    registry = load_registry(
        first_party(),
        overlays,
        is_active=overlay_decider(consents, project_scope=scope, memory=memory),
    )
    memory.save()
    schema = build_schema(registry.config_keys, registry.owned_lanes)
    config = Config(schema=schema, layers=_layers(home, root.path))
    return World(
        root=root, home=home, registry=registry, config=config, consents=consents, unfinished=unfinished
    )
