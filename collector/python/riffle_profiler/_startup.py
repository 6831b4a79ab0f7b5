# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""The first thing that riffle-cli record does in a Python process. It does little, because it runs in every interpreter."""

import os

from . import _rank
from ._import_hook import when_imported


def options(text):
    """Parses lines of KEY=VALUE."""
    return dict(line.split("=", 1) for line in text.splitlines() if "=" in line)


def start():
    """Prepares the recording; called when an interpreter starts."""
    chosen = options(os.environ["RIFFLE_AGENT"])
    # A rank that is left out only waits: it can be started from outside.
    if _rank.rank() is not None and not _rank.among_text(chosen.get("ranks", "")):
        chosen["left_out"] = "1"
    # Tells the collector, in case it is loaded, that this process yields to torch.profiler.
    os.environ["RIFFLE_YIELDS"] = str(os.getpid())
    when_imported("torch", lambda: _attach(chosen))


def _attach(chosen):
    if "instead" in chosen:
        if "left_out" not in chosen:
            from . import _instead
            _instead.attach(chosen)
        return
    from ._agent import Agent

    Agent(chosen).attach()
