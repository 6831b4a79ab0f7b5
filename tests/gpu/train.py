# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Trains a small GPT for measurements and prints one JSON line with the median step time in milliseconds.

Usage: train.py [--device cuda|cpu] [--steps N] [--profiler none|torch|riffle] [--out DIR]"""

import argparse
import json
import statistics
import time
from pathlib import Path

import torch


class Block(torch.nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.before, self.after = torch.nn.LayerNorm(width), torch.nn.LayerNorm(width)
        self.qkv, self.out = torch.nn.Linear(width, 3 * width), torch.nn.Linear(width, width)
        self.mlp = torch.nn.Sequential(torch.nn.Linear(width, 4 * width), torch.nn.GELU(), torch.nn.Linear(4 * width, width))

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = (part.view(batch, length, self.heads, -1).transpose(1, 2) for part in self.qkv(self.before(x)).chunk(3, -1))
        attended = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(attended.transpose(1, 2).reshape(batch, length, width))
        return x + self.mlp(self.after(x))


class Gpt(torch.nn.Module):
    def __init__(self, layers, width, heads, words, length):
        super().__init__()
        self.words, self.places = torch.nn.Embedding(words, width), torch.nn.Embedding(length, width)
        self.blocks = torch.nn.Sequential(*(Block(width, heads) for _ in range(layers)))
        self.head = torch.nn.Linear(width, words)

    def forward(self, tokens):
        return self.head(self.blocks(self.words(tokens) + self.places(torch.arange(tokens.shape[1], device=tokens.device))))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--profiler", default="none", choices=("none", "torch", "riffle"))
    parser.add_argument("--out", type=Path, default=Path("."))
    arguments = parser.parse_args()
    torch.manual_seed(1)
    large = arguments.device == "cuda"
    layers, width, batch, length = (12, 768, 8, 512) if large else (2, 64, 2, 32)
    model = Gpt(layers, width, width // 64, 1000, length).to(arguments.device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    tokens = torch.randint(0, 1000, (batch, length + 1), device=arguments.device)

    def step():
        loss = torch.nn.functional.cross_entropy(model(tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten())
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        if large:
            torch.cuda.synchronize()

    def timed(count, after=lambda: None):
        times = []
        for _ in range(count):
            begin = time.perf_counter()
            step()
            after()
            times.append((time.perf_counter() - begin) * 1e3)
        return times

    timed(10)
    if arguments.profiler == "torch":
        activities = [torch.profiler.ProfilerActivity.CPU] + [torch.profiler.ProfilerActivity.CUDA] * large
        with torch.profiler.profile(activities=activities, record_shapes=True) as profiler:
            times = timed(arguments.steps, profiler.step)
        begin = time.perf_counter()
        profiler.export_chrome_trace(str(arguments.out / "torch.pt.trace.json"))
        written = (time.perf_counter() - begin) * 1e3
    elif arguments.profiler == "riffle":
        import riffle_profiler as riffle

        with riffle.profile(dir=str(arguments.out), record_shapes=True) as profiler:
            times = timed(arguments.steps, profiler.step)
            begin = time.perf_counter()
        written = (time.perf_counter() - begin) * 1e3
    else:
        times, written = timed(arguments.steps), 0.0
    print(json.dumps({"median_ms": statistics.median(times), "most_ms": max(times), "written_ms": written}))


if __name__ == "__main__":
    main()
