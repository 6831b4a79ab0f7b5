// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/recently_used.h"
#include "model/ingest/collector_log/part_tables.h"

#include <cstddef>
#include <memory>

namespace riffle {

/// The tables of the most recently used parts.
class TablesCache {
public:
    TablesCache(const CollectorLog &log, size_t limit) : m_log(log), m_recent(limit) {}
    std::shared_ptr<const PartTables> of(uint32_t part)
    {
        return m_recent.get(part, [&] { return std::make_shared<const PartTables>(m_log, part); });
    }

private:
    const CollectorLog &m_log;
    ComputedOnce<PartTables> m_recent;
};

} // namespace riffle
