# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""The start of every check on real traces: its options and the files, or a clear message that it is skipped."""
import argparse
import collections
import os
import pathlib
import re
import shlex
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
KINETO = ("kineto", "multirank_*")
SKIPPED = 77

sys.path.insert(0, str(ROOT / "tests" / "support"))


class RealFiles:
    """The folder ($RIFFLE_TRACES, by default ../shared/traces beside the repository), its files and riffle-cli as a command."""

    def __init__(self, description, folders=KINETO, add_options=lambda parser: None):
        parser = argparse.ArgumentParser(description=description)
        parser.add_argument("--cli", required=True, help="riffle-cli, or a command line in its place")
        parser.add_argument("--filter", default="", help="regular expression for the file's path")
        add_options(parser)
        self.options = parser.parse_args()
        self.cli = [self.options.cli] if os.path.exists(self.options.cli) else shlex.split(self.options.cli)
        self.folder = pathlib.Path(os.environ.get("RIFFLE_TRACES") or ROOT.parent / "shared" / "traces")
        if not self.folder.is_dir():
            print("SKIPPED: There is no folder of real traces. Set RIFFLE_TRACES. Nothing was compared.", file=sys.stderr)
            sys.exit(SKIPPED)
        self.paths = [path for pattern in folders for top in sorted(self.folder.glob(pattern)) for path in sorted(top.rglob("*"))
                      if path.is_file() and re.search(self.options.filter, self.name(path))]

    def name(self, path):
        return str(path.relative_to(self.folder))

    def sets_of_ranks(self, compare):
        """Ends the check after `compare(folder, paths)` of each set of ranks, which returns differences and a note."""
        sets = collections.defaultdict(list)
        for path in self.paths:
            if path.name.endswith(".json"):
                sets[path.relative_to(self.folder).parts[0]].append(path)
        failed = False
        for folder, paths in sets.items():
            lines, note = compare(folder, paths)
            report(folder, lines, note)
            failed = failed or bool(lines)
        self.finish(failed, "sets of ranks")

    def finish(self, failed, contents):
        """Ends the check. It is skipped if the folder contains no files of its kind."""
        if not self.paths and not self.options.filter:
            print("SKIPPED: The folder contains no %s. Nothing was compared." % contents, file=sys.stderr)
            sys.exit(SKIPPED)
        sys.exit(1 if failed else 0)


def report(path, lines, note=""):
    """Prints one line per file, and below it the differences."""
    print("%-5s %s%s" % ("diff" if lines else "ok", note, path))
    for line in lines:
        print("      " + line)
    sys.stdout.flush()
