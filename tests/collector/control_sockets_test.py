#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Tests the sockets of recording processes: their folder, who may use them, and what forks, kills and few descriptors do.

Usage: control_sockets_test.py LIBRARY [unittest arguments]"""

import errno
import os
import pathlib
import re
import signal
import socket
import struct
import subprocess
import time
import unittest

import collector_case
import control_case
import control_client as control
from control_client import Client, eventually, packet

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


class ControlSocketsTest(control_case.ControlCase):
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
