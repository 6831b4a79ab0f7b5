# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Writes sizes by module for parameters, gradients, optimizer state and activations, in the format of InternLM's memory.log."""

import os
import time
import weakref

from . import _rank
from ._library import OptionError
from ._say import say, sentence

_MB = 1 << 20


class memory_layout:
    """Writes DIR/NAME/memory.log: one entry at the start, one after each forward pass of `model`, and one with all layouts
    after each step of `optimizer`.

    It counts, in bytes of storage on this rank:
      parameters       model.named_parameters(), each once
      gradients        the .grad of each parameter when the optimizer's step ends
      optimizer state  the tensors of optimizer.state, under the name of their parameter; the optimizer's parameters include
                       only those that do not belong to the model, such as 32-bit copies
      activations      the outputs of modules in forward passes that record gradients, under the innermost module that
                       created them, for as long as they are kept; views and in-place operations count once. What an
                       operator keeps besides its output is unknown.

    name    the folder of this rank, made of letter-number pairs; by default rankR_dpR_tp0, as in plain data parallelism
    steps   the number of steps after which it ends by itself; None: it ends with close()
    An error while it runs is reported on stderr and ends it, but never reaches the training.
    """

    def __init__(self, model, optimizer, *, dir="memory_trace", name=None, steps=None):
        _check(next(model.parameters(), None), optimizer)
        rank = _rank.rank() or 0
        folder = os.path.join(os.path.abspath(os.fspath(dir)), name or f"rank{rank}_dp{rank}_tp0")
        self.path = os.path.join(folder, "memory.log")
        self._model, self._optimizer, self._left = model, optimizer, steps
        self._begun = time.time()
        self._alive = {}  # id of a storage -> (module, bytes), for as long as the storage is alive
        self._ended = False
        self._names = {id(parameter): name for name, parameter in model.named_parameters()}
        self._hooks = [module.register_forward_hook(self._quietly(self._output, module_name))
                       for module_name, module in model.named_modules()]
        self._hooks.append(model.register_forward_hook(self._quietly(lambda *_: self._point(("activation_base",)))))
        self._hooks.append(optimizer.register_step_post_hook(self._quietly(lambda *_: self._step())))
        self._quietly(self._begin)(folder)

    def close(self):
        self._end()
        for hook in self._hooks:
            hook.remove()
        self._hooks = []

    def _end(self):
        """The part of close() that is safe inside a hook: PyTorch iterates over an optimizer's hooks while they run."""
        self._ended = True
        self._alive = {}

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()
        return False

    def _quietly(self, function, *first):
        def hook(*arguments):
            try:
                if not self._ended:
                    function(*first, *arguments)
            except Exception as error:
                say(f"The memory layout is no longer written to {self.path}: {sentence(error)}")
                self._end()

        return hook

    def _begin(self, folder):
        os.makedirs(folder, exist_ok=True)
        open(self.path, "w", encoding="utf-8").close()
        self._point(("params", "grads", "os_params"))

    def _output(self, name, module, inputs, output):
        for tensor in _tensors(output):
            if tensor.requires_grad and not tensor.is_leaf:
                storage = _local(tensor).untyped_storage()
                if id(storage) not in self._alive:  # an outer module may return the output of an inner one
                    self._alive[id(storage)] = (name, storage.nbytes())
                    weakref.finalize(storage, self._alive.pop, id(storage), None).atexit = False

    def _step(self):
        self._point(("params", "grads", "os_params", "os_state", "activation_base"))
        if self._left is not None:
            self._left -= 1
            if self._left <= 0:
                say(f"The memory layout is complete: {self.path}")
                self._end()

    def _point(self, layouts):
        parameters = list(self._model.named_parameters())
        sizes = {
            "params": {name: _bytes(tensor) for name, tensor in parameters},
            "grads": {name: _bytes(tensor.grad) for name, tensor in parameters if tensor.grad is not None},
            "os_params": self._optimizer_parameters(),
            "os_state": self._optimizer_state(),
            "activation": {},
        }
        for name, size in list(self._alive.values()):
            sizes["activation"][name] = sizes["activation"].get(name, 0) + size
        totals = {kind: sum(found.values()) for kind, found in sizes.items()}
        lines = ["Memory State:", f"time: {time.time() - self._begun}", "---summary---",
                 f"total_memory: {_mb(sum(totals.values()))}",
                 ", ".join(f"{kind}_memory: {_mb(total)}" for kind, total in totals.items())]
        if layouts:
            lines.append("---Layout---")
        for layout in layouts:
            lines.append(f"{layout}_layout:")
            root, kind = _ROOTS[layout]
            lines += _tree(root, sizes[kind])
        with open(self.path, "a", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n\n")

    def _optimizer_parameters(self):
        return {f"{at}.params.{number}": _bytes(parameter) for at, group in enumerate(self._optimizer.param_groups)
                for number, parameter in enumerate(group["params"]) if id(parameter) not in self._names}

    def _optimizer_state(self):
        found = {}
        for number, (parameter, state) in enumerate(self._optimizer.state.items()):
            owner = self._names.get(id(parameter), str(number))
            for key, value in state.items() if isinstance(state, dict) else ():
                size = sum(_bytes(tensor) for tensor in _tensors(value))
                if size:
                    found[f"{owner}.{key}"] = size
        return found


# Layout -> the name of its root, and the kind whose sizes it shows.
_ROOTS = {"params": ("param_mem", "params"), "grads": ("grad_mem", "grads"), "os_params": ("os_params_mem", "os_params"),
          "os_state": ("os_state_mem", "os_state"), "activation_base": ("activations_0", "activation")}


def _tree(path, sizes):
    """Yields one line per node of the dotted names, depth first."""
    below = {}
    for name, size in sizes.items():
        head, _, rest = name.partition(".")
        if head:
            below.setdefault(head, {})[rest] = size
    yield f"layer: {path}, layer_mem: {_mb(sizes.get('', 0))}, total_mem: {_mb(sum(sizes.values()))}"
    for head, inner in below.items():
        yield from _tree(f"{path}.{head}", inner)


def _mb(size):
    return f"{size / _MB:.2f} MB"


def _check(tensor, optimizer):
    if not hasattr(optimizer, "register_step_post_hook"):
        raise OptionError(f"memory_layout: A {type(optimizer).__name__} does not report its steps. Pass the optimizer from "
                          "torch.optim that it contains.")
    # Before PyTorch 2.1 the Python object of a storage dies while the storage is still alive.
    if tensor is not None and weakref.ref(_local(tensor).untyped_storage())() is None:
        raise OptionError("memory_layout: This PyTorch does not report how long activations are kept. PyTorch 2.1 does.")


def _tensors(value):
    if hasattr(value, "untyped_storage"):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from _tensors(one)
    elif isinstance(value, (list, tuple)):
        for one in value:
            yield from _tensors(one)


def _local(tensor):
    """The part of a distributed tensor that is on this rank."""
    return tensor.to_local() if hasattr(tensor, "to_local") else tensor


def _bytes(tensor):
    tensor = _local(tensor)
    return tensor.numel() * tensor.element_size()
