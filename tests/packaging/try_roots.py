#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Tries the wheels in fresh roots of Debian: installs them with pip, records a loop, reads the log and paints pictures.

    try_roots.py [--arch x86_64|aarch64] [--wheels build/dist] [--suites bullseye bookworm trixie] [--keep FOLDER]
                 [--pictures FOLDER]

Needs root, mmdebstrap, Xvfb and the network; for AArch64 on another machine qemu-user-static, registered with binfmt_misc. The
roots have Python and pip, and nothing of a desktop: no fonts and no library of X. Prints one line per step and a table at the end.
--keep keeps the roots, or uses those of an earlier run. There is no wheel of the window for AArch64.
"""
import argparse
import hashlib
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import zipfile

ROUNDS = 100
LOOP = f"""
import time
import riffle_profiler as riffle
for number in range({ROUNDS}):
    with riffle.annotate("work"):
        time.sleep(0.001)
"""
# Reads a PNG of 8 bits per channel, and counts the colours of its pixels.
COLOURS = """
import struct, sys, zlib
data = open(sys.argv[1], "rb").read()
width, height, depth, kind = struct.unpack(">IIBB", data[16:26])
assert depth == 8 and kind in (2, 6), (depth, kind)
step, packed, at = {2: 3, 6: 4}[kind], b"", 8
while at < len(data):
    size, name = struct.unpack(">I4s", data[at:at + 8])
    packed += data[at + 8:at + 8 + size] if name == b"IDAT" else b""
    at += size + 12
