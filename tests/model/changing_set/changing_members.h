// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/summary/summary.h"
#include "model/ingest/trace_opening.h"
#include "model/trace/unload_order.h"
#include "tests/model/changing_set/stress_files.h"

#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <stop_token>
#include <string>
#include <vector>

namespace riffle::test {

/// A set whose members change at random, as the session of a window changes it. After each change it checks that
/// members which the change is not about stay as they are, and that what points at slices points at the same slices.
/// One thread makes the changes; any thread may take the facts.
class ChangingMembers {
public:
    ChangingMembers(StressFiles &files, uint64_t seed) : m_files(files), m_random(seed) {}
    ~ChangingMembers();

    std::shared_ptr<const SetFacts> facts() const;
    /// Makes a random change, or begins one that takes time, and takes what was opened meanwhile.
    void change();
    /// All traces that were ever members.
    const std::vector<std::weak_ptr<const Trace>> &traces() const { return m_traces; }

private:
    static constexpr size_t kMostMembers = 6, kMostOpenings = 3;

    /// A file that is being read, or a store that is being written.
    struct Opening {
        TraceId id;
        std::stop_source stop;
        std::future<Result<OpenedTrace>> result;
    };
    /// Something that points at a slice, and what it is.
    struct Pointer {
        SliceRef slice;
        std::string what;
    };

    size_t below(size_t count) { return m_random() % count; }
    std::optional<TraceId> anyMember(bool isLoaded);
    void publish(TraceSet set, TraceId changed);
    void checkOthers(const TraceSet &before, const TraceSet &now, TraceId changed) const;
    void movePointers(const TraceSet &before, const TraceSet &now);
    void point();

    void add();
    void open(TraceId id, std::string path);
    void store(TraceId id);
    void takeOpened();
    void take(const Opening &opening, Result<OpenedTrace> result);
    void cancel(TraceId id);
    void loadAgain(TraceId id);
    void remove(TraceId id);
    void unload();
    void setTime(TraceId id);

    StressFiles &m_files;
    std::mt19937_64 m_random;
    mutable std::mutex m_mutex; ///< guards m_facts
    std::shared_ptr<const SetFacts> m_facts = std::make_shared<const SetFacts>();
    PerTrace<OpenedTrace> m_opened;
    std::vector<Opening> m_openings;
    std::vector<Pointer> m_pointers;
    UnloadOrder m_unloadOrder;
    std::vector<std::weak_ptr<const Trace>> m_traces;
};

} // namespace riffle::test
