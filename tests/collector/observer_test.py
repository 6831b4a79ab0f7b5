#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Tests how the library records what an observer of PyTorch's operators tells it, with one process per case.

Usage: observer_test.py LIBRARY [unittest arguments]"""

import textwrap

import collector_case


class ObserverTest(collector_case.Case):
    OBSERVER = """
class Operator(ctypes.Structure):
    _fields_ = [("size", ctypes.c_uint32), ("is_range", ctypes.c_uint32), ("sequence", ctypes.c_int64), ("thread", ctypes.c_uint64),
                ("id", ctypes.c_uint64), ("name", ctypes.c_char_p), ("inputs", ctypes.c_char_p * 4), ("bytes", ctypes.c_uint32 * 4)]
class Collective(ctypes.Structure):
    _fields_ = [("size", ctypes.c_uint32), ("sequence", ctypes.c_int64),
                *((name, ctypes.c_char_p) for name in "operation data_type group description ranks in_split out_split".split()),
                *((name, ctypes.c_int64) for name in "in_elements out_elements group_size rank source destination".split())]
class Functions(ctypes.Structure):
    _fields_ = [("size", ctypes.c_uint32), ("begin", ctypes.CFUNCTYPE(None, ctypes.POINTER(Operator))), ("end", ctypes.CFUNCTYPE(None)),
                ("start", ctypes.CFUNCTYPE(None, ctypes.POINTER(Operator))), ("finish", ctypes.CFUNCTYPE(None, ctypes.c_uint64)),
                ("collective", ctypes.CFUNCTYPE(None, ctypes.POINTER(Collective)))]
lib.riffle_observer_functions.restype = ctypes.POINTER(Functions)
observer = lib.riffle_observer_functions().contents
assert observer.size == ctypes.sizeof(Functions)
def operator(name, sequence=-1, thread=0, id=0, is_range=0, inputs=()):
    made = Operator(ctypes.sizeof(Operator), is_range, sequence, thread, id, name)
    for number, text in enumerate(inputs):
        made.inputs[number], made.bytes[number] = text, len(text)
    return made
def begin(*args, **named): observer.begin(operator(*args, **named))
def collective(*known): observer.collective(ctypes.pointer(Collective(ctypes.sizeof(Collective), *known)))
"""

    def observed(self, code):
        self.run_code(self.OBSERVER + textwrap.dedent(code))
        keys = ("Name", "Category", "Sequence", "ForwardThread", "OperatorId", "Shapes", "Types", "Strides", "Values")
        return [tuple(None if row[key] == -(1 << 63) else row[key] for key in keys) for row in self.rows("Ranges")]

    def test_what_an_observer_says_is_kept(self):
        rows = self.observed("""
            start()
            begin(b"around", id=1, is_range=1)
            begin(b"aten::mm", 12, 0, 2, inputs=(b"[[2, 3], []]", b'["float", "Scalar"]', b"[[3, 1], []]", b'["", "1."]'))
            observer.end()
            begin(b"long", 3, inputs=(b"[" * 40000, b"x", b"", b"[" * 40000))
            observer.end()
            observer.begin(ctypes.pointer(Operator(8)))  # of another version
            lib.riffle_range_push(b"mine")
            lib.riffle_range_pop()
            observer.end()
            observer.end()  # without a start
            ok(lib.riffle_stop())
        """)
        self.assertEqual(rows, [("aten::mm", "cpu_op", 12, 0, 2, "[[2, 3], []]", '["float", "Scalar"]', "[[3, 1], []]", '["", "1."]'),
                                ("long", "cpu_op", 3, 0, None, "", "", "", ""),
                                ("mine", "user_annotation", None, None, None, "", "", "", ""),
                                ("around", "user_annotation", None, None, 1, "", "", "", "")])

    def test_an_observed_backward_node_has_the_number_and_thread_of_its_function(self):
        rows = self.observed("""
            start()
            for outer, inner in ((b"MmBackward0", b"MmBackward0"), (b"TBackward0", b"aten::t")):
                begin(b"autograd::engine::evaluate_function: " + outer, id=1)
                begin(inner, 5, 3, 2)
                observer.end()
                observer.end()
            ok(lib.riffle_stop())
        """)
        self.assertEqual([row[2:4] for row in rows], [(5, 3), (5, 3), (5, 3), (None, None)])

    def test_an_observed_range_may_end_on_another_thread(self):
        rows = self.observed("""
            import threading
            start()
            observer.start(operator(b"gloo:all_reduce", id=4, is_range=1))
            begin(b"aten::mm")
            other = threading.Thread(target=lambda: observer.finish(4)); other.start(); other.join()
            observer.end()
            ok(lib.riffle_pause())
            observer.start(operator(b"paused", id=5)); begin(b"paused")
            ok(lib.riffle_resume())
            observer.finish(5); observer.end()
            ok(lib.riffle_stop())
            begin(b"off"); observer.start(operator(b"off", id=6)); observer.finish(6); observer.end()
        """)
        self.assertEqual(sorted(row[:2] for row in rows), [("aten::mm", "cpu_op"), ("gloo:all_reduce", "user_annotation")])

    def test_the_innermost_collective_is_the_one(self):
        self.observed("""
            start()
            begin(b"before")
            begin(b"c10d::allreduce_")
            collective(7, b"outer", b"Half", b"9", b"", b"[4, 5]", b"", b"", 1, 2, 2, 1, 4, 5)
            begin(b"between")
            begin(b"record_param_comms")
            collective(8, b"allreduce", b"Float", b"0", b"two\\nlines", None, b"", None, 100, 0, 2, -1, -1, -1)
            for _ in range(4): observer.end()
            begin(b"c10d::barrier")
            collective(-1, b"barrier", *[None] * 6, *[-1] * 6)
            observer.collective(ctypes.pointer(Collective(8)))  # of another version
            observer.end()
            collective(9, b"outside", *[None] * 6, *[-1] * 6)
            begin(b"c10d::send")
            collective(1, None, None, None, b"x" * 20000, b"[0]", b"", b"", *[-1] * 6)
            observer.end()
            ok(lib.riffle_pause())
            begin(b"paused"); collective(10, b"paused", *[None] * 6, *[-1] * 6); observer.end()
            ok(lib.riffle_resume())
            begin(b"after")
            observer.end()
            ok(lib.riffle_stop())
        """)
        found = {row["Name"]: (row["Collective"].split("\n"), row["CollectiveSequence"]) for row in self.rows("Ranges")}
        described = ["allreduce", "Float", "0", "two lines", "100", "0", "2", "1", "4", "5", "", "", "[4, 5]"]
        nothing = ([""], -(1 << 63))
        self.assertEqual(found, {"before": nothing, "c10d::allreduce_": nothing, "between": nothing, "after": nothing,
                                 "record_param_comms": (described, 8), "c10d::barrier": (["barrier"] + [""] * 12, -(1 << 63)),
                                 "c10d::send": ([""] * 12 + ["[0]"], 1)})


if __name__ == "__main__":
    collector_case.main()
