// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/trace.h"
#include "tests/support/archives.h"

#include <array>
#include <cstddef>
#include <map>
#include <memory>
#include <string>

namespace riffle::test {

/// The files of a stress test: traces of several ranks in several containers, of which one is from another day, and two
/// files that cannot be read. Runs write other traces over them. Only one thread uses an object, apart from atRest().
class StressFiles {
public:
    static constexpr size_t kTraces = 5, kAll = kTraces + 2;

    StressFiles();
    std::string path(size_t file) const { return m_folder.file(kNames[file]); }
    std::string storeFolder() const { return m_folder.file("stores"); }
    /// Puts the next of two versions of a trace in place of its file, whose mappings stay as they are.
    void rewrite(size_t file);

    /// Every trace has a label, which is the same however it was read.
    static std::string labelOf(const Trace &trace) { return trace.info.text("traceName"); }
    /// The trace with a label, imported before anything else ran.
    std::shared_ptr<const Trace> atRest(const std::string &label) const { return m_atRest.at(label); }

private:
    static constexpr size_t kVersions = 2;
    static constexpr std::array<const char *, kAll> kNames{"rank0.json", "rank1.json.gz", "rank2.json.zst", "late.json",
                                                           "clean.json", "broken.json",   "missing.json"};
    static std::string content(size_t file, size_t version);

    TemporaryFolder m_folder;
    std::array<size_t, kTraces> m_versions{}; ///< how often each was written
    std::map<std::string, std::shared_ptr<const Trace>> m_atRest;
};

} // namespace riffle::test
