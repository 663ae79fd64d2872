"""Whether an installed capability is active: the one reader of its bytes for that purpose.

Invariants
- The bundle is read once, whole; its hash is compared with the consented one, and the manifest inside those
  same bytes must be the one that the registry will use. A file swapped between the two reads is found out.
- Read anew by every command: nothing about it is remembered between runs.
"""

import codecs
import json
from collections.abc import Callable

from msd_review.registry.overlays import Overlay
from msd_review.trust.bundle import Bundle, BundleRefused, read_bundle
from msd_review.trust.consent import GLOBAL, Consents
from msd_review.trust.policy import CONTENT_CHANGED, Inactive, overlay_state


def judge_overlay(overlay: Overlay, consents: Consents, *, project_scope: str | None) -> Inactive | None:
    """None when the capability may contribute and run, else why it is inactive.

    `project_scope` is the scope of the current project's consents, None where there is no project.
    """
    scope = GLOBAL if overlay.scope == "global" else project_scope
    bundle = _read(overlay)
    state = overlay_state(overlay.id, scope=scope, bundle=bundle, consents=consents)
    if state is None and bundle is not None and not _holds(bundle, overlay):
        return Inactive(
            code=CONTENT_CHANGED,
            detail="its manifest changed while it was being read",
            hint="run the command again",
        )
    return state


def overlay_decider(consents: Consents, *, project_scope: str | None) -> Callable[[Overlay], str | None]:
    """What a registry asks of each overlay: None lets it in, else the code of why not."""

    def decide(overlay: Overlay) -> str | None:
        state = judge_overlay(overlay, consents, project_scope=project_scope)
        return None if state is None else state.code

    return decide


def _read(overlay: Overlay) -> Bundle | None:
    try:
        return read_bundle(overlay.folder)
    except BundleRefused:
        return None


def _holds(bundle: Bundle, overlay: Overlay) -> bool:
    try:
        value = json.loads((bundle.manifest or b"").removeprefix(codecs.BOM_UTF8))
        return json.dumps(value, sort_keys=True) == json.dumps(overlay.raw, sort_keys=True)
    except (ValueError, RecursionError):
        return False
