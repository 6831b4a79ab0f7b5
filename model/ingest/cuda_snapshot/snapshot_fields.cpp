// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0

// Makes rows of entries, frames and blocks.
#include "model/ingest/cuda_snapshot/snapshot_shapes.h"
#include "model/ingest/cuda_snapshot/snapshot_words.h"

#include <algorithm>

namespace riffle {

namespace {

MemoryAction actionOf(Word word)
{
    switch (word) {
    case Word::Alloc: return MemoryAction::Alloc;
    case Word::FreeRequested: return MemoryAction::FreeRequested;
    case Word::FreeCompleted: return MemoryAction::FreeCompleted;
    case Word::Free: return MemoryAction::Free;
    case Word::SegmentAlloc: return MemoryAction::SegmentAlloc;
    case Word::SegmentFree: return MemoryAction::SegmentFree;
    case Word::SegmentMap: return MemoryAction::SegmentMap;
    case Word::SegmentUnmap: return MemoryAction::SegmentUnmap;
    case Word::Snapshot: return MemoryAction::Snapshot;
    case Word::Oom: return MemoryAction::OutOfMemory;
    case Word::Annotate: return MemoryAction::Annotate;
    default: return MemoryAction::Other;
    }
}

Word wordOf(const PickleValue &value)
{
    return value.kind == ValueKind::Text && value.id() < static_cast<uint32_t>(Word::Count)
               ? static_cast<Word>(value.id())
               : Word::Count;
}

} // namespace

bool SnapshotShapes::integer(const PickleValue &value, int64_t &into)
{
    if (value.kind != ValueKind::Int) {
        m_rows.oddities.unreadableFields += value.kind != ValueKind::None;
        return false;
    }
    into = value.integer;
    return true;
}

/// A size larger than any address space is unreadable. Negative sizes are accepted here; the code that adds them up
/// counts them.
bool SnapshotShapes::sizeOf(const PickleValue &value, int64_t &into)
{
    int64_t size = 0;
    if (!integer(value, size))
        return false;
    if (size > kMostBytes) {
        ++m_rows.oddities.unreadableFields;
        return false;
    }
    into = size;
    return true;
}

/// The C++ pickler writes addresses as signed 64-bit numbers, so high addresses are negative.
bool SnapshotShapes::address(const PickleValue &value, uint64_t &into)
{
    if (value.kind != ValueKind::Int && value.kind != ValueKind::UInt) {
        m_rows.oddities.unreadableFields += value.kind != ValueKind::None;
        return false;
    }
    into = value.bits;
    return true;
}

uint32_t SnapshotShapes::textId(const PickleValue &value, size_t most)
{
    if (value.kind == ValueKind::Text)
        return m_rows.shortText(value.id(), most);
    m_rows.oddities.unreadableFields += value.kind != ValueKind::None;
    return 0;
}

uint32_t SnapshotShapes::stackId(const PickleValue &value)
{
    if (value.kind == ValueKind::Stack)
        return value.id();
    m_rows.oddities.unreadableFields += value.kind != ValueKind::None && value.kind != ValueKind::EmptyList;
    return 0;
}

PickleValue SnapshotShapes::eventOf(const PickleMachine &machine, const PickleValue *items, size_t count)
{
    SnapshotRows::Event event;
    bool hasAddress = false;
    for (size_t at = 0; at < count; at += 2) {
        const PickleValue &value = items[at + 1];
        switch (wordOf(items[at])) {
        case Word::Action:
            event.action = actionOf(wordOf(value));
            if (event.action == MemoryAction::Other) {
                constexpr size_t kMostWords = 64;
                const std::string word(value.kind == ValueKind::Text ? m_rows.textOf(value.id()).substr(0, 100) : "");
                auto &others = m_rows.oddities.otherActions;
                ++others[others.size() < kMostWords || others.contains(word) ? word : std::string()];
            }
            break;
        case Word::Addr:
        case Word::DeviceFree: hasAddress |= address(value, event.address); break;
        case Word::Size: sizeOf(value, event.size); break;
        case Word::Stream: integer(value, event.stream); break;
        case Word::TimeUs: {
            int64_t time = 0;
            if (integer(value, time) && (time < 0 || __builtin_mul_overflow(time, int64_t(1000), &event.time))) {
                event.time = MemoryEventTable::kNoTime;
                ++m_rows.oddities.unreadableFields;
            }
            break;
        }
        case Word::Frames: event.stack = stackId(value); break;
        case Word::ForwardFrames: event.forwardStack = stackId(value); break;
        case Word::CompileContext: event.compileContext = textId(value); break;
        case Word::UserMetadata: event.metadata = metadataId(machine, value); break;
        case Word::Category: event.category = textId(value); break;
        case Word::PoolId:
            if (const auto pool = poolIdOf(machine, m_rows, value))
                event.pool = *pool;
            else
                ++m_rows.oddities.unreadableFields;
            break;
        default: break; // fields that later versions of PyTorch record
        }
    }
    if (event.action == MemoryAction::OutOfMemory && !hasAddress)
        event.address = MemoryEventTable::kNotRecorded;
    return PickleValue::of(ValueKind::Events, m_rows.addEvent(event));
}

PickleValue SnapshotShapes::frameOf(const PickleValue *items, size_t count)
{
    MemoryFrame frame;
    for (size_t at = 0; at < count; at += 2) {
        const PickleValue &value = items[at + 1];
        switch (const Word word = wordOf(items[at])) {
        case Word::Name: frame.name = textId(value, SnapshotRows::kLongestName); break;
        case Word::Filename: frame.file = textId(value, SnapshotRows::kLongestName); break;
        case Word::Line: {
            int64_t line = 0;
            if (integer(value, line))
                frame.line = static_cast<int32_t>(std::clamp<int64_t>(line, INT32_MIN, INT32_MAX));
            break;
        }
        case Word::FxOp:
        case Word::FxName:
        case Word::FxTarget:
        case Word::FxTrace:
            frame.fx[static_cast<size_t>(word) - static_cast<size_t>(Word::FxOp)] = textId(value);
            break;
        default: break;
        }
    }
    return PickleValue::of(ValueKind::Frame, m_rows.frame(frame));
}

PickleValue SnapshotShapes::blockOf(const PickleMachine &machine, const PickleValue *items, size_t count)
{
    MemoryBlock block;
    block.address = UINT64_MAX; // old snapshots record no addresses of blocks; readSegment() computes them
    bool hasRequested = false;
    for (size_t at = 0; at < count; at += 2) {
        const PickleValue &value = items[at + 1];
        switch (wordOf(items[at])) {
        case Word::Address: address(value, block.address); break;
        case Word::Size: sizeOf(value, block.size); break;
        case Word::RequestedSize: hasRequested = sizeOf(value, block.requested); break;
        case Word::Frames: block.stack = stackId(value); break;
        case Word::State:
            switch (wordOf(value)) {
            case Word::ActiveAllocated: block.state = BlockState::Allocated; break;
            case Word::ActivePendingFree:
            case Word::ActiveAwaitingFree: block.state = BlockState::PendingFree; break;
            case Word::Inactive: break;
            default: ++m_rows.oddities.unreadableFields;
            }
            break;
        case Word::History:
            if (value.kind == ValueKind::List) {
                const uint32_t before = block.stack;
                block.requested = -1;
                readHistory(machine, value, block);
                hasRequested = hasRequested || block.requested >= 0;
                block.stack = block.stack ? block.stack : before;
            }
            break;
        default: break;
        }
    }
    if (!hasRequested)
        block.requested = block.size;
    return PickleValue::of(ValueKind::Blocks, m_rows.addBlock(block));
}

/// Reads what old snapshots record about a block besides its size: [{addr, real_size, frames}], the latest use first.
void SnapshotShapes::readHistory(const PickleMachine &machine, const PickleValue &value, MemoryBlock &block)
{
    machine.forItemsWhile(value, [&](const PickleValue &use) {
        if (use.kind != ValueKind::Dict)
            return true;
        Word key = Word::Count;
        bool isKey = true;
        machine.forItems(use, [&](const PickleValue &item) {
            if (isKey)
                key = wordOf(item);
            else if (key == Word::RealSize)
                sizeOf(item, block.requested);
            else if (key == Word::Frames)
                block.stack = stackId(item);
            isKey = !isKey;
        });
        return false;
    });
}

bool SnapshotShapes::becomesRow(const PickleMachine &machine, const PickleValue *items, size_t count, PickleValue &row)
{
    uint64_t keys = 0;
    for (size_t at = 0; at < count; at += 2)
        if (items[at].kind == ValueKind::Text && items[at].id() < static_cast<uint32_t>(Word::Count))
            keys |= uint64_t(1) << items[at].id();
    constexpr uint64_t kFrame = wordBit(Word::Name) | wordBit(Word::Filename);
    constexpr uint64_t kBlock = wordBit(Word::State) | wordBit(Word::Size);
    if (keys & wordBit(Word::Action))
        row = eventOf(machine, items, count);
    else if ((keys & kFrame) == kFrame)
        row = frameOf(items, count);
    else if ((keys & kBlock) == kBlock)
        row = blockOf(machine, items, count);
    else
        return false;
    return true;
}

} // namespace riffle
