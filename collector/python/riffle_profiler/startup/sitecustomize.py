# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""riffle-cli record adds this folder to PYTHONPATH, so that every interpreter of a job runs this file when it starts. It
must neither fail nor cost anything if there is nothing to record, and it also runs the sitecustomize that it hides."""

import os
import sys

_here = os.path.dirname(os.path.abspath(__file__))


def _run_the_other():
    """Runs the sitecustomize that this one hides."""
    import importlib.machinery
    import importlib.util

    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry or ".") != _here]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", sys.path)
    if spec and spec.loader:
        module = importlib.util.module_from_spec(spec)
        sys.modules["sitecustomize"] = module
        spec.loader.exec_module(module)


def _start():
    """Starts the agent. The package is loaded under a separate name, so that the program's own `import riffle_profiler` is not
    affected, and without its __init__, which would load more than most processes of a job need."""
    import importlib.machinery
    import importlib.util

    spec = importlib.machinery.ModuleSpec("_riffle_agent", None, is_package=True)
    spec.submodule_search_locations.append(os.path.dirname(_here))
    sys.modules["_riffle_agent"] = importlib.util.module_from_spec(spec)
    importlib.import_module("_riffle_agent._startup").start()


try:
    if "RIFFLE_AGENT" in os.environ:
        _start()
except Exception as error:
    print(f"riffle: The Python part of the recording could not start: {error!r}.", file=sys.stderr)
finally:
    _run_the_other()
