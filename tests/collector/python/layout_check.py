#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Checks what riffle.memory_layout() writes, as riffle-cli reads it: every printed size must equal the one computed here from the sizes of
the tensors that were created.

Usage: layout_check.py RIFFLE_CLI STUB_LIBRARY [--torch] [unittest arguments]

It uses stand-ins for tensors, modules and an optimizer that have what memory_layout() needs from PyTorch's. With --torch it uses a real
model under $RIFFLE_TORCH_PYTHON; status 77 (skipped) if that is not set.
"""

import gzip
import json
import os
import subprocess
import sys
import tempfile
import unittest
from fractions import Fraction
from pathlib import Path
from unittest import mock

HERE = Path(__file__).resolve().parent
PARTS = ("params", "grads", "os_params", "os_state", "activation")


def hundredths(size):
    """The size in hundredths of a MB, rounded to the nearest, as it is printed."""
    return round(Fraction(size * 100, 1 << 20))


class Storage:
    def __init__(self, size):
        self.size = size

    def nbytes(self):
        return self.size


class Tensor:
    def __init__(self, count, width=4, leaf=True):
        self.count, self.width, self.grad, self.requires_grad, self.is_leaf = count, width, None, True, leaf
        self.storage = Storage(count * width)

    def numel(self):
        return self.count

    def element_size(self):
        return self.width

    def untyped_storage(self):
        return self.storage


class Hooks(list):
    def add(self, hook):
        self.append(hook)
        return mock.Mock(remove=lambda: self.remove(hook))

    def call(self, *arguments):
        for hook in list(self):
            hook(*arguments)


class Module:
    """A module that calls its children one after the other and then creates an output of `output` elements."""

    def __init__(self, parameters=(), children=(), output=None):
        self.parameters_, self.children, self.output, self.hooks = dict(parameters), dict(children), output, Hooks()

    def register_forward_hook(self, hook):
        return self.hooks.add(hook)

    def named_modules(self, name=""):
        yield name, self
        for key, child in self.children.items():
            yield from child.named_modules(f"{name}.{key}".lstrip("."))

    def named_parameters(self):
        for name, module in self.named_modules():
            for key, tensor in module.parameters_.items():
                yield f"{name}.{key}".lstrip("."), tensor

    def parameters(self):
        return (tensor for _, tensor in self.named_parameters())

    def __call__(self, kept):
        for child in self.children.values():
            result = child(kept)
        if self.output:
            result = Tensor(self.output, leaf=False)
            kept.append(result)
        self.hooks.call(self, (), result)
        return result


class Optimizer:
    """A stand-in for Adam that holds its own copies of the parameters in double precision."""

    def __init__(self, parameters):
        self.copies = [Tensor(tensor.numel(), 8) for tensor in parameters]
        self.param_groups, self.state, self.hooks = [{"params": self.copies}], {}, Hooks()

    def register_step_post_hook(self, hook):
        return self.hooks.add(hook)

    def step(self):
        for copy in self.copies:
            self.state.setdefault(copy, {"step": Tensor(1), "exp_avg": Tensor(copy.numel(), 8), "exp_avg_sq": Tensor(copy.numel(), 2)})
        self.hooks.call(self)


class StandIns:
    """A model and its optimizer, with sizes that are not whole hundredths of a MB."""

    def __init__(self, scale):
        def block(factor):
            up = Module({"weight": Tensor(123_457 * factor), "bias": Tensor(1_001)}, output=654_321 * factor)
            return Module(children={"up": up, "norm1": Module({"weight": Tensor(77_777)}, output=33_333)}, output=11_111 * factor)
        self.model = Module(children={"blocks": Module(children={"0": block(scale), "1": block(2 * scale)}), "head": Module({"weight": Tensor(999_983, 2)}, output=5)})
        self.optimizer = Optimizer(self.model.parameters())

    def step(self, forward_seen, step_seen):
        kept = []
        for tensor in self.model.parameters():
            tensor.grad = None
        self.model(kept)
        forward_seen({name: tensor for name, tensor in self.made(kept)})
        for tensor in self.model.parameters():
            tensor.grad = Tensor(tensor.numel(), tensor.element_size())
        del kept[2:]  # some outputs of the first block are still needed
        self.optimizer.step()
        step_seen({name: tensor for name, tensor in self.made(kept)})

    def made(self, kept):
        """Pairs of module name and output, in the order in which the outputs were created."""
        names = [f"blocks.{at}{inner}" for at in "01" for inner in (".up", ".norm1", "")] + ["head"]
        return zip(names, kept)


def tree(root, sizes):
    """{path: [own, total]} in bytes; each size also counts in the totals of all prefixes of its name."""
    found = {}
    for name, size in sizes.items():
        path = root
        places = [path] + [path := f"{path}.{word}" for word in name.split(".")]
        for place in places:
            found.setdefault(place, [0, 0])[1] += size
        found[places[-1]][0] += size
    return found or {root: [0, 0]}


class Layouts(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = os.path.join(folder.name, "memory_trace")
        self.points = {}  # by rank: the expected content of each point

    def cli(self, *words):
        done = subprocess.run([os.environ["RIFFLE_CLI"], *words], capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""), words)
        return json.loads(done.stdout)

    def write(self, rank, model, optimizer, steps, step):
        """Writes a rank's log, and records the expected sizes at each of its points."""
        points = self.points[rank] = []

        def note(layouts, activations):
            grads = {name: tensor.grad for name, tensor in model.named_parameters() if tensor.grad is not None}
            copies = {f"0.params.{at}": tensor for at, tensor in enumerate(optimizer.param_groups[0]["params"])
                      if not any(tensor is own for own in model.parameters())}
            owners = {id(tensor): name for name, tensor in model.named_parameters()}
            state = {f"{owners.get(id(tensor), at)}.{key}": value for at, (tensor, found) in enumerate(optimizer.state.items())
                     for key, value in found.items()}
            found = dict(zip(PARTS, (dict(model.named_parameters()), grads, copies, state, activations)))
            sizes = {part: {name: tensor.numel() * tensor.element_size() for name, tensor in tensors.items()} for part, tensors in found.items()}
            points.append((sizes, layouts))

        with mock.patch.dict(os.environ, RANK=str(rank)):
            note(("params", "grads", "os_params"), {})
            with riffle.memory_layout(model, optimizer, dir=self.folder) as layout:
                for _ in range(steps):
                    step(lambda kept: note(("activation",), kept), lambda kept: note(PARTS, kept))
        return layout.path

    def check(self):
        """Compares everything that was written, point by point, with the output of riffle-cli."""
        rows = self.cli("memory", self.folder, "--by", "time", "--format", "json")
        times = {}
        for rank, points in self.points.items():
            found = [row for row in rows if row["rank"] == f"rank{rank}_dp{rank}_tp0"]
            self.assertEqual(len(found), len(points))
            for row, (sizes, layouts) in zip(found, points):
                totals = {part: sum(sizes[part].values()) for part in PARTS}
                self.assertEqual([round(row[f"{part}_mb"] * 100) for part in PARTS], [hundredths(totals[part]) for part in PARTS])
                self.assertEqual(round(row["total_mb"] * 100), hundredths(sum(totals.values())))
                self.assertEqual(row["layers"] > 0, bool(layouts))
            times[rank] = [row["time_ns"] for row in found]
            self.assertEqual(times[rank], sorted(times[rank]))
        roots = {"params": "param_mem", "grads": "grad_mem", "os_params": "os_params_mem", "os_state": "os_state_mem", "activation": "activations_0"}
        for rank, points in self.points.items():
            for at, (sizes, layouts) in zip(times[rank], points):
                found = self.cli("memory", self.folder, "--rank", str(rank), "--by", "layer", "--at", f"{at}ns", "--format", "json")
                expected = {(part, path): [hundredths(own), hundredths(total)] for part in layouts
                            for path, (own, total) in tree(roots[part], sizes[part]).items()}
                seen = {(row["part"], row["layer"]): [round(row["layer_mem_mb"] * 100), round(row["total_mem_mb"] * 100)] for row in found}
                self.assertEqual(seen, expected)
        told = self.cli("memory", "info", self.folder, "--format", "json")
        self.assertEqual((told["missing_ranks"], told["troubles"]), ([], []))
        self.assertEqual([(one["number"], one["points"], one["damage"]) for one in told["ranks"]],
                         [(rank, len(points), None) for rank, points in sorted(self.points.items())])

    def test_stand_ins_on_three_ranks(self):
        for rank in range(3):
            made = StandIns(1 + rank)
            self.write(rank, made.model, made.optimizer, 2 + rank, made.step)
        self.check()
        # A log that was compressed later gives the same result.
        path = Path(self.folder) / "rank1_dp1_tp0" / "memory.log"
        path.with_name("memory.log.gz").write_bytes(gzip.compress(path.read_bytes()))
        path.unlink()
        self.check()

    @unittest.skipUnless("--torch" in sys.argv, "needs --torch")
    def test_a_real_model(self):
        import torch

        model = torch.nn.Sequential(torch.nn.Linear(300, 1111), torch.nn.ReLU(), torch.nn.Linear(1111, 7))
        optimizer = torch.optim.Adam(model.parameters())

        def step(forward_seen, step_seen):
            optimizer.zero_grad()
            out = model(torch.ones(129, 300))
            # The first output is not kept; ReLU's output is kept for its backward pass, and the last one for the loss.
            forward_seen({"1": torch.empty(129, 1111), "2": out})
            out.sum().backward()
            optimizer.step()
            step_seen({"2": out})

        self.write(0, model, optimizer, 3, step)
        self.check()


if __name__ == "__main__":
    if "--torch" in sys.argv and not os.environ.get("RIFFLE_LAYOUT_CHECK"):
        python = os.environ.get("RIFFLE_TORCH_PYTHON")
        if not python:
            print("SKIPPED: RIFFLE_TORCH_PYTHON does not name an interpreter that has PyTorch. Nothing was tested.")
            sys.exit(77)
        os.environ["RIFFLE_LAYOUT_CHECK"] = "1"
        os.execv(python, [python, *sys.argv])
    os.environ["RIFFLE_CLI"], os.environ["RIFFLE_COLLECTOR"] = map(os.path.abspath, sys.argv[1:3])
    sys.path.insert(0, str(HERE.parents[2] / "collector" / "python"))
    import riffle_profiler as riffle
    unittest.main(argv=[sys.argv[0], *(word for word in sys.argv[3:] if word != "--torch")])
