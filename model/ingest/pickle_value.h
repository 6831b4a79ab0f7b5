// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace riffle {

/// The kind of a value on the stack. The kinds up to None can be stored in the memo.
enum class ValueKind : uint8_t {
    Unset,      ///< memo only: nothing was stored under this number
    Unfinished, ///< memo only: place on the stack of a container that is still being filled
    Text,       ///< id of a string
    Frame,      ///< id of a frame
    Stack,      ///< id of a stack: a list of frames
    Events,     ///< run of rows of entries: of the history of a snapshot, or of a ring
    Blocks,     ///< run of rows of blocks of memory
    EventList,  ///< id of a list's run of events
    BlockList,
    Dict, ///< id of any other dict
    List, ///< id of any other list or tuple
    Pair, ///< id of a tuple of two integers
    EmptyDict,
    EmptyList,
    None,
    True,
    False,
    Int,
    UInt, ///< an integer that does not fit int64
    Float,
    NewDict, ///< being filled, still empty
    NewList,
    OpenDict, ///< being filled: id of a container
    OpenList,
};

inline constexpr uint32_t kNoMemo = UINT32_MAX;

struct PickleRows {
    uint32_t first;
    uint32_t count;
};

/// A value on the stack, 16 bytes. `memo` is the memo number that points to a container while it is being filled.
struct PickleValue {
    ValueKind kind = ValueKind::None;
    bool fresh = false; ///< built in this place, not fetched from the memo, so more may be added to it
    uint32_t memo = kNoMemo;
    union {
        int64_t integer = 0;
        uint64_t bits;
        double number;
        PickleRows rows; ///< an id is stored as `first`, with a count of 1
    };

    uint32_t id() const { return rows.first; }
    static PickleValue plain(ValueKind kind)
    {
        PickleValue value;
        value.kind = kind;
        return value;
    }
    static PickleValue of(ValueKind kind, uint32_t id, uint32_t count = 1)
    {
        PickleValue value;
        value.kind = kind;
        value.rows = {id, count};
        return value;
    }
    static PickleValue ofInteger(int64_t integer)
    {
        PickleValue value;
        value.kind = ValueKind::Int;
        value.integer = integer;
        return value;
    }
};
static_assert(sizeof(PickleValue) == 16);

} // namespace riffle
