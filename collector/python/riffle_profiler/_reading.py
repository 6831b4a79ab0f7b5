# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Questions to riffle-cli about traces, logs and memory snapshots, for notebooks and scripts. riffle_profiler.open() imports this
file, so that a process that only records never does."""

import csv
import errno
import json
import os
import subprocess
import warnings

from . import _cli
from ._answers import Page, Table, Text
from ._library import RiffleError, RiffleWarning

_LOSSES = 3  # riffle-cli's exit code for a file that could not be read completely
_OURS = {"format", "json", "csv", "output", "picture", "stderr"}


class Reading:
    """One or several opened files. Every question runs riffle-cli. Its options are keywords with `_` for `-`: `--without-first-step`
    is `without_first_step=True`, and a list repeats an option."""

    def __init__(self, paths):
        self.paths = paths

    def __repr__(self):
        return f"<{len(self.paths)} opened: {', '.join(self.paths)}>" if len(self.paths) > 1 else f"<Opened: {self.paths[0]}>"

    def summary(self, *views, **options):
        """A table of where the time went, such as "operators", "kernels", "modules", "steps" or "findings"; a dict of tables if there
        are several views. Without a view, the overview."""
        found = {}
        for view in views or ("overview",):
            found[view] = self._ask(["summary"], ["--view", view], options)
        return found if len(views) > 1 else found.popitem()[1]

    def steps(self, **options):
        """The steps: summary("steps")."""
        return self._ask(["summary"], ["--view", "steps"], options)

    def sql(self, query, **options):
        """The answer to a SELECT statement in SQLite's dialect. The table `columns` describes all tables."""
        return self._ask(["sql"], [], options, after=[query])

    def slices(self, **options):
        """The slices of one trace, which name=, category=, lane= and range= can limit."""
        return self._ask(["slices"], [], options, form=["--json"])

    def memory(self, what=None, **options):
        """What was alive in the memory: by="stack", at="peak" and so on. `what` names a subcommand: "info", "events", "state", "oom",
        or "diff" for two snapshots."""
        return self._ask(["memory", *([what] if what else [])], [], options)

    def info(self, **options):
        """What the file contains, as a dict; a list of them for several files."""
        return self._ask(["info"], [], options, form=["--json"])

    def verdict(self, **options):
        """A few lines that say how the run went."""
        out, said = self._run(["verdict", *_arguments(options), "--", *self.paths])
        return Text(out.rstrip("\n"), said)

    def report(self, output=None, **options):
        """The report as a page that Jupyter shows. If `output` is given, it is also written there."""
        out, said = self._run(["report", "--output=-", *_arguments(options), "--", *self.paths])
        page = Page(out, said)
        if output is not None:
            page.save(output)
        return page

    def _ask(self, command, arguments, options, form=("--format", "json"), after=()):
        inputs = [*command, *arguments, *_arguments(options), "--", *self.paths, *after]
        out, said = self._run([*inputs[:len(command)], *form, *inputs[len(command):]], level=4)
        answers = _documents(out, command[0])
        if answers == [[]] and "--format" in form:  # JSON without rows does not name the columns
            head, _ = self._run([*inputs[:len(command)], "--format", "csv", *inputs[len(command):]], quiet=True)
            return Table(next(csv.reader(head.splitlines(True)), []), [], said)
        found = [_answer(one, said) for one in answers]
        return found[0] if len(found) == 1 else found

    def _run(self, arguments, level=3, quiet=False):
        """Runs riffle-cli, and returns its output and the sentences on stderr, which are warnings."""
        done = subprocess.run([_cli.find(), *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              encoding="utf-8", errors="replace")
        said = [line[len("riffle-cli: "):] if line.startswith("riffle-cli: ") else line for line in done.stderr.splitlines() if line]
        if done.returncode not in (0, _LOSSES):
            raise RiffleError(f"riffle-cli {arguments[0]}: " +
                              ("\n".join(said) or f"The command failed with status {done.returncode}."))
        if done.returncode == _LOSSES and not said:
            said = ["Some data of the file was lost or damaged. info() says what."]
        for sentence in () if quiet else said:
            warnings.warn(sentence, RiffleWarning, stacklevel=level)
        return done.stdout, said


def read(paths):
    """Opens one path, several, or a list of them."""
    found = []
    for path in paths:
        found += [path] if isinstance(path, (str, os.PathLike)) else path
    if not found:
        raise TypeError("open() needs the path of a trace, a log or a snapshot.")
    found = [os.path.abspath(os.fspath(path)) for path in found]  # never the name of an option or of a subcommand
    for path in found:
        if not os.path.exists(path):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
    return Reading(found)


def _arguments(options):
    """The options as riffle-cli takes them."""
    arguments = []
    for name, value in options.items():
        if name in _OURS:
            raise TypeError(f"The option {name} has no effect here, because the answer is an object.")
        word = "--" + name.replace("_", "-")
        for one in value if isinstance(value, (list, tuple)) else [value]:
            if one is True:
                arguments.append(word)
            elif one is not None and one is not False:
                arguments.append(f"{word}={one}")
    return arguments


def _documents(text, command):
    """The JSON values in a text, one behind the other."""
    decoder, found, at = json.JSONDecoder(), [], 0
    try:
        while at < len(text):
            value, at = decoder.raw_decode(text, at)
            found.append(value)
            while at < len(text) and text[at].isspace():
                at += 1
    except ValueError as error:
        raise RiffleError(f"riffle-cli {command}: The answer is not JSON: {error}.") from None
    return found


def _answer(value, said):
    """Makes tables of the lists of rows in a JSON value."""
    if isinstance(value, list) and all(isinstance(row, dict) for row in value):
        columns = list(dict.fromkeys(key for row in value for key in row))
        return Table(columns, [tuple(row.get(key) for key in columns) for row in value], said)
    if isinstance(value, dict):
        return {key: _answer(one, said) if isinstance(one, list) and one else one for key, one in value.items()}
    return value
