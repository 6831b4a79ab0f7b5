# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Reads a collector log as collector/include/riffle/wire.h describes it, without any of Riffle's code.

read(folder) returns a list of rows: (chunk type name, {field name: value}), in the order of the files, with texts instead of
ids. It needs the zstd command. The summaries of steps are in a file of their own: the file 000000.part."""

import re
import struct
import subprocess
from pathlib import Path

WIRE = Path(__file__).resolve().parents[2] / "collector/include/riffle/wire.h"
TEXT_FIELDS = {"Name", "Category", "Domain", "Series", "Key", "Value", "Shapes", "File", "Types", "Strides", "Values", "Collective"}


def enumeration(name):
    body = re.search(r"enum class %s[^{]*\{(.*?)\};" % name, WIRE.read_text(), re.S).group(1)
    body = re.sub(r"//[^\n]*", "", body)
    names = [part.split("=")[0].strip() for part in body.split(",") if part.strip() and part.split()[0] != "Last"]
    return {number: name for number, name in enumerate(names, 1)}


CHUNKS, FIELDS = enumeration("ChunkType"), enumeration("Field")


def varints(data):
    values, value, shift = [], 0, 0
    for byte in data:
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            values.append((value >> 1) ^ -(value & 1))
            value = shift = 0
    assert shift == 0, "a number is cut off"
    return values


def signed(value):
    value &= (1 << 64) - 1
    return value - (1 << 64) if value >> 63 else value


def columns(payload, count, rows):
    at, found = 0, {}
    for _ in range(count):
        field, encoding, _, size = struct.unpack_from("<HBBI", payload, at)
        data = payload[at + 8 : at + 8 + size]
        at += 8 + size
        if encoding == 1:
            values, last = [], 0
            for step in varints(data):
                last = signed(last + step)
                values.append(last)
        elif encoding == 2:
            values = [signed(value) for value in varints(data)]
        elif encoding == 3:
            values = list(struct.unpack("<%dd" % rows, data))
        else:
            values, text = [], 0
            for length in found["Bytes"]:
                values.append(data[text : text + length].decode())
                text += length
        assert len(values) == rows, (FIELDS[field], len(values), rows)
        found[FIELDS[field]] = values
    assert at == len(payload)
    return found


def read_part(path):
    data = path.read_bytes()
    magic, version, header = struct.unpack_from("<8sII", data)
    assert magic == b"RIFFLOG\n" and version == 1 and header == 64
    at, chunks = header, []
    while at < len(data):
        magic, kind, flags, raw, stored, count, wide = struct.unpack_from("<IHHIIII", data, at)
        assert magic == 0x4B4E4843, "there is no chunk at %d" % at
        payload = data[at + 48 : at + 48 + stored]
        if len(payload) < stored:
            break
        at += 48 + stored
        chunks.append((kind, flags & 1, raw, count, wide, payload))
    # Frames may follow one another, so one command unpacks all of them.
    packed = b"".join(payload for _, is_packed, _, _, _, payload in chunks if is_packed)
    plain = subprocess.run(["zstd", "-dc"], input=packed, stdout=subprocess.PIPE, check=True).stdout if packed else b""
    at, texts, rows = 0, {0: ""}, []
    for kind, is_packed, raw, count, wide, payload in chunks:
        if is_packed:
            payload, at = plain[at : at + raw], at + raw
        assert len(payload) == raw
        table = columns(payload, wide, count)
        name = CHUNKS[kind]
        if name == "Strings":
            texts.update(zip(table["Id"], table["Text"]))
            continue
        for field in TEXT_FIELDS & set(table):
            table[field] = [texts[number] for number in table[field]]
        rows += [(name, dict(zip(table, row))) for row in zip(*table.values())] if table else [(name, {})]
    return rows


def read(folder):
    return [row for part in sorted(Path(folder).glob("*.part")) for row in read_part(part)]
