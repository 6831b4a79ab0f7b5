#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Runs scripts written for torch.profiler twice, the second time with only the import changed to riffle_profiler, and
compares their results.

Usage: dropin_check.py RIFFLE_CLI LIBRARY [NAME]

With NAME, only the scripts of dropin_snippets.py whose names contain it. It runs under $RIFFLE_TORCH_PYTHON; status 77
(skipped) if that is not set.
"""

import gzip
import json
import os
import re
import subprocess
import sys
import tempfile
import traceback
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent


def snippets():
    parts = re.split(r"^# === (.+)\n", (HERE / "dropin_snippets.py").read_text(encoding="utf-8"), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2]))


def with_riffle(text):
    """The same script with the other import."""
    text = re.sub(r"^from torch\.profiler import", "from riffle_profiler import", text, flags=re.MULTILINE)
    text = re.sub(r"^import torch\.profiler as", "import riffle_profiler as", text, flags=re.MULTILINE)
    if re.search(r"^import torch\.profiler$", text, flags=re.MULTILINE):
        text = re.sub(r"^import torch\.profiler$", "import riffle_profiler", text, flags=re.MULTILINE)
        text = text.replace("torch.profiler.", "riffle_profiler.")
    return text


def prelude():
    """The names that a snippet may use."""
    import torch

    torch.manual_seed(1)
    torch.set_num_threads(1)
    model = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(144, 10))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    inputs = torch.randn(5, 3, 8, 8)

    def train():
        optimizer.zero_grad()
        model(inputs).square().mean().backward()
        optimizer.step()

    def opened(path):
        return gzip.open(path, "rt") if path.endswith(".gz") else open(path, encoding="utf-8")

    def top_of(path):
        with opened(path) as file:
            return json.load(file)

    def operators_in(path):
        return Counter(event["name"] for event in top_of(path)["traceEvents"] if event.get("cat") == "cpu_op")

    def files(folder="."):
        return sorted(name for name in os.listdir(folder) if not name.endswith(".rifflelog"))

    def rows(text):
        lines = text.splitlines()
        ruled = [at for at, line in enumerate(lines) if line.startswith("---")]
        return lines[ruled[0] + 1:ruled[1]], lines[ruled[1] + 1:ruled[2]]

    return {"torch": torch, "model": model, "inputs": inputs, "train": train, "top_of": top_of, "files": files,
            "operators_in": operators_in, "counts": lambda found: {row.key: row.count for row in found},
            "header_of": lambda text: rows(text)[0][0].split(),
            "names_in": lambda text: {row.split()[0] for row in rows(text)[1] if row.strip()}}


def run_all(ours, wanted):
    """Runs the snippets and prints what they leave, as JSON."""
    found = {}
    names = prelude()
    for _ in range(2):
        names["train"]()
    for name, text in snippets().items():
        if wanted not in name:
            continue
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                space = dict(names)
                exec(compile(with_riffle(text) if ours else text, name, "exec"), space)  # noqa: S102
                found[name] = {"result": space["result"]}
            except BaseException as error:
                traceback.print_exc()
                found[name] = {"error": f"{type(error).__name__}: {error}"}
            os.chdir("/")
    print("RESULTS " + json.dumps(found, sort_keys=True, default=str))


def results(side, wanted):
    strict = ["-W", "error"] * (side != "torch.profiler")  # as jobs do that must not get a warning more than before
    done = subprocess.run([sys.executable, *strict, __file__, "--side", side, wanted], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, timeout=300)
    line = [line for line in done.stdout.splitlines() if line.startswith("RESULTS ")]
    if not line:
        sys.exit(f"The run with {side} ended with status {done.returncode}.\n{done.stderr[-4000:]}")
    return json.loads(line[0][len("RESULTS "):]), done.stderr


def main():
    if sys.argv[1:2] == ["--side"]:
        return run_all(sys.argv[2] == "riffle_profiler", sys.argv[3])
    python = os.environ.get("RIFFLE_TORCH_PYTHON")
    if not python:
        print("SKIPPED: RIFFLE_TORCH_PYTHON does not name an interpreter that has PyTorch. Nothing was tested.")
        return 77
    if os.environ.get("RIFFLE_DROPIN") != "inside":
        environment = {name: value for name, value in os.environ.items()
                       if name not in ("RANK", "NVTX_INJECTION64_PATH", "RIFFLE_OPTIONS")}
        environment.update(RIFFLE_CLI=os.path.abspath(sys.argv[1]), RIFFLE_COLLECTOR=os.path.abspath(sys.argv[2]),
                           RIFFLE_DROPIN="inside", PYTHONPATH=str(HERE.parents[2] / "collector" / "python"))
        os.execve(python, [python, __file__, *sys.argv[1:]], environment)
    wanted = sys.argv[3] if len(sys.argv) > 3 else ""
    theirs, _ = results("torch.profiler", wanted)
    ours, said = results("riffle_profiler", wanted)
    lines = [line for line in said.splitlines() if line.startswith("riffle: ")]
    good, runs = True, 0
    for name, their in theirs.items():
        own = ours[name]
        runs += "error" not in own
        good &= their == own and "error" not in own
        print(f"{'equal ' if their == own else 'DIFFERS'} {name}")
        if their != own:
            print(f"    torch.profiler:  {json.dumps(their)[:3000]}\n    riffle_profiler: {json.dumps(own)[:3000]}")
    print(f"{runs} of {len(theirs)} run with only the import changed.\n" + "\n".join(lines))
    for line, count in Counter(lines).items():
        if count > 1:
            print(f"This line was printed {count} times: {line}")
            good = False
    if not good:
        print(said[-6000:])
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
