# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""The base of the tests of the control socket: programs that record, and clients of their sockets."""

import subprocess

import collector_case
from control_client import Client

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


class ControlCase(collector_case.Case):
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
