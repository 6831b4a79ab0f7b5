# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Nests the shapes of lists of tensors. PyTorch's observer writes them one by one, among those of the other inputs: only the
operator's schema tells where a list starts and ends."""

import functools
import sys

_LISTS = {"List[Tensor]", "List[Optional[Tensor]]"}
_TENSORS = {"Tensor", "Optional[Tensor]"}


def nested(name, shapes):
    """The shapes with one entry per input. They stay as they are without PyTorch, or if not exactly one way fits a schema."""
    ways = []
    for kinds in _overloads(name):
        way = _fitted(kinds, shapes)
        if way is not None and way not in ways:
            ways.append(way)
    return ways[0] if len(ways) == 1 else shapes


def _fitted(kinds, shapes):
    """The shapes as inputs of these kinds, or None if they do not fit."""
    lists = kinds.count("list")
    length, rest = divmod(len(shapes) - len(kinds) + lists, lists)
    if rest or length < 0:
        return None
    found, at = [], 0
    for kind in kinds:
        if kind == "other" and shapes[at]:
            return None  # something without a shape has one: this is another overload
        found.append(shapes[at:at + length] if kind == "list" else shapes[at])
        at += length if kind == "list" else 1
    return found


@functools.lru_cache(maxsize=None)
def _overloads(name):
    """The kinds of the inputs of each overload that has lists of tensors."""
    torch = sys.modules.get("torch")
    if torch is None or "::" not in name:
        return ()
    try:
        schemas = torch._C._jit_get_schemas_for_operator(name)
    except Exception:
        return ()
    found = [[_kind(argument.type.annotation_str) for argument in schema.arguments] for schema in schemas]
    # Several lists have the same length only in operators that work on all elements of their lists in turn.
    return tuple(kinds for kinds in found if kinds.count("list") == 1 or "list" in kinds and "::_foreach_" in name)


def _kind(annotation):
    return "list" if annotation in _LISTS else "tensor" if annotation in _TENSORS else "other"
