"""How Dask is set in every process of a fleet: nothing served but the work, nothing measured, nothing moved about."""

import logging
from typing import Any

import dask

_SETTINGS: dict[str, Any] = {
    # A lost worker is told at once; the submitting side counts how often, in its journal.
    "distributed.scheduler.allowed-failures": 0,
    "distributed.scheduler.work-stealing": False,
    "distributed.scheduler.worker-ttl": "60 seconds",
    "distributed.scheduler.active-memory-manager.start": False,
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
    "distributed.worker.profile.enabled": False,
    "distributed.worker.memory.spill": False,
    "distributed.worker.memory.target": False,
    "distributed.worker.daemon": False,
    "distributed.comm.timeouts.connect": "10s",
    "distributed.comm.timeouts.tcp": "60s",
    "distributed.comm.retry.count": 1,
    "distributed.admin.system-monitor.interval": "5s",
    "distributed.admin.log-length": 100,
    "distributed.admin.low-level-log-length": 100,
    "distributed.diagnostics.computations.max-history": 0,
    "distributed.diagnostics.erred-tasks.max-history": 0,
}


def set_dask() -> None:
    """Sets this process's Dask, whatever a configuration file of the machine says, and quiets its log."""
    dask.config.set(_SETTINGS)
    logging.disable(logging.CRITICAL)  # what matters is told by us; nothing of ours uses it
