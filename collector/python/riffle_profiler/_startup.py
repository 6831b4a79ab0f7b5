# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""The first thing that riffle-cli record does in a Python process. It does little, because it runs in every interpreter."""

import os

from . import _rank
from ._import_hook import when_imported
from ._say import say, sentence

_ITT = "INTEL_LIBITTNOTIFY64"
_paddle = None  # waits for the import of Paddle


def leave():
    """Stops waiting for Paddle, whose steps would not be recorded any more."""
    if _paddle:
        _paddle.remove()


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
    if os.environ.get(_ITT, "") == os.environ.get("RIFFLE_COLLECTOR"):
        del os.environ[_ITT]  # by a parent process; other users of ITT in this process have nothing to report
    when_imported("torch", lambda: _try("PyTorch", _attach, chosen), _offer_to_itt)
    if "left_out" not in chosen and "instead" not in chosen:  # the part for Paddle cannot be started from outside
        global _paddle
        _paddle = when_imported("paddle", lambda: _try("Paddle", _attach_paddle, chosen))


def _offer_to_itt(spec):
    """Names the library to a PyTorch without CUDA, whose operators come through ITT. PyTorch looks for the name when it is loaded,
    but loads the library with the first range."""
    try:
        with open(os.path.join(os.path.dirname(spec.origin), "version.py"), encoding="utf-8") as file:
            has_cuda = not any(line.startswith("cuda") and line.split("=")[-1].strip() == "None" for line in file)
        if not has_cuda or os.environ.get("RIFFLE_TORCH_OBSERVER") == "itt":
            os.environ.setdefault(_ITT, os.environ["RIFFLE_COLLECTOR"])
    except (OSError, ValueError, TypeError, KeyError):
        pass  # another package of this name


def _try(name, attach, chosen):
    """The program imports the package, so an error here must not reach it."""
    try:
        attach(chosen)
    except Exception as error:
        say(f"Nothing of {name} is recorded: {sentence(error)}")


def _attach(chosen):
    if "instead" in chosen:
        if "left_out" not in chosen:
            from . import _instead
            _instead.attach(chosen)
        return
    from ._agent import Agent

    Agent(chosen).attach()


def _attach_paddle(chosen):
    import paddle

    if hasattr(paddle, "in_dynamic_mode"):  # otherwise another package of this name, or a Paddle before version 2
        from ._paddle import PaddleAgent

        PaddleAgent(chosen, paddle).attach()
