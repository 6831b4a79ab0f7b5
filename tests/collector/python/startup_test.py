# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
import os
import tempfile
import types
import unittest
from pathlib import Path
from unittest import mock

from riffle_profiler import _startup


class Startup(unittest.TestCase):
    def offered(self, version, **environment):
        """The collector that ITT is told when a PyTorch with such a version.py is about to be imported."""
        environment["RIFFLE_COLLECTOR"] = "/opt/lib.so"
        with tempfile.TemporaryDirectory() as folder, mock.patch.dict(os.environ, environment):
            if version:
                Path(folder, "version.py").write_text(version)
            os.environ.pop("RIFFLE_TORCH_OBSERVER", None)
            if "INTEL_LIBITTNOTIFY64" not in environment:
                os.environ.pop("INTEL_LIBITTNOTIFY64", None)
            _startup._offer_to_itt(types.SimpleNamespace(origin=os.path.join(folder, "__init__.py")))
            return os.environ.get("INTEL_LIBITTNOTIFY64")

    def test_only_a_pytorch_without_cuda_is_told_the_library(self):
        self.assertEqual(self.offered("cuda: Optional[str] = None\nhip: Optional[str] = None\n"), "/opt/lib.so")
        self.assertEqual(self.offered("debug = False\ncuda = None\n"), "/opt/lib.so")
        self.assertIsNone(self.offered("cuda: Optional[str] = '12.8'\nhip: Optional[str] = None\n"))
        self.assertIsNone(self.offered("another = 'package'\n"))
        self.assertIsNone(self.offered(None))

    def test_another_collector_stays(self):
        self.assertEqual(self.offered("cuda = None\n", INTEL_LIBITTNOTIFY64="/opt/vtune.so"), "/opt/vtune.so")

    def test_a_package_without_files(self):
        _startup._offer_to_itt(types.SimpleNamespace(origin=None))


if __name__ == "__main__":
    unittest.main()
