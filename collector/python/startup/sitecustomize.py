# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""riffle-cli record puts this folder on PYTHONPATH, so that every interpreter of a job runs this as it starts. It must
neither fail nor cost anything where there is nothing to record, and the sitecustomize that would have run runs, too."""

import os
import sys

_here = os.path.dirname(os.path.abspath(__file__))


def _run_the_other():
    """The sitecustomize that ours has hidden."""
    import importlib.machinery
    import importlib.util

    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry or ".") != _here]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", sys.path)
    if spec and spec.loader:
        module = importlib.util.module_from_spec(spec)
        sys.modules["sitecustomize"] = module
        spec.loader.exec_module(module)


def _start():
    """Under a name of its own, so that `import riffle` of the program stays what it is, and without the package's
    __init__, which would load more than most processes of a job need."""
    import importlib.machinery
    import importlib.util

    spec = importlib.machinery.ModuleSpec("_riffle_agent", None, is_package=True)
    spec.submodule_search_locations.append(os.path.join(os.path.dirname(_here), "riffle"))
    sys.modules["_riffle_agent"] = importlib.util.module_from_spec(spec)
    importlib.import_module("_riffle_agent._startup").start()


try:
    if "RIFFLE_AGENT" in os.environ:
        _start()
except Exception as error:
    print(f"riffle: Python's part of the recording is missing: {error!r}", file=sys.stderr)
finally:
    _run_the_other()
