"""Reading and changing configuration, as the `config` command does."""

from pathlib import Path

from msd_review.app.world import World, load_world
from msd_review.config import edit
from msd_review.config.layers import Value
from msd_review.config.roots import PLANNING, project_config, user_config
from msd_review.errors import UsageError


def get_value(folder: Path | None, key: str) -> Value:
    """The value that holds for `key`. Raises UsageError for a key that nobody declares."""
    world = load_world(folder)
    edit.known_key(world.config.schema, key)
    return world.config.get(key)


def list_values(folder: Path | None) -> tuple[tuple[Value, ...], tuple[str, ...]]:
    """Every declared key's value, sorted by key, and what is wrong in the files."""
    world = load_world(folder)
    families = {
        key
        for layer in world.config.layers
        for key in world.config.set_keys(layer)
        if key not in world.config.schema.keys and world.config.schema.find(key)
    }
    keys = sorted({*world.config.schema.keys, *families})
    return tuple(world.config.get(key) for key in keys), world.config.warnings()


def origin_text(value: Value) -> str:
    """`default`, or the layer and its file."""
    return f"{value.origin}: {value.path}" if value.path else value.origin


def _target(world: World, key: str, *, user: bool) -> Path:
    spec = edit.known_key(world.config.schema, key)
    if user:
        return user_config(world.home)
    if spec.who == "user only":
        raise UsageError(f"{key} is the user's own decision, never a project's", hint="add --user")
    return project_config(world.root.required())


def set_value(folder: Path | None, key: str, text: str, *, user: bool) -> Path:
    """Checks and writes one key; the file that was written."""
    world = load_world(folder)
    path = _target(world, key, user=user)
    spec = edit.known_key(world.config.schema, key)
    edit.set_key(path, key, edit.parse_value(spec, text))
    return path


def unset_value(folder: Path | None, key: str, *, user: bool) -> tuple[Path, bool]:
    """Removes one key; the file, and whether it was set there. Orphaned keys can be removed too."""
    world = load_world(folder)
    path = user_config(world.home) if user else project_config(world.root.required())
    was_set = edit.unset_key(path, key)
    if not was_set:
        edit.known_key(world.config.schema, key)
    return path, was_set


def config_paths(folder: Path | None, *, user: bool) -> tuple[Path, ...]:
    """The config files, low to high, whether they exist or not."""
    world = load_world(folder)
    own = user_config(world.home)
    if user or world.root.path is None:
        return (own,)
    return own, world.root.path / PLANNING / "config.json"
