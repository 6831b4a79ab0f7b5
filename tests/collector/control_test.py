#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Tests the collector's control socket from outside the process.

Usage: control_test.py LIBRARY [unittest arguments]"""

import errno
import os
import pathlib
import re
import shutil
import signal
import socket
import struct
import subprocess
import time
import unittest

import collector_case
import control_client as control
import read_log
from control_client import Client, eventually, packet

# A program that works until it gets a line on its stdin.
WORK = """
start({options})
print("ready", flush=True)
def work():
    while more:
        lib.riffle_range_push(b"work"); lib.riffle_range_pop(); time.sleep(0.001)
more = True
thread = threading.Thread(target=work)
thread.start()
sys.stdin.readline()
more = False
thread.join()
{after}
"""

FEW_FILES = """
            import resource
            resource.setrlimit(resource.RLIMIT_NOFILE, (40, 40))
            files = []
            def fill():
                try:
                    while True: files.append(open("/dev/null"))
                except OSError:
                    pass
"""


class ControlTest(collector_case.Case):
    def setUp(self):
        super().setUp()
        self.environment = {"XDG_RUNTIME_DIR": str(self.folder)}
        self.sockets = self.folder / "riffle"

    def job(self, *options, after="ok(lib.riffle_stop())", code=WORK, prefix=()):
        text = code.replace("{options}", ", ".join(map(repr, options))).replace("{after}", after)
        process = self.process(text, environment=self.environment, stdin=subprocess.PIPE, prefix=prefix)
        self.addCleanup(self.end, process)
        self.assertEqual(process.stdout.readline(), "ready\n")
        return process

    def end(self, process):
        """Ends the process; returns its exit code and its output on stderr."""
        if process.stdin.closed:
            return process.returncode, ""
        _, err = process.communicate("end\n", timeout=60)
        return process.returncode, err

    def path(self, process):
        return self.sockets / f"{process.pid}.sock"

    def client(self, process):
        client = Client(self.path(process))
        self.addCleanup(client.socket.close)
        return client

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

    def test_a_process_in_another_pid_namespace(self):
        prefix = ["unshare", "--pid", "--fork", "--kill-child"]
        if subprocess.run([*prefix, "true"], capture_output=True).returncode != 0:
            self.skipTest("this system does not allow pid namespaces")
        process = self.job(prefix=prefix)
        names = os.listdir(self.sockets)
        self.assertEqual(len(names), 1)
        with Client(self.sockets / names[0]) as client:
            hello = client.hello()
            peer = struct.unpack("iii", client.socket.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0]
            self.assertEqual(names[0], f"{hello['pid']}.sock")
            self.assertNotEqual(hello["pid"], peer)
            with open(f"/proc/{peer}/status", encoding="utf-8") as status:
                inside = [line.split()[1:] for line in status if line.startswith("NSpid:")][0]
            self.assertEqual(inside, [str(peer), str(hello["pid"])])
            client.done(control.PAUSE)
        _, err = self.end(process)
        self.assertIn("at the request of a process in another container.", err)

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

    def test_viewers_are_bounded(self):
        process = self.job()
        clients = [self.client(process) for _ in range(8)]
        for client in clients:
            client.hello()
        ninth = self.client(process)
        self.assertEqual(ninth.receive()[3], "Too many viewers are connected to this process: 8 is the limit.")
        self.assertIsNone(ninth.receive())
        clients[0].socket.close()

        def has_room():
            with self.client(process) as client:
                client.send(packet(control.HELLO))
                return (client.receive() or [0])[0] == control.HELLO

        eventually(has_room)

    def test_a_killed_process_leaves_a_socket_that_the_next_one_removes(self):
        process = self.job()
        process.send_signal(signal.SIGKILL)
        process.wait()
        self.assertTrue(self.path(process).exists())
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as unnamed:
            unnamed.bind(str(self.sockets / ".123"))
        other = self.job()
        self.assertEqual(sorted(os.listdir(self.sockets)), [".123", f"{other.pid}.sock"])  # the socket may be about to get its final name
        os.utime(self.sockets / ".123", (0, 0))
        another = self.job()
        self.assertEqual(set(os.listdir(self.sockets)), {f"{other.pid}.sock", f"{another.pid}.sock"})

    def test_without_descriptors_nobody_elses_socket_is_removed(self):
        process = self.job()
        self.run_code(FEW_FILES + """
            for free in (1, 1, 2, 2, 3, 3, 4, 4):
                fill()
                for _ in range(free): files.pop().close()
                lib.riffle_start(("sample_ms=0\\ndir=" + sys.argv[1]).encode())
                lib.riffle_stop()
        """, environment=self.environment)
        self.assertEqual(self.client(process).hello()["pid"], process.pid)

    def test_without_descriptors_it_waits_until_there_is_one(self):
        process = self.job(code=FEW_FILES + """
            start()
            fill()
            print("ready", flush=True)
            sys.stdin.readline()
            print(time.process_time(), flush=True)
            sys.stdin.readline()
            files.pop().close()
            sys.stdin.readline()
            ok(lib.riffle_stop())
        """)
        client = self.client(process)
        time.sleep(1.5)
        process.stdin.write("\n\n")
        process.stdin.flush()
        self.assertLess(float(process.stdout.readline()), 0.75)
        self.assertEqual(client.hello()["pid"], process.pid)

    def test_files_that_the_program_got_instead_of_ours_are_left_alone(self):
        out, _ = self.run_code("""
            start()
            time.sleep(0.3)
            os.closerange(3, 64)
            files = [open(sys.argv[1] + f"/mine{number}", "w+b") for number in range(16)]
            for _ in range(1000):
                lib.riffle_range_push(b"x"); lib.riffle_range_pop()
            before = time.process_time()
            time.sleep(1.5)
            assert time.process_time() - before < 0.75
            print(lib.riffle_stop(), lib.riffle_last_error().decode())
            print([file.read() for file in files] == [b""] * 16)
        """, environment=self.environment)
        self.assertRegex(out, "^[0-9]+ Cannot write .*: Bad file descriptor\\.\nTrue\n$")
        self.assertEqual(os.listdir(self.sockets), [])

    def test_the_thread_sleeps_while_nobody_asks(self):
        process = self.job()
        tasks = pathlib.Path(f"/proc/{process.pid}/task")
        found = lambda: [task for task in tasks.iterdir() if (task / "comm").read_text() == "riffle-control\n"]  # noqa: E731
        eventually(found)
        [thread] = found()
        time.sleep(0.3)  # it starts
        switches = re.search(r"\nvoluntary_ctxt_switches:\t(\d+)", (thread / "status").read_text())[1]
        time.sleep(2.5)
        self.assertIn(f"\nvoluntary_ctxt_switches:\t{switches}\n", (thread / "status").read_text())

    def test_children_have_none_and_do_not_keep_ours(self):
        process = self.job(code="""
            start()
            child = os.fork()
            if child == 0:
                os.close(0); os.close(1); os.close(2)
                time.sleep(60)
                os._exit(0)
            print("ready", flush=True)
            sys.stdin.readline()
            print(child, flush=True)
            sys.stdin.readline()
            os.kill(child, 9)
        """)
        client = self.client(process)
        self.assertEqual(client.hello()["pid"], process.pid)
        self.assertEqual(os.listdir(self.sockets), [f"{process.pid}.sock"])
        process.stdin.write("which\n")
        process.stdin.flush()
        child = int(process.stdout.readline())
        process.send_signal(signal.SIGKILL)
        process.wait()
        self.addCleanup(os.kill, child, signal.SIGKILL)

        def is_refused():
            with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as other:
                return other.connect_ex(str(self.path(process))) == errno.ECONNREFUSED

        # The child lives on. If it had kept the sockets open, neither check would notice that its parent has gone.
        self.assertIsNone(client.receive())
        eventually(is_refused)  # the child may not even have started running yet

    def test_a_child_that_records_has_a_socket_of_its_own(self):
        self.job(code="""
            start()
            child = os.fork()
            if child == 0:
                start()
                assert sorted(os.listdir(os.environ["XDG_RUNTIME_DIR"] + "/riffle")) == sorted(
                    ["%d.sock" % os.getpid(), "%d.sock" % os.getppid()])
                sys.exit(0)
            assert os.waitpid(child, 0)[1] == 0
            assert os.listdir(os.environ["XDG_RUNTIME_DIR"] + "/riffle") == ["%d.sock" % os.getpid()]
            print("ready", flush=True)
            sys.stdin.readline()
        """)

    def test_a_program_that_took_the_process_over_takes_the_path_over(self):
        process = self.job(code="""
            start()
            if len(sys.argv) == 2:
                code = open("/proc/self/cmdline", "rb").read().split(b"\\0")[2]
                os.execv(sys.executable, [sys.executable, "-c", code, sys.argv[1], "again"])
            print("ready", flush=True)
            sys.stdin.readline()
        """)
        self.assertEqual(self.client(process).hello()["pid"], process.pid)
        self.assertEqual(len(self.logs()), 2)

    def test_none_when_it_is_not_wanted(self):
        self.job("control=0")
        self.assertFalse(self.sockets.exists())

    def test_folders_that_are_not_safe_are_not_used(self):
        fallback = f"/tmp/riffle-{os.getuid()}"
        for prepare in (lambda: self.sockets.mkdir(mode=0o755), lambda: self.sockets.symlink_to(self.folder)):
            prepare()
            process = self.job()
            self.assertFalse(self.path(process).exists())
            with Client(f"{fallback}/{process.pid}.sock") as client:
                self.assertEqual(client.hello()["pid"], process.pid)
            self.assertEqual(self.end(process), (0, ""))
            self.sockets.unlink() if self.sockets.is_symlink() else self.sockets.rmdir()

    @unittest.skipUnless(os.getuid() == 0, "only root can become another user")
    def test_another_user_is_turned_away(self):
        process = self.job()
        for path in (self.folder, self.sockets, self.path(process)):
            path.chmod(0o777)  # the modes would keep other users out otherwise
        child = os.fork()
        if child == 0:
            code = 1
            try:
                os.setuid(65534)
                with Client(self.path(process)) as client:
                    try:
                        client.send(packet(control.HELLO))
                        code = 1 if client.receive() else 0
                    except OSError:
                        code = 0
            finally:
                os._exit(code)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.assertEqual(self.end(process), (0, ""))


if __name__ == "__main__":
    collector_case.main()
