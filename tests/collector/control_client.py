# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Talks to a collector as collector/include/riffle/control.h describes it, without any of Riffle's code."""

import socket
import struct
import time

MAGIC, VERSION, MOST = 0x4C544352, 1, 4096
HELLO, STATS, COMMITTED, SUBSCRIBE, START, PAUSE, RESUME, STOP, FLUSH, DUMP, ERROR, SET = range(1, 13)
OFF, RECORDING, PAUSED, ENDED, LEFT_OUT = range(5)
HEADER = struct.Struct("<IHHIHH")


def packet(kind, text=b"", fixed=b"", request=1, version=VERSION, magic=MAGIC):
    return HEADER.pack(magic, version, kind, request, len(fixed), len(text)) + fixed + text


class Client:
    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.socket.settimeout(30)
        self.socket.connect(str(path))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, data):
        self.socket.send(data)

    def receive(self):
        """Returns (kind, request, fixed part, text); None if the other side has closed the connection."""
        try:
            data = self.socket.recv(MOST + 1)
        except ConnectionResetError:
            return None
        if not data:
            return None
        magic, version, kind, request, fixed, text = HEADER.unpack_from(data)
        assert (magic, version, len(data)) == (MAGIC, VERSION, HEADER.size + fixed + text)
        return kind, request, data[HEADER.size : HEADER.size + fixed], data[HEADER.size + fixed :].decode()

    def ask(self, kind, text=""):
        self.send(packet(kind, text.encode(), request=kind + 100))
        answer = self.receive()
        while answer and answer[1] != kind + 100:
            answer = self.receive()
        return answer

    def done(self, kind, text=""):
        answer = self.ask(kind, text)
        assert answer and answer[0] == kind, answer
        return answer

    def hello(self):
        _, _, fixed, text = self.done(HELLO)
        names = ("abi", "pid", "rank", "local_rank", "world_size", "state", "capabilities", "reserved", "process_start", "start")
        return {**dict(zip(names, struct.unpack_from("<IIiiiiIIqq", fixed))),
                **dict(line.split("=", 1) for line in text.splitlines())}

    def stats(self):
        names = ("state", "cycle", "steps", "events", "dropped", "written", "kept", "buffers", "threads", "dumps",
                 "lag", "entries", "collector", "program", "elapsed", "step")
        _, _, fixed, text = self.done(STATS)
        return {**dict(zip(names, struct.unpack("<iI8Qq5Q", fixed))), **dict(line.split("=", 1) for line in text.splitlines())}

    @staticmethod
    def committed(answer):
        return dict(zip(("bytes", "sequence", "log", "state"), struct.unpack_from("<QIIi", answer[2])))


def eventually(what, seconds=30):
    """Waits until what() is true."""
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, "the condition was not met in time"
        time.sleep(0.01)
