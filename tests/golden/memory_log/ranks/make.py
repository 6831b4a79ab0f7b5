#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""A folder of ranks: rank 0 with a log and a sunburst, rank 2 with a log, rank 3 without one; rank 1 is missing."""
import pathlib
import sys

SUMMARY = """Memory State:
time: %s
---summary---
total_memory: %s MB
params_memory: 100.00 MB, grads_memory: 50.00 MB, os_params_memory: 10.25 MB, os_state_memory: 20.50 MB, activation_memory: %s MB
"""
LAYOUT = """---Layout---
params_layout:
layer: param_mem, layer_mem: 0.00 MB, total_mem: 100.00 MB
layer: param_mem.a, layer_mem: 0.33 MB, total_mem: 66.67 MB
layer: param_mem.a.weight, layer_mem: 66.33 MB, total_mem: 66.33 MB
layer: param_mem.b, layer_mem: 33.33 MB, total_mem: 33.33 MB
activation_base_layout:
layer: activation_base_mem.0, layer_mem: 1.00 MB, total_mem: 1.00 MB

"""
PAGE = """<!DOCTYPE html>
<html><body><script src="https://assets.pyecharts.org/assets/v5/echarts.min.js"></script><script>
    var option_1 = {
    "series": [
        {"type": "sunburst", "data": [{"name": "a", "children": [{"name": "weight", "value": 66}, {"name": "bias", "value": 1}]}, {"name": "b", "value": 33}],
         "radius": [0, "95%"]}
    ]};
</script></body></html>
"""
top = pathlib.Path(sys.argv[1])
for rank, points in ((0, [("1.5", "181.75", "1.00"), ("2.25", "980.75", "800.00")]), (2, [("1.5", "180.75", "0.00")]), (3, [])):
    folder = top / ("rank%d_dp%d_wp0_tp0" % (rank, rank))
    folder.mkdir(parents=True)
    if points:
        (folder / "memory.log").write_text(LAYOUT.join(SUMMARY % point for point in points) + LAYOUT)
    else:
        (folder / "summary_sunburst.html").write_text(PAGE.replace("66", "67"))
(top / "rank0_dp0_wp0_tp0" / "params_memory_sunburst.html").write_text(PAGE)
