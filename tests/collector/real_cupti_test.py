#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Tests the collector with the real CUPTI but without a driver: it must say so, and record everything else.

Usage: real_cupti_test.py LIBRARY FOLDER_OF_STUBS [unittest arguments]
It uses RIFFLE_CUPTI if set (one or more paths, separated by colons), otherwise the CUPTI of a CUDA toolkit or of a Python that has PyTorch (RIFFLE_TORCH_PYTHON). If
there is none, it ends with status 77."""

import glob
import os
import subprocess
import sys
import unittest
from pathlib import Path

import collector_case


def find():
    places = ["/usr/local/cuda*/lib*", "/usr/local/cuda*/extras/CUPTI/lib*"]
    for python in filter(None, (os.environ.get("RIFFLE_TORCH_PYTHON"), os.path.expanduser("~/.cache/riffle/torch/bin/python"))):
        packages = str(Path(python).parent.parent / "lib/python3*/site-packages/nvidia")
        places += [packages + "/cu*/lib", packages + "/cuda_cupti/lib"]
    return os.environ["RIFFLE_CUPTI"].split(":") if "RIFFLE_CUPTI" in os.environ else [
        path for path in sorted({os.path.realpath(found) for place in places for found in glob.glob(place + "/libcupti.so.[0-9][0-9]")})]


CODE = """
for path in %r:
    ctypes.CDLL(path)
start("preset=memory")
ok(lib.riffle_flush())
lib.riffle_range_push(b"still here")
lib.riffle_range_pop()
ok(lib.riffle_yield_cuda())
ok(lib.riffle_resume_cuda())
ok(lib.riffle_flush())
ok(lib.riffle_stop())
"""
# Prints the distance between two records of each kind, by which CUPTI steps through a buffer, or nothing if it cannot.
STEPS = """
import ctypes, sys
cupti = ctypes.CDLL(sys.argv[1])
for kind in map(int, sys.argv[2:]):
    memory = (ctypes.c_uint32 * 1024)(*[kind] * 1024)
    record, places = ctypes.c_void_p(), []
    while len(places) < 2 and cupti.cuptiActivityGetNextRecord(memory, ctypes.c_size_t(4096), ctypes.byref(record)) == 0:
        places.append(record.value)
    if len(places) == 2:
        print(kind, places[1] - places[0])
"""
# The number of bytes of a record that the collector reads (cupti_abi.h), by kind.
READ = {1: 76, 2: 76, 4: 40, 5: 40, 8: 144, 9: 16, 10: 160, 17: 40, 22: 84, 37: 24, 38: 40, 39: 24, 49: 120, 50: 72, 51: 40}
NOTHING = ": no kernels and no GPU memory are recorded"


@unittest.skipIf(os.path.exists("/dev/nvidiactl"), "there is a driver here")
class RealCuptiTest(collector_case.Case):
    paths = find()

    def said(self, *libraries, **options):
        self.setUp()
        _, err = self.run_code(CODE % (libraries,), **options)
        self.assertEqual(err, "")
        self.assertEqual(self.names(), ["still here"])
        self.assertEqual((self.rows("Kernels"), self.rows("Allocations"), self.rows("Loss")), ([], [], []))
        return self.info()["cupti"]

    def test_without_a_driver(self):
        for path in self.paths:
            with self.subTest(path):
                self.assertEqual(self.said(path), "no CUDA driver in the process" + NOTHING)

    def test_with_a_driver_that_has_no_device(self):
        for path in self.paths:
            with self.subTest(path):
                said = self.said(path, self.folder_of_stubs + "/libcuda.so.1", environment={"STUB_CUDA": "100"})
                self.assertEqual(said, "CUDA has no device here" + NOTHING)

    def test_records_are_as_long_as_what_is_read(self):
        for path in self.paths:
            with self.subTest(path):
                steps = subprocess.run([sys.executable, "-c", STEPS, path, *map(str, READ)], stdout=subprocess.PIPE, text=True)
                sizes = dict(tuple(map(int, line.split())) for line in steps.stdout.splitlines())
                if steps.returncode != 0 or not sizes:  # since CUPTI 13.2
                    print("left out, because it does nothing without a driver:", path)
                    continue
                self.assertEqual(set(sizes), set(READ))
                for kind, size in sizes.items():
                    self.assertGreaterEqual(size, READ[kind], "kind %d" % kind)

    def test_with_a_driver_that_cannot_do_it(self):
        for path in self.paths:
            # Without a driver, CUPTI 13.2 never returns from its first call.
            bears = "import ctypes; ctypes.CDLL(%r).cuptiGetVersion(ctypes.byref(ctypes.c_uint32()))" % path
            if subprocess.run([sys.executable, "-c", bears]).returncode != 0:
                print("left out:", path)
                continue
            with self.subTest(path):
                said = self.said(path, self.folder_of_stubs + "/libcuda.so.1")
                # CUPTI 13.5 has no text for its errors while there is no driver.
                self.assertRegex(said, r"^CUPTI cannot be used \((CUPTI_ERROR_[A-Z_]+|error 999)\)" + NOTHING)


if __name__ == "__main__":
    if not RealCuptiTest.paths:
        print("SKIPPED: There is no libcupti.so here. The collector was not tested with the real CUPTI.")
        sys.exit(77)
    print("\n".join(RealCuptiTest.paths))
    collector_case.main(with_stubs=True)
