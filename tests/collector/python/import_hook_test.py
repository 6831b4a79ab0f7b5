# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
import importlib
import importlib.util
import os
import subprocess
import sys
import tempfile
import unittest

from riffle_profiler import _command
from riffle_profiler._import_hook import when_imported


class ImportHook(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        with open(os.path.join(folder.name, "some_package.py"), "w", encoding="utf-8") as file:
            file.write("value = 1\n")
        sys.path.insert(0, folder.name)
        self.addCleanup(sys.path.remove, folder.name)
        self.addCleanup(sys.modules.pop, "some_package", None)
        importlib.invalidate_caches()
        self.heard = []

    def wait(self):
        return when_imported("some_package", lambda: self.heard.append(sys.modules["some_package"].value))

    def test_the_action_follows_the_first_import(self):
        finder = self.wait()
        importlib.import_module("some_package")
        importlib.reload(sys.modules["some_package"])
        self.assertEqual(self.heard, [1])
        self.assertNotIn(finder, sys.meta_path)

    def test_before_the_module_is_executed_its_spec_is_there(self):
        when_imported("some_package", lambda: self.heard.append("after"),
                      lambda spec: self.heard.append((os.path.basename(spec.origin), hasattr(sys.modules[spec.name], "value"))))
        importlib.import_module("some_package")
        self.assertEqual(self.heard, [("some_package.py", False), "after"])

    def test_a_question_whether_the_module_exists_is_no_import(self):
        self.wait()
        self.assertIsNotNone(importlib.util.find_spec("some_package"))
        self.assertEqual(self.heard, [])
        importlib.import_module("some_package")
        self.assertEqual(self.heard, [1])

    def test_an_import_is_not_heard_after_giving_up(self):
        finder = self.wait()
        importlib.util.find_spec("some_package")
        finder.remove()
        importlib.import_module("some_package")
        self.assertEqual(self.heard, [])


class Startup(unittest.TestCase):
    def test_no_error_reaches_the_import(self):
        package = os.path.dirname(_command.__file__)
        with tempfile.TemporaryDirectory() as folder:
            for name, text in ("torch", "x = 1"), ("paddle", "in_dynamic_mode = None"):
                with open(os.path.join(folder, name + ".py"), "w", encoding="utf-8") as file:
                    file.write(text)
            environment = {**os.environ, "PYTHONPATH": f"{os.path.join(package, 'startup')}:{folder}",
                           "RIFFLE_AGENT": "memory_history=x\nschedule=wait=x"}
            done = subprocess.run([sys.executable, "-c", "import torch, paddle; print(torch.x)"], capture_output=True, text=True, env=environment)
        self.assertEqual((done.returncode, done.stdout), (0, "1\n"), done.stderr)
        for name in "PyTorch", "Paddle":
            self.assertIn(f"riffle: Nothing of {name} is recorded: invalid literal for int() with base 10: 'x'.", done.stderr)


class Command(unittest.TestCase):
    def test_the_program_has_the_usual_signals(self):
        """Python ignores SIGPIPE and SIGXFSZ, and a program that it becomes would inherit that."""
        code = ("from riffle_profiler import _command\n_command.PROGRAM = '/bin/sh'\nimport sys\n"
                "sys.argv = ['sh', '-c', 'grep SigIgn /proc/self/status']\n_command.main()")
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                              env={**os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(_command.__file__))})
        self.assertEqual(int(done.stdout.split()[1], 16) & (1 << 12 | 1 << 24), 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
