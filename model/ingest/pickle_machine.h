// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/growing_array.h"
#include "model/base/task.h"
#include "model/ingest/pickle_input.h"
#include "model/ingest/pickle_shapes.h"
#include "model/ingest/pickle_value.h"

#include <string>
#include <string_view>
#include <vector>

namespace riffle {

/// Runs a pickle of plain data (protocols 0 to 5) and turns it into rows, as its format (PickleShapes) says.
///
/// A pickle is a program for a machine with a stack and a memo. This machine has only the instructions that data needs:
/// it cannot import, call or build objects, and any other instruction ends the reading. It does not build a tree of
/// objects either: a dict that turns out to be a frame, an entry or a block becomes a row of columns when SETITEMS
/// completes it, and from then on the stack and the memo contain the number of the row. In the same way, a list of
/// frames becomes the id of a stack, so that what millions of entries share is stored once. Consecutive entries on the
/// stack are one value, a run of rows, and a list of entries is a run too. Everything else (segments, settings,
/// annotations) is in one array of values, in which each container is a chain of pieces.
///
/// A container is complete when it is taken off the stack. Until then, the memo says that it is unfinished. Fetching it
/// from the memo completes it, or is a fault if it would contain itself. The budget bounds the memory, no matter which
/// lengths and numbers the file claims. It also bounds the time, no matter how often the memo repeats a container: a
/// container that is read again counts as if the file contained it again.
class PickleMachine {
public:
    PickleMachine(PickleInput &input, PickleShapes &shapes, MemoryBudget &budget, const Task &task);

    /// Returns the value of the pickle. Throws PickleFault, or std::bad_alloc beyond the budget.
    PickleValue run();
    /// After a fault: returns the complete part of the value. Entries that were cut off are left out.
    PickleValue salvage();
    int protocol() const { return m_protocol; }
    uint64_t bytesRead() const { return m_input.offsetOf(m_opAt); }

    /// Calls `call` with each item of a Dict (keys and values in turn), a List or an open container, until it returns
    /// false. Throws std::bad_alloc if shared containers are read so often that it exceeds the budget.
    template <typename Call>
    void forItemsWhile(const PickleValue &container, Call call) const
    {
        for (uint32_t piece = m_containers[container.id()].first; piece != kNone; piece = m_pieces[piece].next) {
            for (uint32_t at = 0; at < m_pieces[piece].count; ++at) {
                if (++m_itemsRead > m_freeReads)
                    payForReads();
                if (!call(m_items[m_pieces[piece].begin + at]))
                    return;
            }
        }
    }
    /// The same for all items.
    template <typename Call>
    void forItems(const PickleValue &container, Call call) const
    {
        forItemsWhile(container, [&](const PickleValue &item) { return call(item), true; });
    }
    /// Returns the rows of an EventList or BlockList.
    PickleRows runOf(const PickleValue &list) const { return m_runs[list.id()]; }
    /// Returns the number of items of a Dict (keys and values), a List or an open container.
    uint32_t itemsOf(const PickleValue &container) const { return m_containers[container.id()].items; }

private:
    static constexpr uint32_t kNone = UINT32_MAX;
    static constexpr uint32_t kMemoBits = 28; ///< low bits of a memo entry for the id; the kind is above them
    static constexpr size_t kMostMarks = 1000;
    static constexpr uint64_t kStackBytes = 64 << 20;
    static constexpr uint64_t kLongestText = 64 << 20;

    struct Piece {
        uint32_t begin, count, next;
    };
    struct Container {
        uint32_t first, last, items;
    };

    [[noreturn]] void fault(std::string message) const;
    void payForReads() const;
    void atEdge(const char *&at);
    /// Call this after each instruction that fills a container. From time to time, it checks whether reading must stop
    /// and reports the progress.
    void look(const char *at)
    {
        constexpr uint32_t kBetweenLooks = 1 << 14;
        if (++m_looks % kBetweenLooks != 0)
            return;
        if (m_task.stopped())
            throw PickleFault{"Reading was stopped.", m_input.offsetOf(at), ErrorKind::Cancelled};
        if (m_task.progress)
            m_task.progress->bytesDone = m_input.offsetOf(at);
    }
    const char *bytes(const char *&at, uint64_t count); ///< reads `count` bytes; faults if there are fewer
    std::string_view line(const char *&at);

    // Instructions; `at` is just after the opcode.
    void pushText(const char *&at, uint64_t length);
    void pushLong(const char *&at, uint64_t length);
    void pushIntegerLine(std::string_view text);
    void pushFloatLine(std::string_view text);
    void pushEscapedLine(std::string_view text);
    uint32_t memoNumber(std::string_view text) const;
    size_t popMark();
    void needAbove(size_t count) const; ///< faults if fewer values are above the last mark
    void put(uint64_t number);
    void get(uint64_t number);
    void getUnfinished(uint64_t number, ValueKind kind);
    void tuple(size_t from);
    void setItems(size_t from);
    void append(size_t from);
    void appendSingles(size_t from, bool intoDict);
    PickleValue pop();
    [[noreturn]] void refuse(uint8_t opcode) const;

    // Turning containers into rows and lists.
    bool becomesRow(const PickleValue *items, size_t count, PickleValue &row);
    bool becomesStack(const PickleValue *items, size_t count, PickleValue &stack);
    void close(PickleValue &value);
    PickleValue closed(PickleValue value)
    {
        if (value.kind >= ValueKind::NewDict)
            close(value);
        return value;
    }
    void remember(const PickleValue &value, const PickleValue &as);
    void addItems(PickleValue &container, const PickleValue *items, size_t count);
    void addRun(PickleValue &list, ValueKind kind, const PickleValue *items, size_t count);
    void dropContainer(const PickleValue &container);
    const PickleValue *gathered(const PickleValue &container, size_t &count);

    PickleInput &m_input;
    PickleShapes &m_shapes;
    const Task &m_task;
    const char *m_opAt;
    uint32_t m_looks = 0;
    int m_protocol = 0;
    MemoryBudget &m_budget;
    mutable uint64_t m_itemsRead = 0, m_freeReads = 0;
    MemoryBudget m_stackBudget;
    GrowingArray<PickleValue> m_stack;
    std::vector<size_t> m_marks; ///< the sizes of the stack when the marks were set
    GrowingArray<uint32_t> m_memo;
    GrowingArray<PickleValue> m_items;
    GrowingArray<Piece> m_pieces;
    GrowingArray<Container> m_containers;
    GrowingArray<PickleRows> m_runs;
    std::vector<uint32_t> m_frameIds;    ///< scratch
    std::vector<PickleValue> m_gathered; ///< scratch
};

} // namespace riffle
