#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""A Perfetto trace in the order of time, as Perfetto's own library writes it, with everything that can be missing: an end
without a begin, a begin without an end, a name that was never interned, a packet that Riffle does not read, lost packets
and a last packet that is cut off."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "support"))
from pftrace import COUNTER, INSTANT, Trace, data, number  # noqa: E402

trace = Trace(sequence=7)
trace.clocks(500, 1_700_000_000_000_000_500)
trace.process(1, 10, "app").thread(2, 1, 10, 11, "worker").track(3, 1, "Async lane").track(4, 1, "Queue depth", b"")
trace.packet(data(33, b"configuration"))
trace.begin(1_000, 2, "outer", "work", {"flag": True, "ratio": 0.5, "list": [1, "two", {"three": -3}]}, flows=(5,))
trace.begin(2_000, 2, "inner", "work")
trace.end(3_000, 2)
trace.event(INSTANT, 4_000, 2, data(23, "mark"))
trace.event(COUNTER, 4_500, 4, number(30, 17))
trace.end(5_000, 2)
trace.end(6_000, 2)
trace.begin(7_000, 3, "lane slice", flows=(5,))
trace.begin(8_000, 2, "open")
trace.end(9_000, 3)
trace.begin(9_100, 3, 99)
trace.end(9_200, 3)
trace.packet(number(42, 2))
trace.begin(9_300, 3, "cut off")
del trace.bytes[-3:]
trace.write(sys.argv[1])
