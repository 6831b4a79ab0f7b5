#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Writes torch_flops.tsv: operators of a PyTorch run on the CPU with their arguments as a Kineto trace has them, and the FLOPs
that PyTorch's with_flops counted for each. Needs PyTorch; the file was written with 2.15."""

import json
import pathlib
import tempfile

import torch
import torch.nn.functional as F
from torch import nn
from torch.profiler import ProfilerActivity, profile


def products():
    a = torch.randn(6, 8, requires_grad=True)
    b = torch.randn(8, 10, requires_grad=True)
    (a @ b).sum().backward()
    torch.mm(a, b)
    torch.addmm(torch.randn(10), a, b)
    torch.addmm(torch.randn(6, 10), a, b, beta=2)
    linear = nn.Linear(8, 5)
    for shape in ((4, 8), (2, 3, 8), (8,)):
        linear(torch.randn(*shape)).sum().backward()
    nn.Linear(8, 5, bias=False)(torch.randn(2, 3, 8)).sum().backward()
    x = torch.randn(3, 4, 5, requires_grad=True)
    y = torch.randn(3, 5, 6, requires_grad=True)
    torch.bmm(x, y).sum().backward()
    torch.baddbmm(torch.randn(3, 4, 6), x, y)
    torch.matmul(x, torch.randn(5))
    torch.matmul(torch.randn(5), torch.randn(5))
    torch.matmul(torch.randn(2, 1, 4, 5), torch.randn(3, 5, 6))
    torch.mv(a.detach(), torch.randn(8))
    torch.zeros(0, 4) @ torch.zeros(4, 3)
    torch.zeros(2, 0) @ torch.zeros(0, 3)
    torch.bmm(torch.zeros(0, 2, 3), torch.zeros(0, 3, 4))


def elements():
    p = torch.randn(3, 4)
    _ = (p + p, p * 2, p + 1.5, p * torch.randn(4), torch.randn(4) * p, torch.tensor(3.0) * p, torch.tensor(3.0) + torch.tensor(2.0))
    _ = (torch.add(p, p, alpha=2), torch.randn(3, 1) + torch.randn(1, 4), torch.zeros(0, 4) + torch.zeros(0, 4), 2 - p)
    p.add_(1)
    p.mul_(2)
    torch.cat([p, p])
    torch._foreach_add([p, p], 1.0)


def convolutions():
    for module, shape in (
        (nn.Conv2d(3, 8, 3, stride=2, padding=1), (2, 3, 15, 14)),
        (nn.Conv2d(4, 8, (3, 5), groups=2, dilation=(2, 1)), (2, 4, 20, 21)),
        (nn.Conv2d(4, 8, 3, padding="same"), (2, 4, 9, 9)),
        (nn.Conv2d(4, 8, 3, padding="valid", bias=False), (2, 4, 9, 9)),
        (nn.Conv1d(4, 6, 3, padding=2, stride=3), (2, 4, 17)),
        (nn.Conv3d(2, 4, 3, padding=1), (1, 2, 5, 6, 7)),
        (nn.ConvTranspose2d(4, 6, 3, stride=2, padding=1, output_padding=1), (2, 4, 7, 7)),
        (nn.Conv2d(6, 6, 3, groups=6), (2, 6, 9, 9)),
        (nn.Conv2d(3, 8, 3), (3, 15, 14)),
    ):
        module(torch.randn(*shape, requires_grad=True)).sum().backward()


def attention():
    q = torch.randn(2, 4, 16, 32, requires_grad=True)
    k = torch.randn(2, 4, 24, 32, requires_grad=True)
    v = torch.randn(2, 4, 24, 32, requires_grad=True)
    F.scaled_dot_product_attention(q, k, v).sum().backward()
    F.scaled_dot_product_attention(q, q, q, is_causal=True).sum().backward()
    F.scaled_dot_product_attention(q, k, torch.randn(2, 4, 24, 16))
    mha = nn.MultiheadAttention(16, 4, batch_first=True)
    z = torch.randn(2, 7, 16)
    mha(z, z, z)[0].sum().backward()


def main():
    torch.manual_seed(0)
    with profile(activities=[ProfilerActivity.CPU], record_shapes=True, with_flops=True) as recording:
        for part in (products, elements, convolutions, attention):
            part()
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "trace.json"
        recording.export_chrome_trace(str(path))
        trace = json.loads(path.read_text())
    written = [event for event in trace["traceEvents"] if event.get("cat") == "cpu_op"]
    written.sort(key=lambda event: (event["ts"], -event["dur"], event["args"]["Ev Idx"]))
    counted = [event for event in recording.profiler.kineto_results.events() if event.activity_type() == "cpu_op"]
    counted.sort(key=lambda event: (event.start_ns(), -event.duration_ns()))
    assert len(written) == len(counted), (len(written), len(counted))
    rows = set()
    for event, said in zip(written, counted):
        assert event["name"] == said.name(), (event["name"], said.name())
        name = event["name"].removeprefix("aten::")
        if name not in ("add", "mul") and not any(word in name for word in ("mm", "matmul", "linear", "conv", "attention")):
            continue
        args = event["args"]
        if not args.get("Input Dims"):
            continue
        cells = [event["name"], str(said.flops())]
        cells += [json.dumps(args.get(key, []), separators=(",", ":")) for key in ("Input Dims", "Concrete Inputs")]
        rows.add("\t".join(cells))
    target = pathlib.Path(__file__).with_name("torch_flops.tsv")
    target.write_text("".join(row + "\n" for row in sorted(rows)))
    print(len(rows), "calls", sum(row.split("\t")[1] != "0" for row in rows), "counted")


if __name__ == "__main__":
    main()
