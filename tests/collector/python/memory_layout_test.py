# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
import contextlib
import io
import os
import re
import tempfile
import unittest
from unittest import mock

import riffle_profiler as riffle

try:
    import torch
except ImportError:
    torch = None

MB = 1 << 20
KINDS = ("params", "grads", "os_params", "os_state", "activation")


def read(path):
    """The entries of a memory.log: the summary's numbers, and the layouts as {path: (own, total)}, all in MB."""
    entries = []
    with open(path, encoding="utf-8") as file:
        text = file.read()
    for block in text.split("\n\n")[:-1]:
        lines = block.split("\n")
        assert lines[0] == "Memory State:" and lines[2] == "---summary---", block
        entry = {"time": float(re.fullmatch(r"time: (\S+)", lines[1]).group(1)),
                 "total": float(re.fullmatch(r"total_memory: (\S+) MB", lines[3]).group(1))}
        wanted = ", ".join(rf"{kind}_memory: (\d+\.\d\d) MB" for kind in KINDS)
        entry.update(zip(KINDS, map(float, re.fullmatch(wanted, lines[4]).groups())))
        assert lines[5:6] in ([], ["---Layout---"])
        for line in lines[6:]:
            if line.endswith("_layout:"):
                layout = entry[line[:-1]] = {}
            else:
                path, own, total = re.fullmatch(r"layer: (\S+), layer_mem: (\S+) MB, total_mem: (\S+) MB", line).groups()
                layout[path] = (float(own), float(total))
        entries.append(entry)
    return entries


if torch:
    class Block(torch.nn.Module):
        def __init__(self, width):
            super().__init__()
            self.up, self.down = torch.nn.Linear(width, 4 * width), torch.nn.Linear(4 * width, width)
            self.act = torch.nn.ReLU(inplace=True)

        def forward(self, x):
            return x + self.down(self.act(self.up(x)))


@unittest.skipUnless(torch, "PyTorch is not installed")
class Layout(unittest.TestCase):
    WIDTH, ROWS = 512, 256  # sizes that are whole hundredths of a MB

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.model = torch.nn.Sequential(Block(self.WIDTH), Block(self.WIDTH))
        self.optimizer = torch.optim.Adam(self.model.parameters())

    def step(self):
        self.optimizer.zero_grad()
        self.model(torch.ones(self.ROWS, self.WIDTH)).sum().backward()
        self.optimizer.step()

    def test_sums_by_module(self):
        with riffle.memory_layout(self.model, self.optimizer, dir=self.folder) as layout:
            self.step()
            self.step()
        self.assertEqual(layout.path, os.path.join(self.folder, "rank0_dp0_tp0", "memory.log"))
        entries = read(layout.path)
        self.assertEqual(len(entries), 5)  # the start, and twice a forward pass and a step
        parameters = sum(parameter.numel() * 4 for parameter in self.model.parameters()) / MB
        wide, narrow = self.ROWS * 4 * self.WIDTH * 4 / MB, self.ROWS * self.WIDTH * 4 / MB
        first, forward, stepped = entries[:3]
        self.assertEqual([first[kind] for kind in KINDS], [round(parameters, 2), 0, 0, 0, 0])
        # Each block keeps up's output, which act modifies in place, and the sum; the output of down is not needed.
        self.assertEqual(forward["activation"], round(2 * (wide + narrow), 2))
        self.assertEqual(forward["total"], round(parameters + 2 * (wide + narrow), 2))
        self.assertEqual(forward["activation_base_layout"]["activations_0.0"], (round(narrow, 2), round(wide + narrow, 2)))
        self.assertEqual(forward["activation_base_layout"]["activations_0.1.up"], (round(wide, 2),) * 2)
        self.assertNotIn("activations_0.0.act", forward["activation_base_layout"])
        # Adam has two moments per parameter, and a number of 4 bytes.
        state = sum(value.numel() * value.element_size() for found in self.optimizer.state.values()
                    for value in found.values()) / MB
        self.assertEqual([stepped[kind] for kind in KINDS],
                         [round(parameters, 2), round(parameters, 2), 0, round(state, 2), 0])
        weight = self.WIDTH * 4 * self.WIDTH * 4 / MB
        self.assertEqual(stepped["params_layout"]["param_mem.0.up.weight"], (weight, weight))
        self.assertEqual(stepped["grads_layout"]["grad_mem.1.down.weight"], (weight, weight))
        self.assertEqual(stepped["os_state_layout"]["os_state_mem.0.up.weight"], (0, 2 * weight))
        self.assertEqual(stepped["os_state_layout"]["os_state_mem.0.up.weight.exp_avg"], (weight, weight))
        self.assertEqual(stepped["params_layout"]["param_mem"], (0, round(parameters, 2)))
        # The order is depth first: everything that belongs to a module follows it.
        self.assertEqual(list(stepped["params_layout"])[:5], ["param_mem", "param_mem.0", "param_mem.0.up",
                                                              "param_mem.0.up.weight", "param_mem.0.up.bias"])

    def test_optimizers_own_parameters_and_accumulated_activations(self):
        copies = [parameter.detach().double().requires_grad_() for parameter in self.model.parameters()]
        optimizer = torch.optim.SGD(copies, lr=0.1)
        with riffle.memory_layout(self.model, optimizer, dir=self.folder) as layout:
            losses = [self.model(torch.ones(self.ROWS, self.WIDTH)).sum() for _ in range(2)]
            with torch.no_grad():
                self.model(torch.ones(self.ROWS, self.WIDTH))
            sum(losses).backward()
            optimizer.step()
        entries = read(layout.path)
        self.assertEqual(entries[0]["os_params"], round(sum(copy.numel() * 8 for copy in copies) / MB, 2))
        self.assertIn("os_params_mem.0.params.7", entries[0]["os_params_layout"])
        wide, narrow = self.ROWS * 4 * self.WIDTH * 4 / MB, self.ROWS * self.WIDTH * 4 / MB
        # sum() does not need the model's output; tensors created under no_grad() are not kept.
        self.assertEqual([entry["activation"] for entry in entries],
                         [0, 2 * wide + 2 * narrow, 4 * wide + 3 * narrow, 4 * wide + 2 * narrow, 0])

    def test_it_ends_after_some_steps_and_leaves_no_hook(self):
        said = io.StringIO()
        with contextlib.redirect_stderr(said), mock.patch.dict(os.environ, RANK="2"):
            layout = riffle.memory_layout(self.model, self.optimizer, dir=self.folder, steps=1)
            after = []
            self.optimizer.register_step_post_hook(lambda *_: after.append(1))
            self.step()
            self.step()
        layout.close()
        self.assertEqual(len(after), 2)
        self.assertEqual(len(read(layout.path)), 3)
        self.assertIn(os.path.join("rank2_dp2_tp0", "memory.log"), said.getvalue())
        self.assertFalse([module for module in self.model.modules() if module._forward_hooks])

    def test_what_cannot_be_written_is_said_and_the_training_goes_on(self):
        with self.assertRaisesRegex(riffle.OptionError, "A str does not report its steps"):
            riffle.memory_layout(self.model, "optimizer", dir=self.folder)
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            riffle.memory_layout(self.model, self.optimizer, dir=__file__)
            self.step()
            layout = riffle.memory_layout(self.model, self.optimizer, dir=self.folder)
            os.remove(layout.path)
            os.mkdir(layout.path)
            self.step()
            self.step()
        self.assertEqual(said.getvalue().count("no longer written"), 2, said.getvalue())
