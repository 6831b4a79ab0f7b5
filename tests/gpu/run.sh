#!/usr/bin/env bash
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0

# Runs everything that needs a GPU: check.py (graphs, memory, samples, late start, yielding to torch.profiler, a long run),
# memory_check.py (snapshots, [memory] events of traces, out of memory), a measurement of what recording costs a small GPT
# per preset, compared with no collector and with torch.profiler, and a check that the kernels of both agree one for one.
# The status is 77 if there is no GPU, and 1 if something is wrong.
#
# Usage: tests/gpu/run.sh [OUT]      OUT (default $OUT, or build/gpu) gets the logs, the traces, check.txt and table.txt
#        RIFFLE_GPU_DEVICE=cpu       tries the script itself on a machine without a GPU
#        RIFFLE_TORCH_PYTHON         a Python that has PyTorch; by default that of ./dev test --torch, installed if missing
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
out=$(realpath -m "${1:-${OUT:-$root/build/gpu}}")
device=${RIFFLE_GPU_DEVICE:-cuda}
torch_home=${XDG_CACHE_HOME:-$HOME/.cache}/riffle/torch
python=${RIFFLE_TORCH_PYTHON:-$torch_home/bin/python}
steps=${RIFFLE_GPU_STEPS:-30}

if [[ $device == cuda ]] && ! nvidia-smi -L >/dev/null 2>&1; then
    echo "SKIPPED: There is no NVIDIA GPU here. Nothing that needs one was tested."
    exit 77
fi
if [[ ! -x $python ]]; then
    python3 -m venv --clear "$torch_home"
    "$torch_home/bin/pip" install -q torch numpy
    touch "$torch_home/complete"
fi
status=0
mkdir -p "$out"
rm -rf "$out"/*

build=${RIFFLE_BUILD:-$root/build/release}
if [[ ! -e $build/lib/libriffle_collector.so || ! -x $build/bin/riffle-cli ]]; then
    cmake --preset release -S "$root" -DRIFFLE_GUI=OFF -DRIFFLE_TESTS=OFF >/dev/null
    cmake --build "$build" --target riffle_collector riffle-cli >/dev/null
fi
export RIFFLE_COLLECTOR=$build/lib/libriffle_collector.so
export PYTHONPATH=$root/collector/python
train=("$python" "$root/tests/gpu/train.py" --device "$device" --steps "$steps")

{
    nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null || echo "no GPU ($device)"
    "$python" -c 'import torch; print("PyTorch", torch.__version__, "CUDA", torch.version.cuda)'
    printf '%-28s %s\n' none "$("${train[@]}" | tail -1)"
    mkdir -p "$out/torch" "$out/riffle"
    printf '%-28s %s\n' torch.profiler "$("${train[@]}" --profiler torch --out "$out/torch" 2>/dev/null | tail -1)"
    printf '%-28s %s\n' "riffle, from Python" "$("${train[@]}" --profiler riffle --out "$out/riffle" | tail -1)"
    for preset in light normal memory; do
        mkdir -p "$out/$preset"
        printf '%-28s %s\n' "riffle-cli record $preset" \
            "$("$build/bin/riffle-cli" record --preset $preset -o "$out/$preset" -- "${train[@]}" 2>"$out/$preset/record.txt" |
                grep median_ms)"
    done
    du -sb "$out"/*/*.rifflelog "$out"/torch/*.json | sed "s#$out/##"
    "$python" "$root/tests/gpu/compare.py" "$out/torch/torch.pt.trace.json" "$out"/riffle/*.rifflelog
} 2>&1 | tee "$out/table.txt" || status=1
gzip -f "$out/torch/torch.pt.trace.json"
"$python" "$root/tests/gpu/check.py" "$out/check" "$build/bin/riffle-cli" 2>&1 | tee "$out/check.txt" || status=1
"$python" "$root/tests/gpu/memory_check.py" "$out/memory-check" "$build/bin/riffle-cli" 2>&1 | tee "$out/memory.txt" || status=1
gzip -f "$out"/memory-check/*/train.pt.trace.json
rm -rf "$out"/check/test_soak
exit $status
