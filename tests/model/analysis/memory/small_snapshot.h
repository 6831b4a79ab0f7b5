// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/memory/memory_snapshot.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace riffle::test {

inline std::shared_ptr<const MemorySnapshot> sharedSnapshot(MemorySnapshot snapshot)
{
    return std::make_shared<const MemorySnapshot>(std::move(snapshot));
}

/// Builds snapshots of one or more devices by hand.
class SmallSnapshot {
public:
    /// Adds an entry of the current device. Returns its number among all entries.
    uint32_t add(MemoryAction action, uint64_t address, int64_t size)
    {
        if (m_snapshot.devices.empty())
            m_snapshot.devices.push_back({0, false, 0, 0});
        m_action.push_back(action);
        m_address.push_back(address);
        m_size.push_back(size);
        ++m_snapshot.devices.back().count;
        return static_cast<uint32_t>(m_action.size() - 1);
    }
    /// Sets the times of all entries, in Unix ns.
    void times(std::vector<int64_t> times) { m_snapshot.events.time = column(std::move(times)); }
    /// Adds a start or end of a range of the program. Strings are given by number, the time in Unix ns.
    void mark(uint32_t name, uint32_t stage, int64_t time) { m_snapshot.annotations.push_back({name, stage, 0, time}); }
    void strings(const std::vector<std::string> &texts)
    {
        std::vector<uint64_t> begins{0};
        std::vector<char> bytes;
        for (const std::string &text : texts) {
            bytes.insert(bytes.end(), text.begin(), text.end());
            begins.push_back(bytes.size());
        }
        m_snapshot.strings.begins = column(std::move(begins));
        m_snapshot.strings.bytes = column(std::move(bytes));
    }
    void nextDevice()
    {
        m_snapshot.devices.push_back(
            {static_cast<int32_t>(m_snapshot.devices.size()), false, static_cast<uint32_t>(m_action.size()), 0});
    }
    /// Adds a segment of a device with blocks {address, size, requested, state}.
    void segment(int32_t device, int64_t total, const std::vector<MemoryBlock> &blocks)
    {
        MemorySegment segment;
        segment.device = device;
        segment.total = total;
        segment.firstBlock = static_cast<uint32_t>(m_blocks.size());
        segment.blocks = static_cast<uint32_t>(blocks.size());
        m_blocks.insert(m_blocks.end(), blocks.begin(), blocks.end());
        m_snapshot.segments.push_back(segment);
    }
    static MemoryBlock block(uint64_t address, int64_t requested, BlockState state = BlockState::Allocated)
    {
        return {address, (requested + 511) / 512 * 512, requested, 0, state};
    }
    MemorySnapshot take()
    {
        m_snapshot.events.stack = column(std::vector<uint32_t>(m_action.size(), 0));
        m_snapshot.events.stream = column(std::vector<uint16_t>(m_action.size(), 0));
        m_snapshot.events.action = column(std::move(m_action));
        m_snapshot.events.address = column(std::move(m_address));
        m_snapshot.events.size = column(std::move(m_size));
        m_snapshot.blocks = column(std::move(m_blocks));
        m_snapshot.stacks.begin = column(std::vector<uint32_t>{0, 0});
        m_snapshot.streams = {0};
        m_snapshot.pools = {{0, 0}};
        return std::move(m_snapshot);
    }
    template <typename T>
    static Column<T> column(std::vector<T> values)
    {
        const auto owner = std::make_shared<std::vector<T>>(std::move(values));
        return Column<T>(owner, owner->data(), owner->size());
    }

private:
    MemorySnapshot m_snapshot;
    std::vector<MemoryAction> m_action;
    std::vector<uint64_t> m_address;
    std::vector<int64_t> m_size;
    std::vector<MemoryBlock> m_blocks;
};

} // namespace riffle::test
