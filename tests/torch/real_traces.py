#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Compares the tables that PyTorch's own code computes from the events of real GPU traces (tables_of_trace.py) with
`riffle-cli summary --like torch`, including the device columns.

    real_traces.py --cli build/release/bin/riffle-cli [--filter REGEX]

The status is 77 (skipped) without PyTorch 2.15 or later in $RIFFLE_TORCH_PYTHON, or without the traces: $RIFFLE_TRACES, by default
../shared/traces beside the repository. FLOPs are not compared, because a trace does not contain them (agreement.py compares them).
"""
import json
import pathlib
import re
import subprocess
import sys

import agreement

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
import other_program
# Traces of eager and compiled runs, from CUDA and ROCm, old and new, with Python frames, memory, overhead, stream synchronisation.
TRACES = ["AMD-AGI__Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz", "AMD-AGI__eager_trace.json.gz", "AMD-AGI__resnet_act_checkpoint.json.gz",
          "AMD-AGI__sglang_Qwen3-8B_decode.json.gz", "deepseek-ai__train.json", "facebookresearch__event_sync_trace.json.gz",
          "facebookresearch__nccl_data.json.gz", "harryjmoss__gpu_working_chrome_trace.json", "luatil__trace_06.json",
          "marcalph__192-222-51-72_4336.1774353536539013415.pt.trace.json", "pytorch__gpu_metrics_expected.json"]
SORTS = {"self_cuda_time_total": "Self CUDA", "cuda_time_total": "CUDA total", "self_cuda_memory_usage": "Self CUDA Mem"}


def main():
    options, python = agreement.begin(__doc__)
    folder = other_program.TRACES / "kineto"
    if not folder.is_dir():
        print("SKIPPED: There is no folder of real traces. Set RIFFLE_TRACES. Nothing was compared.", file=sys.stderr)
        return other_program.SKIPPED
    agreement.SORT_COLUMNS.update(SORTS)
    wrong = 0
    for name in TRACES:
        if not re.search(options.filter, name):
            continue
        theirs = subprocess.run([python, str(HERE / "tables_of_trace.py"), str(folder / name)], capture_output=True, text=True, timeout=900)
        if theirs.returncode:
            print(name, theirs.stderr[-2000:])
            return 1
        found, cells = [], 0
        for arguments, table in json.loads(theirs.stdout):
            ours = subprocess.run([options.cli, "summary", str(folder / name), "--like", "torch", "--no-store", *arguments],
                                  capture_output=True, text=True).stdout
            sort = arguments[arguments.index("--sort") + 1] if "--sort" in arguments else None
            found += [" ".join(arguments) + ": " + each for each in agreement.differences(table, ours, sort, "FLOPs")]
            cells += sum(len(row) for row in agreement.parsed(table)[1])
        print("%-64s %6d cells, %d differ" % (name, cells, len(found)))
        print(*["  " + each for each in found[:6]], sep="\n", end="\n" if found else "")
        wrong += len(found) + (cells == 0)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
