// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/summary/summary.h"
#include "model/query/detail_numbers.h"
#include "model/query/name_sums.h"
#include "model/query/query_file.h"
#include "model/trace/trace_set.h"

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace riffle {

/// One trace of a set as queries see it, with data that is derived on first use. Used by one query at a time.
class QueryTrace final : public QueryFile {
public:
    /// `facts` must outlive the object.
    QueryTrace(const SetFacts &facts, const LoadedTrace &member, uint32_t place);

    const Trace &trace() const { return m_facts->trace(); }
    const TraceFacts &facts() const { return *m_facts; }
    std::span<const QueryTable> tables() const override;
    std::span<const SummaryColumn> summaryColumns() const override;
    /// Converts a time of the trace to the clock of the set.
    Ns inSet(Ns time) const { return m_sameClock ? time : m_time->toSet(time); }
    /// Returns a range of trace times, both ends included, that contains all times in [low, high] on the clock of the
    /// set.
    std::pair<Ns, Ns> inTrace(Ns low, Ns high) const;

    const DetailNumbers<DeviceTable> &deviceRows() const { return m_deviceRows; }
    const DetailNumbers<CollectiveTable> &collectiveRows() const { return m_collectiveRows; }

    const std::vector<std::string> &laneNames() const;
    const std::vector<std::string> &processNames() const;
    /// Returns the text of an id as shown to the user; empty if there is none.
    std::string idText(RawId id) const;

    /// The sums that are ready for the tables of the same names.
    const std::vector<NameSums> &slicesByName() const;
    const std::vector<NameSums> &slicesByLaneAndName() const;
    const std::vector<NameSums> &kernelsByName() const;

    /// Returns the plain text of an argument of which only the hash is stored; it is read from the slice's event the
    /// first time. Empty if the hash is 0 or the source is gone. `keys` are the possible names of the argument. The
    /// reference is valid until the next call.
    const std::string &hashedText(uint64_t hash, const Segment &segment, uint32_t at,
                                  std::initializer_list<std::string_view> keys) const;

private:
    const TraceFacts *m_facts;
    const TimeMap *m_time;
    bool m_sameClock;
    DetailNumbers<DeviceTable> m_deviceRows;
    DetailNumbers<CollectiveTable> m_collectiveRows;
    mutable std::vector<std::string> m_laneNames, m_processNames;
    mutable std::optional<std::vector<NameSums>> m_slicesByName, m_slicesByLaneAndName, m_kernelsByName;
    mutable std::unordered_map<uint64_t, std::string> m_hashed;
    mutable size_t m_hashedBytes = 0;
};

/// The trace behind a file of a query about traces.
inline const QueryTrace &traceOf(const QueryFile &file) { return static_cast<const QueryTrace &>(file); }

} // namespace riffle
