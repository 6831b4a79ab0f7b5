# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Estimates the floating point operations of an operator from the shapes of its inputs, with torch.profiler's formulas."""

from math import prod

_PRODUCTS = {"aten::mm": 0, "aten::addmm": 1, "aten::bmm": 0, "aten::baddbmm": 1}  # index of the first factor
_ELEMENTWISE = {"aten::add", "aten::mul"}


def of(name, shapes):
    """The operations; 0 if they are unknown, for example for a convolution, whose stride and padding no source reports."""
    first = _PRODUCTS.get(name)
    if first is not None and len(shapes) > first + 1:
        left, right = shapes[first:first + 2]
        if len(left) >= 2 and len(right) >= 2:
            return 2 * prod(left) * right[-1]
    if name in _ELEMENTWISE and shapes and shapes[0]:
        return prod(shapes[0])
    return 0
