# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
import functools
import types
import unittest

from riffle_profiler._library import OptionError
from riffle_profiler._optimizers import Optimizers

try:
    import torch
except ImportError:
    torch = None


@unittest.skipUnless(torch, "PyTorch is not installed")
class Watching(unittest.TestCase):
    def setUp(self):
        self.steps = []
        self.optimizers = Optimizers(torch, lambda: None, lambda optimizer: self.steps.append(optimizer))
        self.optimizers.watch()
        self.addCleanup(self.optimizers.leave)

    def optimizer(self):
        parameter = torch.nn.Parameter(torch.ones(2))
        parameter.grad = torch.ones(2)
        return torch.optim.SGD([parameter], lr=0.1)

    def test_a_function_around_ours_stays(self):
        optimizer, theirs = self.optimizer(), []
        original = torch.optim.SGD.step

        @functools.wraps(original)
        def step(*args, **kwargs):
            theirs.append(args[0])
            return original(*args, **kwargs)

        torch.optim.SGD.step = step
        try:
            self.optimizers.leave()
            optimizer.step()
            self.assertIs(torch.optim.SGD.step, step)
        finally:
            torch.optim.SGD.step = original.__wrapped__
        self.assertEqual((len(theirs), self.steps), (1, []))

    def test_a_scheduler_that_keeps_our_function_notices_nothing_after_the_end(self):
        optimizer = self.optimizer()
        torch.optim.lr_scheduler.StepLR(optimizer, 1)  # keeps the step() that it finds
        optimizer.step()
        self.optimizers.leave()
        optimizer.step()
        self.assertEqual(self.steps, [optimizer])

    def test_an_optimizer_works_where_steps_cannot_be_watched(self):
        self.optimizers._watched = lambda step: 1 / 0
        kind = type("Own", (torch.optim.SGD,), {"step": lambda self: "stepped"})
        self.assertEqual(kind([torch.nn.Parameter(torch.ones(2))], lr=0.1).step(), "stepped")

    def test_a_pytorch_before_2_is_said(self):
        self.optimizers.leave()
        old = types.SimpleNamespace(__version__="1.13.1", optim=types.SimpleNamespace(Optimizer=type("Optimizer", (), {})))
        with self.assertRaisesRegex(OptionError, "PyTorch 1.13.1 is too old to know its steps. Use 2.0 or later."):
            Optimizers(old, None, None).watch()


if __name__ == "__main__":
    unittest.main()
