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

/// Where reading a layout ended.
struct LayoutRead {
    uint32_t layout = MemoryLogPoint::kNone;
    size_t end = 0; ///< of the text read, behind its last line
    uint64_t lines = 0;
    bool isCut = false; ///< its last line has no end and is not whole
};

/// Reads the layers below "params_layout:" and the like. A layout whose text is that of the one before of its part is
/// not read again: parameters, gradients and optimizer states hardly ever change. The text and the rank live longer.
class LayoutReader {
public:
    LayoutReader(std::string_view text, MemoryLogRank &rank) : m_text(text), m_rank(rank) {}

    /// `begin`: of the line behind the heading, whose number is `line`.
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
    bool m_isClean = true;         ///< nothing odd in this layout so far
    std::vector<uint32_t> m_above; ///< paths that the next row may lie in
};

} // namespace riffle
