#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""A pickle that would run a command if it were unpickled; it is not even imported."""
import sys

with open(sys.argv[1], "wb") as out:
    out.write(b"\x80\x04}\x94(\x8c\x08segments\x94cos\nsystem\n(X\x0d\x00\x00\x00touch /tmp/owntR.")
