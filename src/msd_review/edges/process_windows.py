"""Job Objects: Windows' own way to end everything that a process started. Not tested on Windows yet.

The process is created suspended, put into the job, then resumed, so that nothing it starts can be outside.
The job ends its processes when its last handle closes, so also when msd itself is killed.
"""

import ctypes
import os
from typing import Any

import psutil

_JOB_EXTENDED_LIMIT_INFORMATION = 9
_KILL_ON_JOB_CLOSE = 0x2000
_PROCESS_SET_QUOTA_AND_TERMINATE = 0x0101
_CREATE_SUSPENDED = 0x4
_CREATE_NEW_PROCESS_GROUP = 0x200
_CREATE_NO_WINDOW = 0x08000000


class _BasicLimits(ctypes.Structure):
    _fields_ = [
        ("PerProcessUserTimeLimit", ctypes.c_int64),
        ("PerJobUserTimeLimit", ctypes.c_int64),
        ("LimitFlags", ctypes.c_uint32),
        ("MinimumWorkingSetSize", ctypes.c_size_t),
        ("MaximumWorkingSetSize", ctypes.c_size_t),
        ("ActiveProcessLimit", ctypes.c_uint32),
        ("Affinity", ctypes.c_size_t),
        ("PriorityClass", ctypes.c_uint32),
        ("SchedulingClass", ctypes.c_uint32),
    ]


class _ExtendedLimits(ctypes.Structure):
    _fields_ = [
        ("BasicLimitInformation", _BasicLimits),
        ("IoInfo", ctypes.c_uint64 * 6),
        ("ProcessMemoryLimit", ctypes.c_size_t),
        ("JobMemoryLimit", ctypes.c_size_t),
        ("PeakProcessMemoryUsed", ctypes.c_size_t),
        ("PeakJobMemoryUsed", ctypes.c_size_t),
    ]


def _kernel() -> Any:
    if os.name != "nt":
        raise RuntimeError("Job Objects exist on Windows alone")
    kernel = ctypes.WinDLL("kernel32", use_last_error=True)  # type: ignore[attr-defined]  # Windows alone
    kernel.CreateJobObjectW.restype = ctypes.c_void_p
    kernel.OpenProcess.restype = ctypes.c_void_p
    return kernel


class Job:
    """One job; `terminate` ends all of it, `close` too."""

    CREATION_FLAGS = _CREATE_SUSPENDED | _CREATE_NEW_PROCESS_GROUP | _CREATE_NO_WINDOW

    def __init__(self) -> None:
        self._kernel = _kernel()
        self._handle = ctypes.c_void_p(self._kernel.CreateJobObjectW(None, None))
        limits = _ExtendedLimits()
        limits.BasicLimitInformation.LimitFlags = _KILL_ON_JOB_CLOSE
        self._kernel.SetInformationJobObject(
            self._handle, _JOB_EXTENDED_LIMIT_INFORMATION, ctypes.byref(limits), ctypes.sizeof(limits)
        )

    def take_and_resume(self, pid: int) -> None:
        """Raises OSError when the process cannot be put into the job; it is then ended, never resumed."""
        process = ctypes.c_void_p(self._kernel.OpenProcess(_PROCESS_SET_QUOTA_AND_TERMINATE, False, pid))
        try:
            if not self._kernel.AssignProcessToJobObject(self._handle, process):
                self._kernel.TerminateProcess(process, 1)
                raise OSError("the process could not be put into a job object")
            psutil.Process(pid).resume()
        finally:
            self._kernel.CloseHandle(process)

    def terminate(self) -> None:
        """Ends every process of the job; never raises."""
        self._kernel.TerminateJobObject(self._handle, 1)

    def close(self) -> None:
        """Lets go of the job, and with it ends what is left in it."""
        self._kernel.CloseHandle(self._handle)
