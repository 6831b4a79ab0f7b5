# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""The base of tests that check what the package writes on stderr."""

import contextlib
import io
import unittest


class MessagesCase(unittest.TestCase):
    @contextlib.contextmanager
    def heard(self, *words):
        """Each of the words is written within the block; without words, nothing is."""
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            yield
        for word in words:
            self.assertRegex(said.getvalue(), word)
        self.assertEqual(bool(words), bool(said.getvalue()), said.getvalue())
