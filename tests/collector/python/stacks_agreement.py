#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Compares the Python stacks of a training loop on the CPU with those of torch.profiler(with_stack=True), operator by operator,
forward and backward: the same functions in the same order.

Usage: stacks_agreement.py RIFFLE_CLI LIBRARY

What differs by design is evened out before the comparison: torch.profiler also has functions of C, shows the function that calls a
module as that module, gives the line where a function starts instead of the one that runs, shortens paths, and does not qualify
names. The status is 1 if anything else differs. It runs under $RIFFLE_TORCH_PYTHON; status 77 (skipped) if that is not set.
"""

import ast
import os
import re
import sys
import tempfile
from pathlib import Path

from torch_inside import run_inside

HERE = Path(__file__).resolve()
HIDDEN = {("__init__.py", "backward"), ("__init__.py", "_make_grads")}  # torch.profiler leaves these frames of autograd out
FUNCTION = re.compile(r"nn\.Module: |<built-in |.*\(\d+\): ")  # some versions of PyTorch list functions among the operators
NODE = "autograd::engine::evaluate_function: "


def functions():
    """The functions of this file by name: their first and last lines."""
    found = {}
    for node in ast.walk(ast.parse(HERE.read_text(encoding="utf-8"))):
        if isinstance(node, (ast.FunctionDef, ast.Lambda)):
            found.setdefault(getattr(node, "name", "<lambda>"), []).append((node.lineno, node.end_lineno))
    return found


def node_around(event):
    """The node of the backward pass that an event is or is in; None inside the node's function, too."""
    while event and not event.name.startswith(NODE):
        if event.scope == 1:
            return None
        event = event.cpu_parent
    return event


def frames(stack):
    """(file without folders, line, function without qualification) of each Python function, the innermost first."""
    found = []
    for text in stack:
        match = re.fullmatch(r"(.*)\((\d+)\): (.*)", text)
        if text.startswith("nn.Module: "):
            found.append(("module.py", 0, "_wrapped_call_impl"))
        elif match:
            found.append((os.path.basename(match[1]), int(match[2]), match[3].split(".")[-1]))
    return found


def compare(theirs, ours):
    """Prints the differences. Returns their number, and that of the operators with frames of this file."""
    different = with_user = 0
    spans = functions()
    for their, our in zip(theirs, ours):
        wanted, got = frames(their.stack), [frame for frame in frames(our.stack) if frame[::2] not in HIDDEN]
        node = node_around(our)
        if node:
            # Their node, and the sums that the engine adds beside its function, have the frames that called the engine. In
            # ours, all of the node has the stack of the forward operator, which is also that of their function.
            assert wanted == [] or "_engine_run_backward" in {frame[2] for frame in wanted}, wanted
            function = next((child for child in node.cpu_children if child.name == node.name[len(NODE):]), None)
            wanted = frames(function.stack) if function else []
        same = [(file, name) for file, _, name in wanted] == [(file, name) for file, _, name in got]
        for file, line, name in got:
            if file == HERE.name and name in spans:
                same &= any(first <= line <= last for first, last in spans[name])
        user = [frame for frame in got if frame[0] == HERE.name]
        with_user += bool(user)
        if not same:
            different += 1
            if different <= 10:
                print(f"{our.name} (sequence {their.sequence_nr}, {our.sequence_nr})\n    theirs {wanted[:6]}\n    ours   {got[:6]}")
    return different, with_user


def recorded():
    import riffle_profiler as riffle
    import torch

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second = torch.nn.Linear(8, 16), torch.nn.Linear(16, 4)
            self.norm = torch.nn.LayerNorm(16)

        def forward(self, batch):
            hidden = self.activated(self.first(batch))
            hidden = self.norm(
                hidden,
            )
            return self.second(hidden) + 1

        def activated(self, hidden):
            return torch.relu(hidden)

    torch.manual_seed(1)
    torch.set_num_threads(1)
    net = Net()
    optimizer = torch.optim.Adam(net.parameters())
    scaled = [lambda loss: loss * 2]

    def loss_of(output):
        return scaled[0](output.square().mean())

    def train():
        for _ in range(3):
            optimizer.zero_grad()
            loss_of(net(torch.ones(2, 8))).backward()
            optimizer.step()

    train()
    cpu = [torch.profiler.ProfilerActivity.CPU]
    with torch.profiler.profile(activities=cpu, with_stack=True,
                                experimental_config=torch._C._profiler._ExperimentalConfig(verbose=True)) as theirs:
        train()
    with tempfile.TemporaryDirectory() as folder:
        with riffle.profile(activities=cpu, with_stack=True, dir=folder) as ours:
            train()
        lines = os.path.join(folder, "stacks.txt")
        ours.export_stacks(lines)
        with open(lines, encoding="utf-8") as text:
            exported = text.read().splitlines()
        return theirs.events(), ours.events(), ours.key_averages(group_by_stack_n=1), exported


def main():
    cli, library = map(os.path.abspath, sys.argv[1:3])
    if sys.argv[-1] != "--inside":
        return run_inside(__file__, RIFFLE_CLI=cli, RIFFLE_COLLECTOR=library)
    sys.path.insert(0, str(HERE.parents[3] / "collector" / "python"))
    their, our, averages, exported = recorded()
    theirs, ours = ([event for event in found if not event.is_user_annotation and "#" not in event.name and not FUNCTION.match(event.name)]
                    for found in (their, our))
    names = [[event.name for event in found] for found in (theirs, ours)]
    if names[0] != names[1]:
        print("The operators differ:", [pair for pair in zip(*names) if pair[0] != pair[1]][:3], *map(len, names))
        return 1
    different, with_user = compare(theirs, ours)
    backward = sum(bool(event.stack) for event in ours if event.name.endswith("Backward0"))
    print(f"{len(ours)} operators, {with_user} with frames of this file, {backward} of them backward functions; {different} differ")
    linear = {row.stack[0] for row in averages if row.key == "aten::linear" and row.stack}
    print(f"{len(exported)} lines exported; aten::linear is called from {sorted(linear)}")
    good = different == 0 and with_user > 100 and backward > 10 and len(exported) > 10 and len(linear) == 1
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
