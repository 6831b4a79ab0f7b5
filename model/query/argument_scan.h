// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/big_vector.h"
#include "model/query/table_scan.h"

#include <optional>
#include <string>

namespace riffle {

/// Scans the arguments of slices, which are read from the source in the order of the file. Events that are near each
/// other are read together, in pieces of up to some MiB.
class ArgumentScan : public TableScan {
public:
    using TableScan::TableScan;

    void begin(const QueryPlan &plan, std::span<const QueryValue> values) override;
    bool next() override;

private:
    /// A slice and the place of its event in the source.
    struct Place {
        uint64_t offset;
        uint32_t length;
        uint32_t slice;
    };

    bool collectPlaces();
    bool readArguments(size_t place);
    bool readText(size_t place, std::string_view &event);

    /// The first row of the next trace, which was reached while rows were being collected.
    struct Pending {
        const QueryFile *file = nullptr;
        uint32_t slice = 0;
    };
    std::optional<Pending> m_pending;
    BigVector<Place> m_places; ///< of one trace, in the order of the source
    size_t m_nextPlace = 0;
    std::string m_text; ///< the piece of the source that was read last
    uint64_t m_textBegin = 0;
    size_t m_textLast = 0; ///< one past the last place whose event is in m_text
};

} // namespace riffle
