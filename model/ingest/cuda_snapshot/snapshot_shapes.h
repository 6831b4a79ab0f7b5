// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/ingest/cuda_snapshot/snapshot_rows.h"
#include "model/ingest/pickle_machine.h"

#include <optional>
#include <string>
#include <unordered_map>

namespace riffle {

/// Makes the dicts of a memory snapshot rows: frames, entries of the history, and blocks.
class SnapshotShapes : public PickleShapes {
public:
    explicit SnapshotShapes(SnapshotRows &rows) : m_rows(rows) {}

    uint32_t text(std::string_view text) override { return m_rows.text(text); }
    uint32_t pair(int64_t first, int64_t second) override { return m_rows.pool(first, second); }
    bool becomesRow(const PickleMachine &machine, const PickleValue *items, size_t count, PickleValue &row) override;
    uint32_t stack(const uint32_t *frames, uint32_t count) override { return m_rows.stack(frames, count); }
    std::span<const uint32_t> framesOf(uint32_t stack) const override { return m_rows.framesOf(stack); }
    void strangeItem() override { ++m_rows.oddities.strangeItems; }
    void repeatedRows(uint32_t count) override { m_rows.oddities.repeatedEntries += count; }

private:
    PickleValue eventOf(const PickleMachine &machine, const PickleValue *items, size_t count);
    PickleValue frameOf(const PickleValue *items, size_t count);
    PickleValue blockOf(const PickleMachine &machine, const PickleValue *items, size_t count);

    // Fields; a value of another type counts as unreadable and is left out.
    bool integer(const PickleValue &value, int64_t &into);
    bool sizeOf(const PickleValue &value, int64_t &into);
    bool address(const PickleValue &value, uint64_t &into);
    uint32_t textId(const PickleValue &value, size_t most = SnapshotRows::kLongestNote);
    uint32_t stackId(const PickleValue &value);
    uint32_t metadataId(const PickleMachine &machine, const PickleValue &value);
    void appendJson(const PickleMachine &machine, const PickleValue &value, int depth, std::string &out) const;
    void readHistory(const PickleMachine &machine, const PickleValue &value, MemoryBlock &block);

    SnapshotRows &m_rows;
    std::unordered_map<uint32_t, uint32_t> m_metadata; ///< per container that was metadata, the id of its text
};

/// Returns the row of a pool's id, which is a tuple or a list of two integers; nothing if the value is neither.
std::optional<uint32_t> poolIdOf(const PickleMachine &machine, SnapshotRows &rows, const PickleValue &value);

} // namespace riffle
