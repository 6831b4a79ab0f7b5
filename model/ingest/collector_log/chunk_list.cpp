// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/collector_log/chunk_list.h"

#include <algorithm>

namespace riffle {

void ChunkList::append(const LogChunk &chunk)
{
    size_t mine = m_size;
    // Another copy may have been appended to already: then the place behind this list is taken.
    if (!m_memory || m_size == m_memory->room || !m_memory->used.compare_exchange_strong(mine, m_size + 1)) {
        constexpr size_t kLeast = 16;
        const auto larger = std::make_shared<Memory>(std::max(kLeast, 2 * m_size));
        std::copy(begin(), end(), larger->chunks.get());
        larger->used = m_size + 1;
        m_memory = larger;
    }
    m_memory->chunks[m_size++] = chunk;
}

} // namespace riffle
