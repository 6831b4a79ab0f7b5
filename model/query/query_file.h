// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/string_pool.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace riffle {

struct QueryTable;
struct SummaryColumn;

/// One opened file as queries see it: its id, its strings, and the tables for files of its kind. All files of a query
/// are of one kind. Used by one query at a time.
class QueryFile {
public:
    virtual ~QueryFile() = default;

    uint32_t place() const { return m_place; } ///< index among the files of the query
    /// The number by which queries name the file. It does not change when other files are closed.
    uint32_t id() const { return m_id; }
    bool isOneOfSeveral() const { return m_isOneOfSeveral; }

    /// The tables in the order in which they are shown to the user. They are the same for all files of the kind.
    virtual std::span<const QueryTable> tables() const = 0;
    /// The columns of the tables that are computed from all files together.
    virtual std::span<const SummaryColumn> summaryColumns() const { return {}; }

    std::string_view string(uint32_t id) const { return m_strings->at(id); }
    uint32_t stringCount() const { return m_strings->count(); }
    /// Returns the string ids in the order of their texts, byte by byte.
    const std::vector<uint32_t> &sortedStrings() const;
    /// Returns the id of a text; nullopt if the file has no such string.
    std::optional<uint32_t> stringId(std::string_view text) const;

protected:
    /// `strings` must outlive the object.
    QueryFile(const StringTable &strings, uint32_t place, uint32_t id, bool isOneOfSeveral)
        : m_strings(&strings)
        , m_place(place)
        , m_id(id)
        , m_isOneOfSeveral(isOneOfSeveral)
    {
    }

private:
    const StringTable *m_strings;
    uint32_t m_place, m_id;
    bool m_isOneOfSeveral;
    mutable std::vector<uint32_t> m_sorted;
};

using QueryFiles = std::vector<std::unique_ptr<const QueryFile>>;

} // namespace riffle
