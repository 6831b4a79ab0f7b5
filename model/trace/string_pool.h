// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/column.h"

#include <cassert>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace riffle {

/// The trace's strings: one blob and the start of each string in it. Ids follow the first occurrences in the source, so
/// they do not depend on how many threads read it. Id 0 is always the empty string.
struct StringTable {
    Column<char> bytes;
    Column<uint64_t> begins; ///< start of each string in `bytes`, then the end

    uint32_t count() const { return begins.empty() ? 0 : static_cast<uint32_t>(begins.size() - 1); }
    /// Returns the string, or an empty one if the id does not exist or points outside the blob.
    std::string_view at(uint32_t id) const
    {
        if (id >= count() || begins[id] > begins[id + 1] || begins[id + 1] > bytes.size())
            return {};
        return {bytes.data() + begins[id], static_cast<size_t>(begins[id + 1] - begins[id])};
    }
};

/// Interns strings while a file is being read; each worker has one. Remembers where in the source each string was first
/// seen.
class StringInterner {
public:
    StringInterner();
    /// Returns the id of the text in this interner. `offset` is its place in the source.
    uint32_t intern(std::string_view text, uint64_t offset);
    uint32_t count() const { return static_cast<uint32_t>(m_entries.size()); }
    std::string_view text(uint32_t id) const
    {
        assert(id < count());
        return {m_entries[id].data, m_entries[id].size};
    }
    uint64_t firstOffset(uint32_t id) const
    {
        assert(id < count());
        return m_entries[id].firstOffset;
    }
    /// Removes the strings with ids from `count` on.
    void truncate(uint32_t count);
    size_t memoryBytes() const { return m_bytes; }

private:
    struct Entry {
        const char *data;
        uint32_t size;
        uint64_t hash;
        uint64_t firstOffset;
    };
    void grow();
    void rebuild(size_t slotCount);
    const char *keep(std::string_view text);

    std::vector<Entry> m_entries;
    std::vector<uint32_t> m_slots; ///< open addressing; UINT32_MAX marks a free slot
    std::vector<std::unique_ptr<char[]>> m_blocks;
    size_t m_blockLeft = 0;
    char *m_blockAt = nullptr;
    size_t m_bytes = 0;
};

} // namespace riffle
