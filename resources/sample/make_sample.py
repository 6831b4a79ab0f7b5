#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Writes the bundled sample: a generated training trace, made small.

    make_trace kineto --steps 2 --layers 1 --size 10k --out full.json
    make_sample.py full.json sample.pt.trace.json
"""

import json
import re
import sys

LEFT_OUT = {"Input Strides", "Concrete Inputs", "Record function id", "queued", "priority", "warps per SM", "finished", "cbid", "Ev Idx", "context"}


def main():
    source, target = sys.argv[1:3]
    with open(source, encoding="utf-8") as file:
        # Numbers stay the text they are, so that no digit of a time is lost.
        trace = json.load(file, parse_float=lambda text: f"\x00{text}\x00")
    trace["deviceProperties"] = trace["deviceProperties"][:1]
    events = trace.pop("traceEvents")
    last = trace.pop("traceName", "sample.pt.trace.json")
    used = {(e.get("pid"), e.get("tid")) for e in events if e["ph"] != "M"}
    pids = {pid for pid, _ in used}

    def text(value):
        return re.sub(r'"\\u0000(-?[\d.]+)\\u0000"', r"\1", json.dumps(value, separators=(",", ":")))

    lines = []
    for event in events:
        if event["ph"] == "M" and event.get("pid") not in pids:
            continue
        if event["name"].endswith("__getattr__"):  # many, and nobody looks at them
            continue
        if event.get("cat") == "kernel" and len(event["name"]) > 120:
            event["name"] = event["name"].split(">(")[0][:200] + ">(...)"
        for key in LEFT_OUT:
            event.get("args", {}).pop(key, None)
        lines.append("  " + text(event))
    head = ["  " + f"{text(key)}: {text(value)}" for key, value in trace.items()]
    with open(target, "w", encoding="utf-8") as file:
        file.write("{\n" + ",\n".join(head) + ',\n  "traceEvents": [\n' + ",\n".join(lines))
        file.write('\n  ],\n  "traceName": ' + text("sample.pt.trace.json" if last else last) + "\n}\n")


if __name__ == "__main__":
    main()
