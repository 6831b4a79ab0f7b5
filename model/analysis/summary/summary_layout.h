// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/table/merged_table.h"
#include "model/trace/trace_set.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace riffle {

/// How the tables of a view for several traces become one.
struct LayoutRequest {
    RankLayout layout = RankLayout::RankByRank;
    std::span<const std::string_view> keys; ///< of the view; if empty, the rows always stand trace by trace
    std::string spread;                     ///< the column that the user wants to compare; may be empty
    /// Per table, the number of the device of a trace that uses only one. If all traces do, rows about different
    /// devices are the same row.
    std::vector<std::optional<int64_t>> devices;
};

/// Converts the moments of a table to set time and sets the origin from which the timeline counts, so that the moments
/// of several traces can be compared.
void inSetTime(ResultTable &table, const TraceSet &set, TraceId trace);

/// One table from those of several traces. A note stands once, with the traces that it is about.
ResultTable laidOut(std::vector<LabelledTable> tables, const LayoutRequest &request);

/// Notes of several traces, each once, with the traces that it is about.
class TraceNotes {
public:
    void add(std::vector<std::string> notes, const std::string &trace);
    std::vector<std::string> lines() const;

private:
    struct Note {
        std::string text, about;
        size_t traces;
    };
    size_t m_traces = 0;
    std::vector<Note> m_notes;
};

} // namespace riffle
