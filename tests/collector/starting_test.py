#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Tests how a recording starts and stops: its options, its errors, forks, and several recordings in one process.

Usage: starting_test.py LIBRARY [unittest arguments]"""

import collector_case
import read_log


class StartingTest(collector_case.Case):
    def test_codes_say_what_kind_of_error_it_is(self):
        out, _ = self.run_code("""
            print(lib.riffle_start(b"colour=blue"), lib.riffle_start(b"graphs=half"), lib.riffle_start(b"dir=/nowhere"),
                  lib.riffle_flush(), lib.riffle_stop())
            start()
            print(lib.riffle_start(b"dir=."), lib.riffle_dump(b"/nowhere/at/all"), lib.riffle_stop(), lib.riffle_stop())
        """)
        self.assertEqual(out, "1 1 3 2 2\n2 3 0 2\n")

    def test_a_forked_child_records_nothing(self):
        self.run_code("""
            start()
            lib.riffle_range_push(b"parent")
            child = os.fork()
            if child == 0:
                lib.riffle_range_push(b"child")
                lib.riffle_range_pop()
                assert stats().state == 0
                sys.exit(0)
            assert os.waitpid(child, 0)[1] == 0
            lib.riffle_range_pop()
            ok(lib.riffle_stop())
        """)
        self.assertEqual(self.names(), ["parent"])

    def test_the_end_of_the_process_closes_the_log(self):
        self.run_code("""
            start()
            lib.riffle_range_push(b"a")
            lib.riffle_range_pop()
        """)
        self.assertEqual(self.names(), ["a"])
        self.assertEqual([name for name, _ in read_log.read(self.logs()[0])][-1], "End")

    def test_options_in_the_environment_start_it(self):
        self.run_code("""
            lib.riffle_mark(b"m")
        """, environment={"RIFFLE_OPTIONS": "dir=%s;rank=1" % self.folder})
        self.assertEqual(self.names("Marks"), ["m"])

    def test_wrong_options_are_said(self):
        out, err = self.run_code("""
            for options in (b"colour=blue", b"rank=-1", b"ring_bytes=100000", b"preset=", b"dir=/nowhere/at/all"):
                assert lib.riffle_start(options) != 0
                print(lib.riffle_last_error().decode())
            lib.riffle_mark(b"nothing")
            assert lib.riffle_stop() != 0
        """, environment={"RIFFLE_OPTIONS": "bad=1"})
        self.assertEqual(out.splitlines()[:4], ["Unknown option 'colour'.", "Option rank cannot be '-1'.",
                                                "Option ring_bytes cannot be '100000'.", "Option preset cannot be ''."])
        self.assertIn("Cannot create the folder /nowhere/at/all/", out)
        self.assertEqual(err, "riffle: Recording did not start: Unknown option 'bad'.\n")
        self.assertEqual(self.logs(), [])

    def test_what_is_open_at_a_stop_begins_with_the_next_log(self):
        out, _ = self.run_code("""
            start()
            lib.riffle_range_push(b"stays open")
            lib.riffle_range_push(b"ends")
            ok(lib.riffle_stop())
            print(time.monotonic_ns())
            start("rank=1")
            lib.riffle_range_pop()
            ok(lib.riffle_stop())
        """)
        rows = read_log.read(next(self.folder.glob("*_rank1_*")))
        ended = [row for name, row in rows if name == "Ranges"]
        still_open = [row for name, row in rows if name == "OpenRanges"]
        self.assertEqual([row["Name"] for row in ended], ["ends"])
        self.assertEqual(still_open[-1]["Name"], "stays open")
        for row in ended + still_open:
            self.assertGreaterEqual(row["Start"], int(out))

    def test_start_and_stop_many_times(self):
        self.run_code("""
            for number in range(20):
                start()
                lib.riffle_range_push(b"n%d" % number)
                lib.riffle_range_pop()
                ok(lib.riffle_stop())
                assert lib.riffle_stop() != 0
        """)
        names = [row["Name"] for log in sorted(self.logs(), key=lambda log: log.stat().st_mtime_ns)
                 for name, row in read_log.read(log) if name == "Ranges"]
        self.assertEqual(sorted(names), sorted("n%d" % number for number in range(20)))
        self.assertEqual(len(self.logs()), 20)


if __name__ == "__main__":
    collector_case.main()