raw, rows, before = zlib.decompress(packed), [], bytearray(width * step)
for y in range(height):
    filtered = raw[y * (width * step + 1)]
    row = bytearray(raw[y * (width * step + 1) + 1:(y + 1) * (width * step + 1)])
    for x in range(len(row)):
        left, up = (row[x - step] if x >= step else 0), before[x]
        corner = before[x - step] if x >= step else 0
        guess = left + up - corner
        near = min((abs(guess - left), 0, left), (abs(guess - up), 1, up), (abs(guess - corner), 2, corner))[2]
        row[x] = (row[x] + (0, left, up, (left + up) // 2, near)[filtered]) & 255
    before = row
    rows.append(bytes(row))
print(width, height, len({row[x:x + 3] for row in rows for x in range(0, len(row), step)}))
"""
LEAST_COLOURS = 600  # smooth letters have many; boxes in the place of letters leave 300
DISPLAY = 97
SAMPLE = "resources/sample/*.pt.trace.json.gz"


DEBIAN_NAME = {"x86_64": "amd64", "aarch64": "arm64"}


class Root:
    def __init__(self, suite, folder, arch):
        self.suite, self.folder, self.arch, self.facts = suite, folder, arch, {}

    def make(self):
        if not (self.folder / "bin" / "sh").exists():
            subprocess.run(["mmdebstrap", "--quiet", f"--architectures={DEBIAN_NAME[self.arch]}", "--variant=minbase",
                            "--include=python3,python3-venv,ca-certificates", self.suite, self.folder,
                            "http://deb.debian.org/debian"], check=True)
        shutil.rmtree(self.folder / "try", ignore_errors=True)
        (self.folder / "try").mkdir()
        shutil.copy("/etc/resolv.conf", self.folder / "etc" / "resolv.conf")

    def run(self, title, command, **environment):
        """Runs a command of the shell in the root, in its folder /try; returns what it printed."""
        words = ["unshare", "--mount", "--pid", "--fork", "--", "sh", "-c",
                 'mount -t proc proc "$0/proc" && mount -t tmpfs shm "$0/dev/shm" 2>/dev/null; exec chroot "$0" sh -c "$1"',
                 str(self.folder), "cd /try && " + command]
        variables = {"PATH": "/try/venv/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/try", "LANG": "C.UTF-8",
                     "DEBIAN_FRONTEND": "noninteractive", **environment}
        done = subprocess.run(words, env=variables, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        print(f"{self.suite}: {title}: {done.returncode}", flush=True)
        if done.returncode:
            print(done.stdout)
            raise SystemExit(1)
        return done.stdout

    def paint(self, title, name, command, pictures, **environment):
        """Runs a command that writes a picture, and checks that something is painted on it."""
        said = self.run(title, f"{command} && python3 colours.py {name}", **environment)
        *rest, last = said.strip().splitlines()
        width, height, colours = map(int, last.split())
        if colours < LEAST_COLOURS:
            raise SystemExit(f"{name} has {colours} colours.")
        if pictures:
            shutil.copy(self.folder / "try" / name, pictures / f"{self.suite}-{name}")
        self.facts[title] = f"{width} × {height}, {colours} colours"
        for line in rest:
            print(f"    {line}")


def try_recorder(root, wheels):
    """Installs the wheel riffle-profiler, records a loop and asks questions."""
    root.make()
    for file in [*wheels, *sorted(pathlib.Path(__file__).resolve().parents[2].glob(SAMPLE))]:
        shutil.copy(file, root.folder / "try")
    (root.folder / "try" / "loop.py").write_text(LOOP)
    (root.folder / "try" / "colours.py").write_text(COLOURS)
    said = root.run("versions", "cat /etc/debian_version; ldd --version | head -1; python3 --version").split()
    root.facts.update(Debian=said[0], glibc=said[-3], Python=said[-1])
    root.run("venv", "python3 -m venv venv")
    root.run("pip install riffle-profiler", "pip install -q --no-index riffle_profiler-*.whl")
    root.run("riffle record", "riffle record -o logs -- python loop.py")
    if f'"slices":{ROUNDS}' not in root.run("riffle info", "riffle info --json logs/*.rifflelog").replace(" ", ""):
        raise SystemExit("The log lacks ranges.")
    root.facts["pip, record, info"] = "ok"
    said = root.run("riffle record --stacks", "riffle record --stacks=sampled -o stacks -- python loop.py")
    refusal = re.search(r"Python stacks are not recorded: .*", said)
    root.facts["stacks"] = refusal.group() if refusal else "recorded"
    root.run("riffle convert", "riffle convert logs/*.rifflelog -o log.json && python -m json.tool log.json /dev/null")
    kernels = root.run("riffle summary", "riffle summary --view kernels --format json *.pt.trace.json.gz")
    root.facts["kernels of the sample"] = hashlib.sha256(kernels.encode()).hexdigest()[:12]
    said = root.run("without the window", "riffle logs/*.rifflelog; test $? = 1")
    assert "is not installed" in said, said


def try_window(root, pictures):
    """Installs the window's wheel, and paints pictures without a display."""
    root.run("pip install riffle-profiler-window", "pip install -q --no-index --find-links . riffle_profiler_window-*.whl")
    root.run("no fonts", "! test -e /usr/share/fonts && ! test -e /etc/fonts")
    root.paint("picture", "sample.png", "riffle --size 1280x800 --screenshot sample.png *.pt.trace.json.gz", pictures)
    root.paint("picture of the log", "log.png", "riffle --size 1280x800 --screenshot log.png logs/*.rifflelog", pictures)


def try_display(root, pictures):
    """Paints with the plugin xcb on an X server of this machine."""
    server = subprocess.Popen(["Xvfb", f":{DISPLAY}", "-screen", "0", "1400x900x24", "-listen", "tcp", "-ac", "-nolisten", "unix"],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(100):
            with socket.socket() as knock:
                if knock.connect_ex(("127.0.0.1", 6000 + DISPLAY)) == 0:
                    break
            time.sleep(0.1)
        root.paint("picture on X", "x.png", "riffle --size 1280x800 --screenshot x.png *.pt.trace.json.gz", pictures,
                   QT_QPA_PLATFORM="xcb", DISPLAY=f"127.0.0.1:{DISPLAY}")
    finally:
        server.terminate()
        server.wait()


def fetch_qt(wheel, folder):
    """Downloads the package PyQt6-Qt6 that the window's wheel asks for; returns its file."""
    with zipfile.ZipFile(wheel) as archive:
        metadata = archive.read(next(name for name in archive.namelist() if name.endswith("/METADATA"))).decode()
    asked = re.search(r"^Requires-Dist: (PyQt6-Qt6==\S+)$", metadata, re.MULTILINE).group(1)
    subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", folder, asked], check=True)
    return next(folder.glob("*.whl"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--arch", default="x86_64", choices=sorted(DEBIAN_NAME))
    parser.add_argument("--wheels", type=pathlib.Path, default=pathlib.Path("build/dist"))
    parser.add_argument("--suites", nargs="+", default=["bullseye", "bookworm", "trixie"])
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--pictures", type=pathlib.Path)
    options = parser.parse_args()
    names = ["riffle_profiler"] + (["riffle_profiler_window"] if options.arch == "x86_64" else [])
    wheels = [next(options.wheels.glob(f"{name}-*_{options.arch}.whl")) for name in names]
    home = (options.keep or pathlib.Path(tempfile.mkdtemp(prefix="riffle-roots-"))).absolute()
    home.mkdir(parents=True, exist_ok=True)
    if len(wheels) > 1:
        wheels.append(fetch_qt(wheels[1], home / "qt"))
    if options.pictures:
        options.pictures.mkdir(parents=True, exist_ok=True)
    try:
        roots = []
        for suite in options.suites:
            roots.append(Root(suite, home / f"{suite}-{options.arch}", options.arch))
            try_recorder(roots[-1], wheels)
            if len(wheels) > 1:
                try_window(roots[-1], options.pictures)
                try_display(roots[-1], options.pictures)
    finally:
        if not options.keep:
            shutil.rmtree(home, ignore_errors=True)
    columns = list(roots[0].facts)
    print("| " + " | ".join(columns) + " |\n|" + "---|" * len(columns))
    for root in roots:
        print("| " + " | ".join(root.facts[column] for column in columns) + " |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
