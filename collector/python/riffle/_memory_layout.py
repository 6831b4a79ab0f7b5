# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Sizes by module for parameters, gradients, optimizer state and activations, in the format of InternLM's memory.log."""

import os
import time
import weakref

from . import _rank
from ._library import OptionError
from ._say import say, sentence

_MB = 1 << 20


class memory_layout:
    """Writes DIR/NAME/memory.log: one entry as it begins, one after each forward pass of `model`, and one with all layouts
    after each step of `optimizer`.

    Counted are, in bytes of storage on this rank:
      parameters       model.named_parameters(), each once
      gradients        the .grad of each as the optimizer's step ends
      optimizer state  tensors of optimizer.state, under the name of their parameter; as parameters of the optimizer only
                       those that are none of the model's, such as 32-bit copies
      activations      outputs of modules in forward passes that record gradients, under the innermost module that made them,
                       for as long as they are kept; views and work in place count once. What an operator keeps beside its
                       output is not known.

    name    folder of this rank, of letter-number pairs; by default rankR_dpR_tp0, as in plain data parallelism
    steps   after so many it ends by itself; None: with close()
    An error while it runs is said on stderr, ends it, and never reaches the training.
    """

    def __init__(self, model, optimizer, *, dir="memory_trace", name=None, steps=None):
        _check(next(model.parameters(), None), optimizer)
        rank = _rank.rank() or 0
        folder = os.path.join(os.path.abspath(os.fspath(dir)), name or f"rank{rank}_dp{rank}_tp0")
        self.path = os.path.join(folder, "memory.log")
        self._model, self._optimizer, self._left = model, optimizer, steps
        self._begun = time.time()
        self._alive = {}  # id of a storage -> (module, bytes), as long as it lives
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
        """What can be done inside a hook: PyTorch goes over an optimizer's hooks while they run."""
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
                say(f"the memory layout is no longer written to {self.path}: {sentence(error)}")
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
                if id(storage) not in self._alive:  # an outer module passes on what an inner one made
                    self._alive[id(storage)] = (name, storage.nbytes())
                    weakref.finalize(storage, self._alive.pop, id(storage), None).atexit = False

    def _step(self):
        self._point(("params", "grads", "os_params", "os_state", "activation_base"))
        if self._left is not None:
            self._left -= 1
            if self._left <= 0:
                say(f"the memory layout is complete: {self.path}")
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


# Layout -> name of its root, and whose sizes it shows.
_ROOTS = {"params": ("param_mem", "params"), "grads": ("grad_mem", "grads"), "os_params": ("os_params_mem", "os_params"),
          "os_state": ("os_state_mem", "os_state"), "activation_base": ("activations_0", "activation")}


def _tree(path, sizes):
    """A line for each node of the dotted names, depth first."""
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
        raise OptionError(f"memory_layout: a {type(optimizer).__name__} does not tell of its steps; the optimizer of "
                          "torch.optim inside it does")
    # Before PyTorch 2.1 the object that stands for a storage dies while the storage lives.
    if tensor is not None and weakref.ref(_local(tensor).untyped_storage())() is None:
        raise OptionError("memory_layout: this PyTorch does not tell how long activations are kept; 2.1 does")


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
    """What of a distributed tensor lies on this rank."""
    return tensor.to_local() if hasattr(tensor, "to_local") else tensor


def _bytes(tensor):
    tensor = _local(tensor)
    return tensor.numel() * tensor.element_size()
