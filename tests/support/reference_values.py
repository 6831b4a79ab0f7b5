# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Times, numbers and texts of events as comparable values; a part of reference.py, which has the definitions."""
import re
from decimal import Decimal, ROUND_HALF_EVEN, localcontext

import reference_paddle
from reference_document import LONE_SURROGATE, Bare

ABSENT = ("absent",)
INT64_MIN, INT64_MAX = -(1 << 63), (1 << 63) - 1

NUMBER = re.compile(r"\s*\+?(-?[0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?)\s*\Z")


def nanoseconds(value):
    """Microseconds as found in the source, in integer nanoseconds of any size; None if they are not a number."""
    if isinstance(value, bool) or isinstance(value, Bare):
        return None
    if isinstance(value, int):
        result = value * 1000
    elif isinstance(value, (str, Decimal)):
        if isinstance(value, str):
            match = NUMBER.match(value)
            if not match:
                return None
            value = Decimal(match.group(1))
        if not value.is_finite():
            return None
        if value and value.adjusted() > 30:
            return -(1 << 80) if value < 0 else 1 << 80
        with localcontext() as context:
            context.prec = 400
            if value and value.adjusted() < -60:
                return 0
            result = int((value * 1000).quantize(Decimal(1), rounding=ROUND_HALF_EVEN))
    else:
        return None
    return result


def clamped(value):
    return max(INT64_MIN, min(value, INT64_MAX))


CANONICAL_INTEGER = re.compile(r"-?(0|[1-9][0-9]*)\Z")


def identity(value):
    """A pid or tid as a comparable value."""
    if isinstance(value, bool) or isinstance(value, Bare) or value is None:
        return ABSENT
    if isinstance(value, int):
        return value
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else str(value)
    if isinstance(value, str):
        return int(value) if CANONICAL_INTEGER.match(value) else value
    return ABSENT


def thread_of(event):
    """The pid and tid of an event."""
    return identity(event.get("pid")), identity(reference_paddle.thread(event.get("tid")))


def text(value):
    """A name, category or id as text; "" if absent."""
    if isinstance(value, str):
        return LONE_SURROGATE.sub("\ufffd", value) if not value.isascii() else value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, Decimal)):
        return str(value)
    return ""


def stream_number(tid):
    if isinstance(tid, str):
        match = re.match(r"stream\s+(-?[0-9]+)", tid)
        if match:
            return int(match.group(1))
    return tid
