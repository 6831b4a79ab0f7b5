# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
import random
import unittest
import warnings

import riffle_profiler as riffle

try:
    import torch.profiler as theirs
except ImportError:
    theirs = None

LETTERS = {"NONE": ".", "WARMUP": "w", "RECORD": "r", "RECORD_AND_SAVE": "S"}

# Settings, and the result of torch.profiler.schedule for the steps from 0.
TABLE = (
    (dict(wait=1, warmup=1, active=3, repeat=2, skip_first=1), "..wrrS.wrrS...."),
    (dict(wait=1, warmup=1, active=1), ".wS.wS.wS"),
    (dict(wait=0, warmup=0, active=1), "SSSS"),
    (dict(wait=0, warmup=0, active=3, repeat=1), "rrS..."),
    (dict(wait=2, warmup=1, active=2, repeat=1, skip_first=2, skip_first_wait=1), "..wrS....."),
    (dict(wait=3, warmup=0, active=2, repeat=2, skip_first_wait=1), "rS...rS....."),
)


def drawn(schedule, steps):
    return "".join(LETTERS[schedule(step).name] for step in range(steps))


class Schedule(unittest.TestCase):
    def test_table(self):
        for settings, expected in TABLE:
            with self.subTest(**settings):
                self.assertEqual(drawn(riffle.schedule(**settings), len(expected)), expected)

    def test_end_is_the_step_after_the_last_recorded_one(self):
        for settings, expected in TABLE:
            end = riffle.schedule(**settings).end
            if "repeat" in settings:
                self.assertEqual(end, expected.rindex("S") + 1)
            else:
                self.assertIsNone(end)

    def test_wrong_settings_raise(self):
        for settings in (dict(active=0), dict(wait=-1), dict(warmup=-1), dict(repeat=-1), dict(skip_first=-1)):
            with self.assertRaises(ValueError):
                riffle.schedule(**{**dict(wait=0, warmup=1, active=1), **settings})
        with self.assertRaises(ValueError):
            riffle.schedule(wait=0, warmup=1, active=1)(-1)

    @unittest.skipUnless(theirs, "PyTorch is not installed")
    def test_equals_pytorch(self):
        chosen = random.Random(20)
        warnings.simplefilter("ignore")
        for _ in range(200):
            settings = dict(wait=chosen.randrange(6), warmup=chosen.randrange(4), active=chosen.randrange(1, 6),
                            repeat=chosen.randrange(4), skip_first=chosen.randrange(8),
                            skip_first_wait=chosen.randrange(2))
            with self.subTest(**settings):
                self.assertEqual(drawn(riffle.schedule(**settings), 61), drawn(theirs.schedule(**settings), 61))
