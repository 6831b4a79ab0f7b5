# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Writes the file of a wheel."""

import base64
import hashlib
import re
import zipfile

from zig import ROOT


def version():
    return re.search(r"project\(riffle VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)


def write(output, name, tag, files, licences, metadata, entry_points=""):
    """Writes the wheel NAME-VERSION-TAG.whl into the folder `output`, in the place of older ones; returns its path. `files` and
    `licences` are pairs of a path or a name and its bytes; files in a folder bin become programs."""
    stem = f"{name}-{version()}"
    info = f"{stem}.dist-info"
    licences = list(licences)
    metadata = metadata.format(version=version(), licences="".join(f"License-File: {title}\n" for title, _ in licences))
    files = [*files, *((f"{info}/licenses/{title}", text) for title, text in licences), (f"{info}/METADATA", metadata.encode()),
             (f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: riffle\nRoot-Is-Purelib: false\nTag: {tag}\n".encode())]
    if entry_points:
        files.append((f"{info}/entry_points.txt", entry_points.encode()))
    record = "".join(f"{path},sha256={_digest(data)},{len(data)}\n" for path, data in files) + f"{info}/RECORD,,\n"
    files.append((f"{info}/RECORD", record.encode()))

    output.mkdir(parents=True, exist_ok=True)
    for old in output.glob(f"{name}-*_{tag.partition('linux')[2].partition('_')[2]}.whl"):
        old.unlink()
    wheel = output / f"{stem}-{tag}.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in files:
            entry = zipfile.ZipInfo(path, (2020, 1, 1, 0, 0, 0))  # the same inputs give the same file
            entry.external_attr = (0o100755 if "/bin/" in path else 0o100644) << 16
            archive.writestr(entry, data, zipfile.ZIP_DEFLATED, 9)
    return wheel


def _digest(data):
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
