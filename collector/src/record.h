// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace riffle::collector {

/// A named scope of ranges, such as an NVTX domain. Never freed: rings hold pointers to it.
struct Domain {
    const char *name;
};

enum class RecordKind : uint8_t {
    Push,
    Pop,
    Mark,
    Counter,
    RangeStart,
    RangeEnd,
    ThreadName,
    ProcessInfo,
    GapBegin,
    GapEnd,
    PythonCode,
    PythonStack,
    PythonCallName,
    PythonCall,
    Operator,
    Collective
};

/// Added to the payloadKind of a Push: the range was called from the Python stack that the thread wrote last.
inline constexpr uint8_t kHasPythonStack = 0x80;

/// A record in a thread's ring. A Pop has only the first 24 bytes; all other kinds are followed by the name and the
/// category. Of a gap, the name is the reason and the category is the source. The category of a RangeStart begins with
/// the 8 bytes of the range's id. python_stack_record.h describes PythonCode and PythonStack. A PythonCallName gives a
/// name to an id, its payload. A PythonCall is the push of a Python call: its payload is the id of its name and, in the
/// upper half, the number of its period.
/// The category of an Operator is its OperatorFacts with their texts. A Collective describes the innermost open range
/// of the default domain: its name is the text that wire::kCollectiveKeys describes, its payload the sequence number.
struct Record {
    uint32_t bytes; ///< size with texts and padding; also the ring's size field
    RecordKind kind;
    uint8_t payloadKind;    ///< wire::PayloadKind
    uint16_t categoryBytes; ///< length of the category (Counter: of the series; ProcessInfo: of the value)
    int64_t time;
    const Domain *domain; ///< null for the default domain
    uint64_t payload;     ///< RangeEnd: the range's id; Counter: bits of a double
    uint32_t nameBytes;
    uint32_t color; ///< ARGB; 0: none
};
/// The part of an Operator record behind its name: a Push with what an observer of PyTorch says about it. Its texts
/// follow.
struct OperatorFacts {
    int64_t sequence, forwardThread, id; ///< wire::kAbsent if there is none
    uint16_t inputBytes[4];              ///< lengths of the texts: shapes, types, strides, values
    uint64_t isOperator;                 ///< 0: a range that the program created with record_function
};
inline constexpr uint32_t kPopBytes = 24;
static_assert(sizeof(Record) == 40 && offsetof(Record, payload) == kPopBytes);

} // namespace riffle::collector
