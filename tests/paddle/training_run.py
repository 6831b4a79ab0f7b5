#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Runs a small training loop under Paddle's profiler, writes its trace into a folder and prints the profiler's summary.

    training_run.py FOLDER
"""
import sys

import numpy
import paddle
from paddle import profiler


class Rows(paddle.io.Dataset):
    def __len__(self):
        return 64

    def __getitem__(self, index):
        return numpy.full(64, index, "float32"), numpy.array([index % 10], "int64")


def main():
    paddle.seed(1)
    net = paddle.nn.Sequential(paddle.nn.Linear(64, 128), paddle.nn.ReLU(), paddle.nn.Linear(128, 10))
    adam = paddle.optimizer.Adam(parameters=net.parameters())
    recorder = profiler.Profiler(targets=[profiler.ProfilerTarget.CPU], scheduler=(1, 5), record_shapes=True, profile_memory=True,
                                 on_trace_ready=profiler.export_chrome_tracing(sys.argv[1]))
    recorder.start()
    for row, label in paddle.io.DataLoader(Rows(), batch_size=8, num_workers=0):
        loss = paddle.nn.functional.cross_entropy(net(row), label)
        with profiler.RecordEvent("twice"):
            loss = loss * 2
        loss.backward()
        adam.step()
        adam.clear_grad()
        recorder.step()
    recorder.stop()
    recorder.summary(sorted_by=profiler.SortedKeys.CPUTotal, op_detail=True, thread_sep=False, time_unit="us")


if __name__ == "__main__":
    main()
