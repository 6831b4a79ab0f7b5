// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/ingest/collector_log/event_text.h"
#include "model/trace/import_report.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace riffle {

/// The contents of a log other than events: facts about the process, its threads and devices, the log itself and the
/// lost records. Each worker gathers them from the chunks that it reads; the results are merged.
class LogFacts {
public:
    /// Adds the facts in a chunk, whose first row has this address; does nothing for chunks of events.
    void add(uint64_t address, wire::ChunkType type, const ChunkColumns &columns, const PartTables &tables,
             const LogIndex &index);
    /// Adds the threads of the part that starts at this address.
    void addThreads(uint64_t address, const PartTables &tables);
    void merge(const LogFacts &other);

    /// Returns the value of a fact about the process, as written last; empty if there is none.
    std::string process(const std::string &key) const;
    std::optional<int64_t> processNumber(const std::string &key) const;
    /// The name of the program, without folders.
    std::string programName() const;
    /// The titles of the lanes of threads, by their tid, for threads with a name and lanes with samples.
    std::map<int64_t, std::string> threadTitles() const;
    /// Kineto's top-level entries for ranks and devices, `process` and `stats`; `settled`: by source, the time up to
    /// which the log is complete; `stepSummaries`: figures of steps, also of those whose details no longer exist. Keys
    /// and raw JSON.
    std::vector<std::pair<std::string, std::string>> metadata() const;
    const ImportReport &report() const { return m_report; }

private:
    /// The newest text written under a key.
    struct Said {
        uint64_t when = 0; ///< the address of its row
        std::string text;
    };
    template <typename Key>
    static void say(std::map<Key, Said> &map, const Key &key, uint64_t when, std::string text);
    void addStep(uint64_t when, uint32_t row, const ChunkColumns &columns);
    void addLoss(uint64_t address, uint32_t row, const ChunkColumns &columns, const PartTables &tables,
                 const LogIndex &index);

    std::map<std::string, Said> m_process;
    std::map<std::pair<int64_t, std::string>, Said> m_devices;
    std::map<std::string, Said> m_stats;
    std::map<std::string, Said> m_settled;
    std::map<std::pair<int64_t, int64_t>, Said> m_steps; ///< by start and device
    std::map<int64_t, Said> m_threads;
    ImportReport m_report;
};

} // namespace riffle
