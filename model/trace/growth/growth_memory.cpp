// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/growth/growth_memory.h"

namespace riffle {

namespace {

/// Three eighths of the memory are left to what is too small to be here: segments before they are merged, and long
/// slices.
constexpr uint64_t shareOfMerged(uint64_t bytes) { return bytes / 8 * 5; }

} // namespace

GrowthMemory::GrowthMemory(GrowthWindow window)
    : m_window(std::move(window))
    , m_memory(shareOfMerged(m_window.memoryBytes), m_window.folder)
    , m_file(0, m_window.folder)
{
}

std::shared_ptr<std::byte[]> GrowthMemory::allocate(size_t bytes)
{
    const uint64_t limit = shareOfMerged(m_window.memoryBytes), used = m_memory.anonymousBytes();
    if (bytes < m_window.countedFrom) // a mapping for each would cost more than it saves
        return std::make_shared_for_overwrite<std::byte[]>(bytes);
    std::shared_ptr<std::byte[]> block;
    if (used <= limit && bytes <= limit - used)
        block = m_memory.allocateAny(bytes);
    else if (const uint64_t onDisk = m_file.spilledBytes();
             onDisk <= m_window.diskBytes && bytes <= m_window.diskBytes - onDisk)
        block = m_file.allocate(bytes);
    if (!block)
        m_refused = true;
    return block;
}

} // namespace riffle
