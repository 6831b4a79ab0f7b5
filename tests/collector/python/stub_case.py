# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""The base of tests that check which functions of the library the package calls."""

import os
import tempfile
import unittest


# The observer of PyTorch's that is tried.
KIND = os.environ.get("RIFFLE_TORCH_OBSERVER", "nvtx").upper()


class StubCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.log = os.path.join(self.folder, "calls")
        os.environ["RIFFLE_STUB_LOG"] = self.log
        for name in ("RANK", "RIFFLE_OPTIONS", "RIFFLE_STUB_REFUSE", "RIFFLE_STUB_FAIL", "RIFFLE_STUB_ABI"):
            os.environ.pop(name, None)

    def calls(self):
        """The calls since the last use of this method, except those that only report versions."""
        try:
            with open(self.log, encoding="utf-8") as file:
                lines = file.read().splitlines()
        except FileNotFoundError:
            return []
        os.remove(self.log)
        return [line for line in lines if not line.startswith("info ")]
