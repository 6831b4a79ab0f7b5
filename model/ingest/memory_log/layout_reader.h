// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/memory/memory_log.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace riffle {

/// A layout that was read, and where it ended.
struct LayoutRead {
    uint32_t layout = MemoryLogPoint::kNone;
    size_t end = 0; ///< end of the text that was read, just after its last line
    uint64_t lines = 0;
    bool isCut = false; ///< its last line has no line break and is incomplete
};

/// Reads the layers below "params_layout:" and similar headings. A layout with the same text as the previous one of its
/// part is not read again: parameters, gradients and optimizer states hardly ever change. The text and the rank must
/// outlive the reader.
class LayoutReader {
public:
    LayoutReader(std::string_view text, MemoryLogRank &rank) : m_text(text), m_rank(rank) {}

    /// `begin` is the start of the line after the heading; `line` is the line number of the heading.
    LayoutRead read(MemoryLogPart part, size_t begin, uint64_t line);

private:
    struct Last {
        size_t begin = 0, size = 0;
        uint64_t lines = 0;
        uint32_t layout = MemoryLogPoint::kNone;
    };
    void note(const char *what, uint64_t offset, uint64_t line);
    bool isSame(const Last &last, size_t begin) const;
    bool addRow(std::string_view line, MemoryLogLayout &layout, const MemoryLogLayout *before, uint64_t offset,
                uint64_t number);
    uint32_t pathId(std::string_view path);
    uint32_t depthOf(std::string_view path, uint32_t id);

    std::string_view m_text;
    MemoryLogRank &m_rank;
    std::array<Last, kMemoryLogParts> m_last;
    std::unordered_map<std::string, uint32_t> m_ids;
    bool m_isClean = true;         ///< no problem in this layout so far
    std::vector<uint32_t> m_above; ///< ids of the paths that may contain the next row, outermost first
};

} // namespace riffle
