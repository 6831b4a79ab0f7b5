// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/ingest/chrome_json/source_feed.h"
#include "model/trace/import_report.h"

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace riffle {

/// Walks the outer structure of a Chrome trace and calls back for each event list. The structure is an object with
/// `traceEvents` anywhere among its keys, a bare array, or one event object per line.
class ChromeDocument {
public:
    /// Reads the list that starts at the feed's position (after '[', or at the first event of a file of lines) and
    /// leaves the feed after its end. Returns true if the list was closed.
    using ReadEvents = std::function<bool()>;

    ChromeDocument(SourceFeed &feed, ImportReport &report) : m_feed(feed), m_report(report) {}
    /// Returns an Error if this is not a trace at all.
    Result<void> read(const ReadEvents &readEvents);

    /// The top-level keys other than the event lists, with raw JSON values.
    const std::vector<std::pair<std::string, std::string>> &metadata() const { return m_metadata; }

private:
    static constexpr size_t kMaxKeptValue = 1 << 20;
    static constexpr size_t kMaxTopValue = 1 << 28;
    static constexpr uint64_t kMaxHead = 1 << 30; ///< bytes in front of the events

    char peek(size_t most = std::string_view::npos);
    Error noJson() const;
    Result<void> readObject(const ReadEvents &readEvents);
    bool readMember(const ReadEvents &readEvents, bool &sawEvents);
    void reportRest();
    void reportEnd(bool listIsOpen, bool expectsMember);
    bool looksLikeLines();
    size_t valueEnd();

    SourceFeed &m_feed;
    ImportReport &m_report;
    std::vector<std::pair<std::string, std::string>> m_metadata;
    std::set<std::string> m_keys; ///< ordered, because a file could choose keys that collide in a hash table
};

} // namespace riffle
