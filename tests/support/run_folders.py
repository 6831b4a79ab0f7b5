# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Writes the files of a made-up job, as small as they can be recognised, for golden cases about runs."""
import gzip
import json
import pathlib

from flight_dumps import Job


class Folder:
    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.root.mkdir(parents=True)

    def path(self, name):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def text(self, name, text):
        self.path(name).write_text(text, encoding="utf-8")

    def trace(self, name, rank=None, world=None, groups=None, behind=False):
        """A trace of Kineto. `groups` is its pg_config; `behind`: the newest Kineto writes the rank behind the events."""
        info = {"backend": "nccl"}
        if rank is not None:
            info["rank"] = rank
        if world is not None:
            info["world_size"] = world
        if groups is not None:
            info["pg_config"] = groups
        events = [{"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 1.0, "dur": 1.0}]
        entries = {"schemaVersion": 1}
        if not behind and len(info) > 1:
            entries["distributedInfo"] = info
        entries["traceEvents"] = events
        if behind:
            entries["distributedInfo"] = info
        text = json.dumps(entries)
        if name.endswith(".gz"):
            self.path(name).write_bytes(gzip.compress(text.encode(), mtime=0))
        else:
            self.text(name, text)

    def memory_log(self, folder):
        self.text(folder + "/memory.log", "Memory State:\ntime: 37.56 seconds\n---summary---\ntotal_memory: 1.00 MB\n")

    def pages(self, folder):
        for page in ("activation_memory", "grads_memory", "os_memory", "params_memory", "summary"):
            self.text("%s/%s_sunburst.html" % (folder, page), "<html></html>")

    def snapshot(self, name):
        """A memory snapshot as a pickle of protocol 2: {"segments": [], "device_traces": []}."""
        self.path(name).write_bytes(b"\x80\x02}q\x00(X\x08\x00\x00\x00segmentsq\x01]q\x02X\x0d\x00\x00\x00device_traces"
                                    b"q\x03]q\x04u.")

    def dumps(self, folder, ranks):
        job = Job([("0", "default_pg", list(ranks))])
        job.all(0, "all_reduce", 64)
        job.write(str(self.path(folder + "/x").parent), ranks, ring=9)
