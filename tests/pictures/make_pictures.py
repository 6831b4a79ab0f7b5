#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Makes pictures of the window for people to look at: kinds of files, sizes, themes and scales.

    make_pictures.py RIFFLE FOLDER [NAME...]

RIFFLE is the program, FOLDER takes the pictures. Names choose some of them; without names, all are made. Those of real
traces need RIFFLE_TRACES and are left out, with a line that says so, without it. Each picture must have the size that
was asked for and more than a few colours; the rest is for the eye: nothing cut, nothing overlapping, no empty pane."""

import os
import pathlib
import struct
import subprocess
import sys
import zlib

SAMPLE = pathlib.Path(__file__).resolve().parents[2] / "resources" / "sample"
RANKS = ["generated_rank0.pt.trace.json.gz", "generated_rank1.pt.trace.json.gz"]
RESNET = "kineto/AMD-AGI__resnet_act_checkpoint.json.gz"
SERVING = "kineto/AMD-AGI__sglang_Qwen3-8B_decode.json.gz"
OLD = "kineto/pytorch__worker0.1623143566756.pt.trace.json.gz"

# name: files (of the sample, or below RIFFLE_TRACES), size, theme, scale in percent, further arguments
PICTURES = {
    "sample-overview": (RANKS, "1280x720", "light", 100, ["--show", "overview"]),
    "sample-overview-small": (RANKS, "1024x700", "dark", 100, ["--show", "overview"]),
    "sample-timeline": (RANKS, "1280x720", "dark", 100, []),
    "sample-timeline-small": (RANKS, "1024x700", "light", 100, []),
    "sample-operators": (RANKS, "1280x720", "light", 125, ["--show", "operators"]),
    "sample-findings": (RANKS, "1920x1080", "dark", 100, ["--show", "findings"]),
    "one-rank-selected": (RANKS[:1], "1280x720", "light", 100, ["--select", "aten::linear", "--show", "kernels"]),
    "one-rank-selected-200": (RANKS[:1], "1280x720", "dark", 200, ["--select", "aten::linear"]),
    "resnet-overview": ([RESNET], "1920x1080", "light", 100, ["--show", "overview"]),
    "resnet-overview-large": ([RESNET], "2560x1440", "dark", 100, ["--show", "overview"]),
    "resnet-timeline": ([RESNET], "1920x1080", "dark", 100, []),
    "resnet-timeline-large": ([RESNET], "2560x1440", "light", 100, ["--show", "findings"]),
    "resnet-modules-150": ([RESNET], "1280x720", "light", 150, ["--show", "modules"]),
    "resnet-critical-path": ([RESNET], "1280x720", "dark", 100, ["--show", "critical-path"]),
    "resnet-sql": ([RESNET], "1024x700", "dark", 125, ["--show", "query"]),
    "old-steps": ([OLD], "1280x720", "light", 100, ["--show", "steps"]),
    "serving-timeline": ([SERVING], "1280x720", "dark", 100, []),
    "serving-small": ([SERVING], "1024x700", "light", 100, ["--show", "kernels"]),
    "eight-ranks": (["multirank_dlrm8_a100"], "1920x1080", "light", 100, []),
    "eight-ranks-small": (["multirank_dlrm8_a100"], "1024x700", "dark", 100, []),
    "not-ml": (["chrome_other/bytedance__timeline_worker.json"], "1280x720", "light", 100, []),
    "snapshot": (["memsnap"], "1280x720", "light", 100, []),
    "snapshot-large": (["memsnap"], "2560x1440", "dark", 100, []),
    "memory-timeline": (["memtimeline"], "1280x720", "dark", 150, []),
}


def files_of(names, traces):
    """The files that a picture shows; none if they are not there. A folder stands for its first file, one of ranks for
    all of them."""
    found = []
    for name in names:
        path = SAMPLE / name if (SAMPLE / name).exists() else traces and pathlib.Path(traces) / name
        if not path or not path.exists():
            return []
        if path.is_dir():
            inside = sorted(one for one in path.iterdir() if one.is_file() and one.name != "MANIFEST.tsv")
            found += inside if name.startswith("multirank") else inside[:1]
        else:
            found.append(path)
    return found


def size_and_colours(path):
    """The width and height of a PNG, and how many different bytes its pixels have."""
    data = path.read_bytes()
    width, height = struct.unpack(">II", data[16:24])
    pixels, at = b"", 8
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at : at + 8])
        if kind == b"IDAT":
            pixels += data[at + 8 : at + 8 + length]
        at += 12 + length
    return width, height, len(set(zlib.decompress(pixels)))


def make(riffle, folder, name):
    names, size, theme, scale, arguments = PICTURES[name]
    files = files_of(names, os.environ.get("RIFFLE_TRACES"))
    if not files:
        print(f"left out  {name}: set RIFFLE_TRACES to the folder of real traces")
        return True
    picture = folder / f"{name}-{size}-{theme}-{scale}.png"
    environment = dict(os.environ, QT_QPA_PLATFORM="offscreen", QT_SCALE_FACTOR=str(scale / 100))
    command = [riffle, "--screenshot", picture, "--size", size, "--theme", theme, *arguments, *files]
    ended = subprocess.run([str(part) for part in command], env=environment, capture_output=True, text=True)
    if ended.returncode != 0:
        print(f"FAILED    {name}: {ended.stderr.strip()}")
        return False
    width, height, colours = size_and_colours(picture)
    wanted = tuple(round(int(part) * scale / 100) for part in size.split("x"))
    if (width, height) != wanted or colours < 16:
        print(f"FAILED    {name}: {width}x{height} with {colours} values instead of {wanted}")
        return False
    print(f"made      {picture.name}")
    return True


def main():
    if len(sys.argv) < 3 or any(name not in PICTURES for name in sys.argv[3:]):
        sys.exit(__doc__ + "\n\nNames: " + ", ".join(PICTURES))
    folder = pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    made = [make(sys.argv[1], folder, name) for name in sys.argv[3:] or PICTURES]
    sys.exit(0 if all(made) else 1)


if __name__ == "__main__":
    main()
