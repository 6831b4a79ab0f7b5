# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""The channel from the collector's library to the agent: what the recording wants now, whoever asked for it.

The library writes its wishes into its own memory, and the agent reads one number there at each step. If a wish came from outside
the program, the library also asks the interpreter to call look_up() in the main thread, so that a job between steps, or without
steps, follows as well. Nothing of this runs while nothing is asked.
"""

import os
import sys
import threading

from . import _calls, _compiled, _library, _stacks
from ._compiler import paused, skip

_current = None  # the process's channel


def look_up():
    """Follows the wishes; the interpreter calls this between two instructions of the program, on behalf of the library."""
    if _current:
        _current.look()


def close():
    """Ends the channel; called when the interpreter ends."""
    global _current
    if _current:
        _current = None
        library = _library.in_process()
        if library:
            library.agent_ends()


class Channel:
    """Switches operators and the memory history on and off for the agent, as the library wishes."""

    def __init__(self, agent):
        global _current
        self._agent = agent
        self._library = self._wishes = None  # while the library is not loaded, nobody can ask for anything
        # The numbers of the wishes that have been tried and followed, each with the operators of the thread that did
        # and whether the compiled observer was there.
        self._tried = self._followed = None
        self._depth = 0                      # open ranges at the last step at which they were tracked
        self._busy = False                   # True while wishes are followed, which may take seconds
        self.look = self._look
        _current = self

    def announce(self):
        """Tells the library, which may be loaded later, that this process follows its wishes."""
        torch = sys.modules["torch"]
        skip(torch, look_up)  # it may be called in the middle of compiled code
        self.look = paused(torch, self._look)
        library = _library.in_process()
        if library:
            self.open(library)
        else:
            os.environ["RIFFLE_CHANNEL"] = str(os.getpid())

    def open(self, library):
        """Connects to the loaded library."""
        self._library = library
        self._wishes = library.agent_wishes().contents

    def at_step(self, depth):
        """Follows the wishes at a step of the training thread; `depth` is the number of its open ranges, -1 if unknown."""
        if depth >= 0:
            self._depth = depth
        _calls.look()
        wanted = self._wishes.changes, self._agent.operators, _compiled.is_ready()
        if wanted == self._followed:
            return
        # An observer that must wait for the end of a range is not worth a look at all objects in each step.
        if wanted != self._tried or self._depth == 0 or not self._agent.operators.enabled:
            self._tried = wanted
            self._follow_all(depth, True)  # not the last known one: ranges are not counted after the end of a recording

    def wants_steps(self):
        """True if a recording goes on that the steps belong to."""
        return bool(self._wishes.steps)

    def _look(self):
        """The same between two steps, in the main thread, or where a range of the program has just ended."""
        if self._busy:
            return  # the interpreter calls this while wishes are followed, which then looks at them again
        try:
            if self._wishes is None:
                self.open(_library.library())
            if self._agent.broken:
                self._say(self._wishes.changes, {"operators": "off"}, ["The agent has ended after an error."])
            else:
                if self.wants_steps():
                    self._agent.watch()  # given back when an earlier recording ended
                depth = self._library.range_depth()
                if _is_within_backward():
                    pass  # it takes back what is switched within it, so the next step follows
                elif self._agent.thread in (None, threading.get_ident()):
                    self._follow_all(depth, False)
                elif not self._wishes.operators:  # the next step of the other thread follows; this one may have been first
                    self._agent.operators.disable(depth)
        except Exception as error:
            self._agent.fail(error)

    def _follow_all(self, depth, is_step):
        """Follows the wishes, and again those that have changed meanwhile."""
        changes, self._busy = None, True
        try:
            while changes != self._wishes.changes:
                changes = self._wishes.changes
                self._follow(changes, depth, is_step)
        finally:
            self._busy = False

    def _follow(self, changes, depth, is_step):
        notes, said = [], {}
        agent, wanted = self._agent, bool(self._wishes.operators)
        refused = agent.extras.follow_history(self._wishes.memory_history, self._folder)
        refused += agent.extras.follow_stacks(self._wanted_stacks(), self._library)
        notes += refused
        self._library.process_info(b"torch", str(sys.modules["torch"].__version__).encode())
        if agent.done:
            done = True
            notes.append("Operators and modules are recorded as the program's riffle.profile decides.")
        else:
            agent.extras.switch_modules(bool(self._wishes.modules))
            done = agent.switch(wanted, bool(self._wishes.shapes), depth, is_step, notes)
        if agent.operators.source:
            self._library.process_info(b"operators", agent.operators.source.encode())
        if not done and not is_step:
            return
        said["operators"] = ("on" if agent.operators.enabled else "off") if done else "later"
        if not done and agent.operators.enabled:
            notes.append("The operators are switched at the end of a step at which no range of the program is open.")
        if agent.extras.keeps_history():
            said["memory_history"] = self._wishes.memory_history
        if refused:
            said["refused"] = refused[0]
        if done:
            self._followed = changes, agent.operators, _compiled.is_ready()
        self._say(changes, said, notes)

    def _wanted_stacks(self):
        """A riffle.profile of the program switches calls with its own phases."""
        wanted = self._wishes.stacks
        return _stacks.NONE if self._agent.done and wanted == _stacks.CALLS else wanted

    def _folder(self):
        """The folder of the log, in which a snapshot belongs."""
        return os.path.dirname(self._library.stats().path) or os.getcwd()

    def _say(self, changes, said, notes):
        lines = [f"agent={os.getpid()}"] + [f"{key}={value}" for key, value in said.items()]
        lines += ["note=" + note.replace("\n", " ") for note in notes]
        self._library.agent_says(changes, "\n".join(lines).encode())


def _is_within_backward():
    task = getattr(sys.modules["torch"]._C, "_current_graph_task_id", None)
    return task is not None and task() != -1
