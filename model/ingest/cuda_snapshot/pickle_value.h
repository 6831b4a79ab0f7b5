// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace riffle {

/// What a value on the stack is. Those up to EmptyList can be remembered in the memo.
enum class ValueKind : uint8_t {
    Unset,      ///< of the memo: nothing was stored under that number
    Unfinished, ///< of the memo: a container that is still being filled, its place on the stack
    Text,       ///< id of a string
    Frame,      ///< id of a frame
    Stack,      ///< id of a stack: a list of frames
    Events,     ///< rows of the history, in a run: dicts with an "action"
    Blocks,     ///< rows of blocks, in a run
    EventList,  ///< id of a run of events that a list holds
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
    UInt, ///< an integer beyond those of 63 bits
    Float,
    NewDict, ///< being filled, nothing is in it so far
    NewList,
    OpenDict, ///< being filled: id of a container
    OpenList,
};

/// More is no size of memory: addresses have at most 57 bits.
inline constexpr int64_t kMostBytes = int64_t(1) << 57;

inline constexpr uint32_t kNoMemo = UINT32_MAX;

struct PickleRows {
    uint32_t first;
    uint32_t count;
};

/// A value on the stack, 16 bytes. `memo`: of a container that is being filled, where the memo points to it.
struct PickleValue {
    ValueKind kind = ValueKind::None;
    bool fresh = false; ///< made here and not fetched from the memo: more may be added to it
    uint32_t memo = kNoMemo;
    union {
        int64_t integer = 0;
        uint64_t bits;
        double number;
        PickleRows rows; ///< an id is the first of one row
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
