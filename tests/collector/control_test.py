#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Tests what the collector answers to requests from outside the process.

Usage: control_test.py LIBRARY [unittest arguments]"""

import os
import shutil
import socket
import time

import collector_case
import control_case
import control_client as control
import read_log
from control_client import eventually, packet


class ControlTest(control_case.ControlCase):
    def test_it_says_what_it_is_and_how_it_stands(self):
        process = self.job("rank=3", "world_size=8", "keep_seconds=60")
        self.assertEqual((self.sockets.stat().st_mode & 0o777, self.sockets.stat().st_uid), (0o700, os.getuid()))
        client = self.client(process)
        hello = client.hello()
        self.assertEqual((hello["pid"], hello["rank"], hello["local_rank"], hello["world_size"], hello["state"]),
                         (process.pid, 3, -1, 8, control.RECORDING))
        self.assertEqual(hello["capabilities"], 2)
        self.assertEqual(hello["host"], socket.gethostname())
        self.assertEqual(hello["path"], str(self.logs()[0]))
        self.assertRegex(hello["session"], "^[0-9a-f]{32}$")
        self.assertEqual((hello["preset"], "schedule" in hello, "error" in hello), ("normal", False, False))
        self.assertTrue(hello["command"].startswith(hello["command"].split()[0] + " -c "), hello["command"])
        self.assertLess(abs(hello["start"] / 1e9 - time.time()), 30)
        self.assertLess(hello["process_start"], hello["start"] + 20_000_000)  # the kernel counts in hundredths of a second
        self.assertLess(abs(hello["process_start"] / 1e9 - time.time()), 30)
        eventually(lambda: client.stats()["events"] > 10)
        self.assertEqual((client.stats()["state"], client.stats()["dropped"]), (control.RECORDING, 0))
        self.assertEqual(self.end(process), (0, ""))
        self.assertEqual(os.listdir(self.sockets), [])

    def test_what_the_recording_costs_and_how_far_it_is_behind(self):
        client = self.client(self.job())
        first = client.stats()
        eventually(lambda: client.stats()["entries"] > first["entries"] + 200)
        stats = client.stats()
        self.assertEqual((stats["entries"] - 1) // 2, stats["events"])  # a push and a pop for each range, and a thread's name
        self.assertLess(stats["lag"], 5_000_000_000)
        self.assertGreater(stats["lag"], 0)
        self.assertGreater(stats["collector"], first["collector"])
        nanoseconds = stats["program"] / stats["entries"]
        self.assertTrue(5 < nanoseconds < 2000, nanoseconds)
        self.assertLess(stats["collector"] + stats["program"], stats["elapsed"])
        self.assertEqual(stats["step"], 0)
        client.done(control.STOP)
        ended = client.stats()
        time.sleep(0.05)
        self.assertEqual((client.stats()["elapsed"], ended["lag"]), (ended["elapsed"], 0))

    def test_drops_have_reasons_and_steps_a_duration(self):
        process = self.job(code="""
            start("ring_bytes=65536")
            for step in range(20):
                lib.riffle_step(step); time.sleep(0.01)
            for _ in range(20000): lib.riffle_mark(b"x" * 1000)
            ok(lib.riffle_flush())
            print("ready", flush=True)
            sys.stdin.readline()
        """)
        stats = self.client(process).stats()
        self.assertGreater(stats["dropped"], 0)
        self.assertEqual(int(stats["dropped.ring"]), stats["dropped"])
        self.assertTrue(10_000_000 <= stats["step"] < 1_000_000_000, stats["step"])

    def test_flushes_are_limited_and_the_viewer_is_told(self):
        client, other = self.client(process := self.job()), self.client(process)
        for request in range(1, 61):
            client.send(packet(control.FLUSH, request=request))
        answers = [client.receive() for _ in range(60)]
        self.assertEqual(sorted(answer[1] for answer in answers), list(range(1, 61)))
        refused = [answer for answer in answers if answer[0] == control.ERROR]
        self.assertTrue(30 <= len(refused) <= 40, len(refused))
        self.assertEqual({answer[3] for answer in refused},
                         {"A viewer may request at most 20 flushes per second; this request was not followed."})
        other.done(control.FLUSH)
        # Twenty per second are always followed, also for both viewers.
        time.sleep(1)
        for _ in range(30):
            begun = time.monotonic()
            client.done(control.FLUSH)
            other.done(control.FLUSH)
            time.sleep(max(0, begun + 0.05 - time.monotonic()))
        self.assertEqual(self.end(process), (0, ""))

    def test_a_log_that_is_deleted_ends_the_recording_and_is_said(self):
        process = self.job("max_seconds=1000", after="print(lib.riffle_stop(), lib.riffle_last_error().decode(), file=sys.stderr)")
        client = self.client(process)
        path = client.hello()["path"]
        shutil.rmtree(path)
        eventually(lambda: client.stats()["state"] == control.ENDED)
        error = f"The log {path} was deleted while it was being written."
        self.assertEqual(client.hello()["error"], error)
        self.assertIn("Nothing is being recorded", client.ask(control.FLUSH)[3])
        code, err = self.end(process)
        self.assertEqual((code, err), (0, f"riffle: Recording has stopped. {error}\n3 {error}\n"))

    def test_answers_come_at_once(self):
        client = self.client(self.job())
        times = []
        for _ in range(30):
            begun = time.monotonic()
            client.stats()
            times.append(time.monotonic() - begun)
        self.assertLess(sorted(times)[5], 0.05)

    def test_pause_resume_flush_and_dump(self):
        process = self.job()
        client = self.client(process)
        client.done(control.PAUSE)
        client.done(control.FLUSH)
        paused = client.stats()
        self.assertEqual(paused["state"], control.PAUSED)
        time.sleep(0.1)
        client.done(control.FLUSH)
        self.assertEqual(client.stats()["events"], paused["events"])
        client.done(control.RESUME)
        eventually(lambda: client.stats()["events"] > paused["events"] + 10)
        client.done(control.DUMP, str(self.folder / "dump"))
        self.assertGreater(len([kind for kind, _ in read_log.read(self.folder / "dump") if kind == "Ranges"]), 10)
        for folder, words in (("dump", "absolute path"), ("/nowhere/at/all", "Cannot create"), ("", "absolute path")):
            answer = client.ask(control.DUMP, folder)
            self.assertEqual(answer[0], control.ERROR)
            self.assertIn(words, answer[3])
        code, err = self.end(process)
        self.assertEqual(code, 0, err)
        self.assertIn(f"riffle: Recording was paused at the request of process {os.getpid()}.\n", err)

    def test_stop_and_start_from_outside_do_not_trouble_the_program(self):
        process = self.job("schedule=active=1000000", after="ok(lib.riffle_pause()); ok(lib.riffle_resume()); ok(lib.riffle_stop())")
        client = self.client(process)
        self.assertEqual(client.stats()["state"], control.PAUSED)
        client.done(control.STOP)
        self.assertEqual(client.stats()["state"], control.ENDED)
        self.assertEqual([kind for kind, _ in read_log.read(self.logs()[0])][-1], "End")
        for kind in (control.STOP, control.PAUSE, control.RESUME, control.FLUSH):
            self.assertEqual(client.ask(kind)[0], control.ERROR)
        self.assertIn("Unknown option", client.ask(control.START, "colour=blue")[3])
        self.assertIn("Nothing is being recorded", client.ask(control.SET, "shapes=0")[3])
        client.done(control.START, "preset=light")
        self.assertIn("already been started", client.ask(control.START)[3])
        self.assertEqual(client.stats()["state"], control.RECORDING)
        self.assertEqual(len(self.logs()), 2)
        client.done(control.STOP)
        self.assertEqual(self.end(process)[0], 0)

    def test_without_the_python_part_its_options_are_refused(self):
        client = self.client(self.job())
        for option in ("shapes=1", "memory_history=100"):
            answer = client.ask(control.SET, option)
            self.assertEqual(answer[0], control.ERROR)
            self.assertIn("riffle-cli record", answer[3])
        self.assertEqual(client.hello()["capabilities"] & (8 | 32 | 64), 0)
        self.assertEqual(client.done(control.SET, "operators=0")[3], "")

    def test_a_rank_that_was_left_out_can_be_started(self):
        process = self.job("rank=3", "ranks=0-2,5", after="ok(lib.riffle_pause()); ok(lib.riffle_flush()); ok(lib.riffle_stop())")
        client = self.client(process)
        self.assertEqual((client.hello()["state"], client.hello()["path"]), (control.LEFT_OUT, ""))
        self.assertEqual(self.logs(), [])
        client.done(control.START)
        self.assertEqual(client.hello()["state"], control.RECORDING)
        self.assertEqual(self.end(process)[0], 0)
        self.assertIn("_rank3_", self.logs()[0].name)

    def test_subscribers_know_up_to_where_the_log_is_whole(self):
        process = self.job()
        client = self.client(process)
        answer = client.ask(control.SUBSCRIBE)
        self.assertEqual(answer[0], control.COMMITTED)
        part = self.logs()[0] / "000001.part"
        last = client.committed(answer)
        for _ in range(5):
            kind, request, _, _ = told = client.receive()
            self.assertEqual((kind, request), (control.COMMITTED, 0))
            now = client.committed(told)
            self.assertGreater(now["bytes"], last["bytes"])
            self.assertLessEqual(now["bytes"], part.stat().st_size)
            whole = self.folder / "whole.part"
            whole.write_bytes(part.read_bytes()[: now["bytes"]])
            self.assertGreater(len(read_log.read_part(whole)), 0)
            last = now
        self.assertEqual((last["sequence"], last["log"], last["state"]), (1, 1, control.RECORDING))
        self.assertEqual(client.committed(client.done(control.COMMITTED))["log"], 1)
        self.assertEqual(self.end(process)[0], 0)

    def test_hostile_messages(self):
        process = self.job()
        for bad in (b"x", b"\0" * 16, packet(control.HELLO)[:-1], packet(control.HELLO) + b"x", packet(control.HELLO, magic=1),
                    os.urandom(4096), packet(control.HELLO, b"x" * 5000), packet(control.START, b"y" * 60000)):
            client = self.client(process)
            client.send(bad)
            self.assertIsNone(client.receive(), bad[:32])
        client = self.client(process)
        for kind in (0, 11, 12, 999, 65535):
            self.assertEqual(client.ask(kind)[0], control.ERROR, kind)
        client.send(packet(control.HELLO, version=2, request=5))
        answer = client.receive()
        self.assertEqual(answer[:2], (control.ERROR, 5))
        self.assertIn("version 1, not 2", answer[3])
        client.send(packet(control.HELLO, b"z" * 2000, b"later versions have more" * 20, request=9))
        self.assertEqual(client.receive()[:2], (control.HELLO, 9))
        self.assertEqual(self.end(process), (0, ""))

    def test_who_does_not_read_is_disconnected(self):
        process = self.job()
        slow, other = self.client(process), self.client(process)
        slow.socket.settimeout(0.05)
        with self.assertRaises(OSError):  # the buffer is full, or we have been disconnected
            for _ in range(100_000):
                slow.send(packet(control.HELLO))
        self.assertEqual(other.hello()["pid"], process.pid)
        slow.socket.settimeout(30)
        while slow.receive():
            pass
        self.assertEqual(self.end(process), (0, ""))


if __name__ == "__main__":
    collector_case.main()
