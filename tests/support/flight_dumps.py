# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Writes dumps of a made-up job in the form of PyTorch's Flight Recorder, for golden cases."""
import json
import pathlib
import pickle

SECOND = 1_000_000_000


class Job:
    """`groups` are [(name, description, ranks)]. Each call is appended to the list of its rank."""

    def __init__(self, groups, backend="nccl"):
        self.groups = groups
        self.backend = backend
        self.entries = {}
        self.counts = {}
        self.now = 1_700_000_000 * SECOND

    def call(self, rank, group, kind, elements=16, state="completed", retired=None, line=10):
        name, description, _ = self.groups[group]
        p2p = kind.split()[0] in ("send", "recv")
        counts = self.counts.setdefault((rank, group), [0, 0])
        counts[p2p] += 1
        own = self.entries.setdefault(rank, [])
        self.now += 1_000_000
        own.append({
            "frames": [{"name": kind.split()[0], "filename": "/venv/site-packages/torch/distributed/c.py", "line": 1},
                       {"name": "step", "filename": "train.py", "line": line},
                       {"name": "main", "filename": "train.py", "line": 99}],
            "record_id": len(own), "pg_id": group, "process_group": (name, description),
            "collective_seq_id": counts[0], "p2p_seq_id": counts[1], "op_id": len(own) + 1,
            "profiling_name": self.backend + ":" + kind, "time_created_ns": self.now,
            "input_sizes": [[elements]], "input_dtypes": ["Float"], "output_sizes": [[elements]],
            "output_dtypes": ["Float"], "state": state,
            "time_discovered_started_ns": None if state == "scheduled" else self.now + SECOND,
            "time_discovered_completed_ns": self.now + 2 * SECOND if state == "completed" else None,
            "retired": state == "completed" if retired is None else retired, "timeout_ms": 600_000, "is_p2p": p2p})

    def all(self, group, kind, elements=16, line=10):
        for rank in self.groups[group][2]:
            self.call(rank, group, kind, elements, line=line)

    def dump(self, rank, ring=0):
        listed = {name: {"name": name, "desc": description, "ranks": str(ranks)}
                  for name, description, ranks in self.groups if rank in ranks}
        return {"version": "2.10", "pg_config": listed, "comm_lib_version": "2.27.3", "pg_status": {},
                "entries": self.entries.get(rank, [])[-ring:]}

    def write(self, folder, ranks, ring=0, as_json=False):
        folder = pathlib.Path(folder)
        folder.mkdir(exist_ok=True)
        for rank in ranks:
            dump = self.dump(rank, ring)
            if as_json:
                for entry in dump["entries"]:
                    del entry["frames"]
                text = json.dumps(dump, sort_keys=True, separators=(",", ":")).encode()
                (folder / ("trace_rank_%d.json" % rank)).write_bytes(text)
            else:
                (folder / ("nccl_trace_rank_%d" % rank)).write_bytes(pickle.dumps(dump, 2))
