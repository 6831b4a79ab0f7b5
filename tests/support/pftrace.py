# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Writes Perfetto traces (.pftrace) without Perfetto: protobuf by hand, with the field numbers of its definitions."""

import json
import struct

BEGIN, END, INSTANT, COUNTER = 1, 2, 3, 4
STATE_CLEARED, NEEDS_STATE = 1, 2


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out + bytes([value]))


def number(field, value):
    return varint(field << 3) + varint(value)


def fixed64(field, value):
    return varint(field << 3 | 1) + struct.pack("<Q", value)


def double(field, value):
    return varint(field << 3 | 1) + struct.pack("<d", value)


def data(field, value):
    value = value.encode() if isinstance(value, str) else value
    return varint(field << 3 | 2) + varint(len(value)) + value


def annotation_value(value):
    """The fields of a DebugAnnotation for a Python value."""
    if isinstance(value, bool):
        return number(2, int(value))
    if isinstance(value, int):
        return number(4, value) if value < 1 << 63 else number(3, value)
    if isinstance(value, float):
        return double(5, value)
    if isinstance(value, dict):
        return b"".join(data(11, annotation(key, entry)) for key, entry in value.items())
    if isinstance(value, list):
        return b"".join(data(12, annotation_value(entry)) for entry in value)
    return data(6, value)


def annotation(name, value):
    return data(10, name) + annotation_value(value)


class Trace:
    """Packets, in the order of the calls. Texts are interned by text(), and the packet of interned data comes where
    intern() is called."""

    CATEGORY, NAME, ANNOTATION, STAGE, TEXT, KERNEL, ARGUMENT = 1, 2, 3, 24, 29, 1000, 1001

    def __init__(self, sequence=1):
        self.bytes = bytearray()
        self.sequence = sequence

    def packet(self, content, time=None, flags=0, clock=None):
        head = b"" if time is None else number(8, time)
        head += number(10, self.sequence) if self.sequence else b""
        head += number(13, flags) if flags else b""
        head += b"" if clock is None else number(58, clock)
        self.bytes += data(1, head + content)
        return self

    def clocks(self, boot, real):
        clock = lambda kind, time: data(1, number(1, kind) + number(2, time))
        return self.packet(data(6, clock(6, boot) + clock(1, real)), boot)

    def process(self, uuid, pid, name):
        return self.packet(data(60, number(1, uuid) + data(3, number(1, pid) + data(6, name))))

    def thread(self, uuid, parent, pid, tid, name):
        return self.packet(data(60, number(1, uuid) + number(5, parent)
                                + data(4, number(1, pid) + number(2, tid) + data(5, name))))

    def track(self, uuid, parent, name, counter=None):
        return self.packet(data(60, number(1, uuid) + number(5, parent) + data(2, name)
                                + (b"" if counter is None else data(8, counter))))

    def intern(self, entries, clear=True):
        """`entries`: (field, iid, text[, category of a stage])"""
        out = b""
        for field, iid, text, *category in entries:
            name = 3 if field == self.KERNEL else 2
            out += data(field, number(1, iid) + data(name, text) + (number(4, category[0]) if category else b""))
        return self.packet(data(12, out), flags=STATE_CLEARED if clear else 0)

    def event(self, kind, time, track, content=b"", flags=NEEDS_STATE):
        return self.packet(data(11, number(9, kind) + (number(11, track) if track is not None else b"") + content),
                           time, flags)

    def begin(self, time, track, name, category=None, args=None, flows=(), extra=b""):
        """Names and categories are texts, or the numbers of interned ones."""
        content = number(10, name) if isinstance(name, int) else data(23, name)
        if category is not None:
            content += number(3, category) if isinstance(category, int) else data(22, category)
        content += b"".join(fixed64(47, flow) for flow in flows)
        content += b"".join(data(4, annotation(key, value)) for key, value in (args or {}).items())
        return self.event(BEGIN, time, track, content + extra)

    def end(self, time, track):
        return self.event(END, time, track, flags=0)

    def slices(self, slices):
        """As PyTorch writes a group: all begins, then all ends. `slices`: (begin, end, track, name, category, args)"""
        for begin, _, track, name, category, args in slices:
            self.begin(begin, track, name, category, args)
        for _, end, track, *_ in slices:
            self.end(end, track)
        return self

    def stage(self, time, duration, gpu, queue, stage, name=None, extra=None, grid=None, block=None, arguments=(),
              event=1, kernel=None):
        content = number(1, event) + number(2, duration) + number(11, gpu) + number(13, queue) + number(14, stage)
        content += number(5, 1)
        content += b"" if name is None else number(20, name)
        content += b"" if kernel is None else number(19, kernel)
        extent = lambda field, size: data(field, b"".join(number(at + 1, one) for at, one in enumerate(size)))
        if grid:
            launch = extent(1, grid) + extent(2, block)
            launch += b"".join(data(3, number(1, iid) + number(4, value)) for iid, value in arguments)
            content += data(21, launch)
        for key, value in (extra or {}).items():
            text = value if isinstance(value, str) else json.dumps(value)
            content += data(6, data(1, key) + data(2, text))
        return self.packet(data(53, content), time, NEEDS_STATE)

    def gpu_counter(self, time, descriptor, samples):
        content = number(4, descriptor)
        for counter, value in samples:
            content += data(2, number(1, counter) + (double(3, value) if isinstance(value, float) else number(2, value)))
        return self.packet(data(52, content), time, NEEDS_STATE)

    def write(self, path):
        with open(path, "wb") as file:
            file.write(self.bytes)
