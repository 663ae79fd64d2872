"""Whether an installed capability is active: the one reader of its bytes for that purpose.

Invariants
- The bundle is read once, whole; its hash is compared with the consented one, and the manifest inside those
  same bytes must be the one that the registry will use. A file swapped between the two reads is found out.
- `judge_overlay` reads anew, always. Only who lists may go by a memory of what was verified and did not change.
"""

import codecs
import json
from collections.abc import Callable

from msd_review.registry.overlays import Overlay
from msd_review.trust.bundle import Bundle, BundleRefused, read_bundle
from msd_review.trust.consent import GLOBAL, Consents
from msd_review.trust.policy import CONTENT_CHANGED, Inactive, overlay_state
from msd_review.trust.verified import Memory, fingerprint


def judge_overlay(overlay: Overlay, consents: Consents, *, project_scope: str | None) -> Inactive | None:
    """None when the capability may contribute and run, else why it is inactive.

    `project_scope` is the scope of the current project's consents, None where there is no project.
    """
    scope = GLOBAL if overlay.scope == "global" else project_scope
    bundle = _read(overlay) if _consented_hash(overlay, consents, project_scope) is not None else None
    state = overlay_state(overlay.id, scope=scope, bundle=bundle, consents=consents)
    if state is None and bundle is not None and not _holds(bundle, overlay):
        return Inactive(
            code=CONTENT_CHANGED,
            detail="its manifest changed while it was being read",
            hint="run the command again",
        )
    return state


def overlay_decider(
    consents: Consents, *, project_scope: str | None, memory: Memory | None = None
) -> Callable[[Overlay], str | None]:
    """What a registry asks of each overlay: None lets it in, else the code of why not.

    With a `memory`, what was verified before and did not change since is not read again.
    """
    remembered = memory or Memory()

    def decide(overlay: Overlay) -> str | None:
        expected = _consented_hash(overlay, consents, project_scope)
        now = None if expected is None or memory is None else fingerprint(overlay.folder)
        if expected is not None and remembered.holds(overlay.folder, expected, now):
            return None
        state = judge_overlay(overlay, consents, project_scope=project_scope)
        if state is None and expected is not None:
            remembered.keep(overlay.folder, expected, now)
        return None if state is None else state.code

    return decide


def _consented_hash(overlay: Overlay, consents: Consents, project_scope: str | None) -> str | None:
    scope = GLOBAL if overlay.scope == "global" else project_scope
    consent = None if scope is None or consents.problem is not None else consents.overlay(scope, overlay.id)
    return None if consent is None else consent.content_hash


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
