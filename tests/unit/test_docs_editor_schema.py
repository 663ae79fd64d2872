"""What `msd capability new` writes is what the pages say of it: valid, and wired to a schema that an editor can read."""

import json
from pathlib import Path

import jsonschema
import pytest

from msd_review.app.capability import create, validate
from msd_review.errors import InputError


@pytest.mark.parametrize("http", [False, True])
def test_a_new_manifest_is_valid_and_names_the_schema_beside_it(tmp_path: Path, http: bool) -> None:
    manifest, schema = create("acme", http=http, parent=tmp_path)
    value = json.loads(manifest.read_text(encoding="utf-8"))
    assert validate(tmp_path / "acme").problems == ()
    assert (manifest.parent / value["$schema"]).resolve() == schema.resolve()
    described = json.loads(schema.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(described)
    jsonschema.Draft202012Validator(described).validate(value)


def test_the_schema_tells_an_editor_of_a_mistake(tmp_path: Path) -> None:
    manifest, schema = create("acme", http=False, parent=tmp_path)
    value = json.loads(manifest.read_text(encoding="utf-8"))
    value["reviewer"]["invoke"]["promptChannel"] = "telepathy"
    validator = jsonschema.Draft202012Validator(json.loads(schema.read_text(encoding="utf-8")))
    assert not validator.is_valid(value)


def test_nothing_is_written_over_an_existing_folder(tmp_path: Path) -> None:
    (tmp_path / "acme").mkdir()
    with pytest.raises(InputError) as caught:
        create("acme", http=False, parent=tmp_path)
    assert caught.value.message == f"{tmp_path / 'acme'} exists already"
    assert caught.value.hint == "choose another id, or go to another folder"
    assert list((tmp_path / "acme").iterdir()) == []
