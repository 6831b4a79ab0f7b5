# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Metadata that a program adds to its recording."""

import json
import sys

from . import _say

_PREFIX = "metadata:"  # as wire.h describes it
_MOST_BYTES = 60_000  # the library keeps at most 64 KiB of a text


class Metadata:
    """Keeps what is added before the recording starts, and writes it with the recording."""

    def __init__(self):
        self._preset = {}
        self._library = None  # while the recording runs

    def preset(self, key, value):
        self._preset[key] = value

    def add(self, key, value):
        """Adds `value`, which is JSON, now or when the recording starts."""
        if self._library:
            self._write(key, value)
        else:
            self._preset[key] = value

    def begin(self, library):
        self._library = library
        try:
            described = distributed_info()
        except Exception:
            described = None  # a process group that is going away
        for key, value in {**({"distributedInfo": described} if described else {}), **self._preset}.items():
            self._write(key, value)

    def end(self):
        self._library = None

    def _write(self, key, value):
        raw = str(value).encode("utf-8", "replace")
        if len(raw) > _MOST_BYTES:
            _say.once(f"metadata:{key}", f"add_metadata_json: The value of {key!r} is left out, because it is longer than "
                                         f"{_MOST_BYTES} bytes.")
        else:
            self._library.process_info((_PREFIX + key).encode("utf-8", "replace"), raw)


def distributed_info():
    """The process groups as torch.profiler describes them, as JSON; None if there are none."""
    torch = sys.modules.get("torch")
    dist = getattr(torch, "distributed", None)
    if dist is None or not dist.is_available() or not dist.is_initialized():
        return None
    info = {"backend": dist.get_backend(), "rank": dist.get_rank(), "world_size": dist.get_world_size()}
    configs = getattr(dist.distributed_c10d, "_get_all_pg_configs", None)
    if configs:
        info["pg_config"] = configs()
        info["pg_count"] = len(info["pg_config"])
    if info["backend"] == "nccl":
        info["nccl_version"] = ".".join(map(str, torch.cuda.nccl.version()))
    text = json.dumps(info, default=str)
    if len(text) > _MOST_BYTES and info.pop("pg_config", None) is not None:  # many groups: their number has to do
        text = json.dumps(info, default=str)
    return text
